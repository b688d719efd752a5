"""The port to the store, on each of its sides: what is whole, what is seen when, and what comes back as it was given."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from memory.errors import MemoryFailure
from memory.store.bounds import Bounds
from memory.store.cancellation import uncancelled
from memory.store.database import Database, Row, Transaction
from memory.store.domains import reserve_numbers
from memory.store.opening import open_database
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.scope import WHOLE
from memory.store.postgresql.transaction import PostgresTransaction
from tests.fakes.pulse import PATIENCE
from tests.kits.fresh import POSTGRESQL, STORE, address_of, fresh
from tests.kits.memory_kit import KEY, cancelled_at

INSERT = "INSERT INTO settings (scope, key, value) VALUES (:scope, :key, :value)"


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Database]:
    """Open the database of a path, for the block."""
    await fresh(path, KEY)
    db = await open_database(path, KEY, address_of(path))
    try:
        yield db
    finally:
        await db.close()


@pytest.fixture
async def db(store: str, tmp_path: Path) -> AsyncIterator[Database]:
    """A database that holds nothing."""
    async with opened(tmp_path / "lyra.db") as db:
        yield db


async def pair(db: Database, name: str) -> None:
    """Write two rows that belong together."""
    async with db.transaction() as tx:
        await tx.run(INSERT, {"scope": name, "key": "a", "value": ""})
        assert len(await tx.all("SELECT key FROM settings WHERE scope = :scope", {"scope": name})) == 1
        # A wait for something else than the server: where that one is broken off, its connection goes and nothing could be kept.
        await asyncio.sleep(0)
        await tx.many(INSERT, [{"scope": name, "key": "b", "value": ""}])


async def broken_steps(db: Database) -> list[int]:
    """Cancel a transaction at its first wait, its second and so on; return where something was left half done or begun."""
    broken = []
    for n in range(1, 100):
        reached = await cancelled_at(n, pair(db, f"cancelled {n}"))
        halves = await db.all("SELECT scope, count(*) AS n FROM settings GROUP BY scope")
        try:
            await pair(db, f"next after {n}")
        except MemoryFailure:
            broken.append(n)
        if any(row["n"] != 2 for row in halves):
            broken.append(n)
        if not reached:
            return broken
    raise AssertionError("the transaction never ended")


async def test_a_transaction_cancelled_anywhere_is_there_as_a_whole_or_not_at_all(db: Database) -> None:
    assert await broken_steps(db) == []


class CommitsHalf(PostgresDatabase):
    """The twin without the guard: what is undone is kept, where its task was cancelled."""

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[PostgresTransaction]:
        tx = PostgresTransaction(self._pool, bounds, WHOLE, self._reservation.require, self._sealer)
        try:
            yield tx
        finally:
            await uncancelled(self._commit(tx, 0))
            await uncancelled(tx.end())


async def test_without_that_guard_a_half_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE, POSTGRESQL)
    await fresh(tmp_path / "lyra.db", KEY)
    address = address_of(tmp_path / "lyra.db")
    assert address is not None
    async with await CommitsHalf.open(address, KEY) as db:
        assert await broken_steps(db) != []


async def test_who_asks_for_what_no_text_can_hold_finds_nothing(db: Database) -> None:
    assert await db.all("SELECT scope FROM settings WHERE scope = :scope", {"scope": "a\x00b"}) == []


async def test_a_statement_that_fails_inside_undoes_everything_even_where_that_is_not_noticed(db: Database) -> None:
    with suppress(MemoryFailure):
        async with db.transaction() as tx:
            await tx.run(INSERT, {"scope": "s", "key": "a", "value": ""})
            await tx.run(INSERT, {"scope": "s", "key": "a", "value": "again"})
    assert await db.all("SELECT * FROM settings") == []
    await pair(db, "next")


async def test_an_error_of_the_block_undoes_the_transaction_and_travels_on(db: Database) -> None:
    with pytest.raises(LookupError, match="mine"):
        async with db.transaction() as tx:
            await tx.run(INSERT, {"scope": "s", "key": "a", "value": ""})
            raise LookupError("mine")
    assert await db.all("SELECT * FROM settings") == []


async def test_a_read_is_of_the_last_committed_state_and_a_cancelled_one_holds_nobody_up(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.run(INSERT, {"scope": "s", "key": "a", "value": ""})
        assert len(await tx.all("SELECT * FROM settings")) == 1 and await db.all("SELECT * FROM settings") == []
    long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT count(*) AS n FROM n"
    for _ in range(3):
        async with asyncio.timeout(PATIENCE):
            assert await cancelled_at(1, db.all(long))
            assert len(await db.all("SELECT * FROM settings")) == 1


async def test_who_comes_first_does_not_wait_for_the_others(db: Database) -> None:
    order: list[str] = []

    async def write(name: str, *, first: bool = False, bounds: Bounds | None = None) -> None:
        async with db.transaction(first=first) as tx:
            await tx.run(INSERT, {"scope": name, "key": "", "value": ""})
            order.append(name)

    async with db.transaction():
        waiting = [asyncio.create_task(write("one")), asyncio.create_task(write("two"))]
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(write("platform", first=True)))
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert order == ["platform", "one", "two"]


async def test_whatever_is_committed_here_or_elsewhere_changes_the_number_of_commits(db: Database, tmp_path: Path) -> None:
    async with opened(tmp_path / "lyra.db") as other:
        reads = db.reads
        before = await db.commits()
        assert db.reads == reads
        for n, writer in enumerate((db, other, db, other)):
            await pair(writer, str(n))
            seen, before = before, await db.commits()
            assert before != seen


async def test_what_only_reads_does_not_change_the_number_of_commits(db: Database) -> None:
    async def stays() -> bool:
        before = await db.commits()
        await db.all("SELECT * FROM settings")
        async with db.transaction() as tx:
            await tx.all("SELECT * FROM settings")
        return await db.commits() == before

    # Beside it other tests may write on the same server.
    async with asyncio.timeout(PATIENCE):
        while not await stays():
            pass


async def test_a_follower_of_the_number_of_commits_misses_none(db: Database, tmp_path: Path) -> None:
    """Two looks with one number between which nothing changed see the same, while others commit as fast as they can."""
    over = asyncio.Event()

    async def write(writer: Database, name: str) -> None:
        for n in range(25):
            await pair(writer, f"{name} {n}")

    async def follow() -> int:
        same = 0
        while not over.is_set():
            before = await db.commits()
            first = await db.one("SELECT count(*) AS n FROM settings")
            second = await db.one("SELECT count(*) AS n FROM settings")
            if await db.commits() == before:
                assert first and second and first["n"] == second["n"]
                same += 1
        return same

    async with opened(tmp_path / "lyra.db") as one, opened(tmp_path / "lyra.db") as two:
        following = asyncio.create_task(follow())
        await asyncio.gather(write(one, "one"), write(two, "two"))
        over.set()
        await following


async def test_values_come_back_as_they_were_given(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.run("INSERT INTO counters (name, value) VALUES (:a, :least), (:b, :most)", {"a": "a", "b": "b", "least": -(2**63), "most": 2**63 - 1})  # fmt: skip
        await tx.run(INSERT, {"scope": "words", "key": "'quoted' :not 100% $1 \\ \t", "value": "\U0001f408\u202eß\n"})
        await tx.run("INSERT INTO spaces (id, name, embedder, dimension, made_at) VALUES (1, 'n', 'e', 2, 3)")
        await tx.run(
            "INSERT INTO domains (id, kind, platform, native_id, time_zone, created_at) VALUES (1, 'dm', 'p', 'n', 'UTC', 0)"
        )
        await tx.run("INSERT INTO items (id, domain, kind, public_id) VALUES (1, 1, 'k', 'p')")
        await tx.run(
            "INSERT INTO vectors (space, domain, item, passage, text_hash, vector) VALUES (1, 1, 1, 0, :hash, :vector)",
            {"hash": bytes(range(256)), "vector": b""},
        )
        await tx.run(
            "INSERT INTO reflections (item, domain, made_at, level, state) VALUES (1, 1, 1, :level, 'kept')", {"level": 0.1}
        )
    assert [tuple(row) for row in await db.all("SELECT name, value FROM counters ORDER BY name")] == [
        ("a", -(2**63)),
        ("b", 2**63 - 1),
    ]
    row = await db.one("SELECT key, value FROM settings WHERE scope = 'words'")
    assert row is not None and tuple(row) == ("'quoted' :not 100% $1 \\ \t", "\U0001f408\u202eß\n")
    row = await db.one("SELECT text_hash, vector FROM vectors")
    assert row is not None and (row["text_hash"], row["vector"]) == (bytes(range(256)), b"")
    row = await db.one("SELECT level, posted_at FROM reflections")
    assert row is not None and tuple(row) == (0.1, None)


def _types(row: Row | None) -> list[tuple[type, object]]:
    return [(type(value), value) for value in row or ()]


async def test_what_is_reckoned_and_how_text_is_ordered_is_the_same_everywhere(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.many("INSERT INTO counters (name, value) VALUES (:name, :value)", [{"name": name, "value": at} for at, name in enumerate(("b", "ä", "a", "Z", "_", "-a"))])  # fmt: skip
    reckoned = await db.one(
        "SELECT sum(value) AS all_, avg(value) AS mean, count(*) AS n, max(value) / 2 AS half, value_.is_it "
        "FROM counters, (SELECT EXISTS (SELECT 1 FROM counters WHERE name = 'a') AS is_it) AS value_ GROUP BY value_.is_it"
    )
    assert _types(reckoned) == [(int, 15), (float, 2.5), (int, 6), (int, 2), (int, 1)]
    assert [row["name"] for row in await db.all("SELECT name FROM counters ORDER BY name")] == ["-a", "Z", "_", "a", "b", "ä"]
    assert await db.all("SELECT name FROM counters WHERE name IN (NULL)") == []


async def test_numbers_of_a_counter_are_never_given_twice(db: Database, tmp_path: Path) -> None:
    async def three(db: Database) -> list[int]:
        async with db.transaction() as tx:
            first = await reserve_numbers(tx, "item", 3)
            return list(range(first, first + 3))

    async with opened(tmp_path / "lyra.db") as other:
        taken = await asyncio.gather(*(three(one) for one in (db, other) * 10))
    assert len({number for numbers in taken for number in numbers}) == 60


async def test_a_copy_is_a_file_that_holds_all_of_one_state(db: Database, tmp_path: Path) -> None:
    for n in range(3):
        await pair(db, str(n))
    told: list[tuple[int, int]] = []
    await db.copy_to(tmp_path / "copy.db", KEY, lambda done, size: told.append((done, size)))
    assert told[0][0] == 0 and told[-1][0] == told[-1][1] > 0
    async with await _file(tmp_path / "copy.db") as copy:
        assert [tuple(row) for row in await copy.all("SELECT * FROM settings ORDER BY scope, key")] == [
            tuple(row) for row in await db.all("SELECT * FROM settings ORDER BY scope, key")
        ]


async def _file(path: Path) -> Any:
    return await open_database(path, KEY, None)


async def test_what_is_stored_can_be_read_through(db: Database) -> None:
    await pair(db, "one")
    await db.verify()
    await db.close()
    await db.close()


async def settings(tx: Transaction, scope: str, *keys: str) -> list[str]:
    """Return the values of these settings, asked for one after another, the last two together."""

    async def value(key: str) -> str:
        row = await tx.one("SELECT value FROM settings WHERE scope = :scope AND key = :key", {"scope": scope, "key": key})
        return row["value"] if row else ""

    return [*[await value(key) for key in keys[:-2]], *await tx.gather(*map(value, keys[-2:]))]


async def test_what_is_asked_together_is_answered_each_as_if_it_were_alone(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.many(INSERT, [{"scope": scope, "key": key, "value": scope + key} for scope in "xyz" for key in "abcd"])
        found = await tx.gather(settings(tx, "x", *"abcd"), settings(tx, "y", *"cd"), settings(tx, "z", *"bcd"))
    assert found == [["xa", "xb", "xc", "xd"], ["yc", "yd"], ["zb", "zc", "zd"]]


async def test_where_one_of_those_that_ask_together_fails_nothing_is_kept(db: Database) -> None:
    async def fails(tx: Transaction) -> None:
        await tx.all("SELECT 1 AS one")
        raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        async with db.transaction() as tx:
            await tx.run(INSERT, {"scope": "x", "key": "a", "value": ""})
            await tx.gather(settings(tx, "x", *"abcd"), fails(tx), settings(tx, "y", *"ab"))
    assert await db.all("SELECT * FROM settings") == []
