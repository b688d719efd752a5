"""Several processes on one PostgreSQL: who waits for whom, and who may run Lyra there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from memory.errors import DatabaseBusy, HomeInUse
from memory.store.postgresql import connecting, transaction
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.peers.presence import Reservation
from memory.store.postgresql.scope import SET_SCOPE
from tests.fakes.pulse import PATIENCE
from tests.kits import forked, postgres_way
from tests.kits.memory_kit import KEY
from tests.kits.postgres import Postgres
from tests.kits.postgres_way import INSERT, between, by_way, scopes, write
from tests.kits.size import TORTURE

pytest_plugins = ["tests.kits.postgres_fixtures"]

server = postgres_way.server


async def test_a_process_that_writes_for_too_long_is_waited_for_no_longer(
    address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "PATIENCE_SECONDS", 0.2)
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        async with one.transaction() as tx:
            await tx.all("SELECT 1 AS one")
            with pytest.raises(DatabaseBusy, match="another process"):
                await write(other, "late")
        await write(other, "later")
        assert await scopes(one) == ["later"]


_COUNTING = """
import asyncio, sys
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.peers.presence import Reservation
async def count():
    async with await PostgresDatabase.open(DatabaseAddress(sys.argv[1]), bytes(range(32))) as db:
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(int(sys.argv[2])):
            async with db.transaction() as tx:
                row = await tx.one("SELECT value FROM counters WHERE name = 'shared'")
                value = row["value"] + 1 if row else 1
                await tx.run("INSERT INTO counters (name, value) VALUES ('shared', :value) "
                             "ON CONFLICT (name) DO UPDATE SET value = :value", {"value": value})
asyncio.run(count())
"""


async def counted(address: DatabaseAddress, times: int, processes: int = 2) -> int:
    """Have several processes count as often as told, all beginning together; return how far they came."""
    running = [forked.started(_COUNTING, address.url, times) for _ in range(processes)]
    for one in running:
        assert await asyncio.to_thread(one.stdout.readline) == b"ready\n"
    for one in running:
        one.stdin.write(b"\n")
        one.stdin.flush()
    for one in running:
        _, errors, code = await asyncio.to_thread(one.ended)
        assert code == 0, errors
    async with await PostgresDatabase.open(address, KEY) as db:
        row = await db.one("SELECT value FROM counters WHERE name = 'shared'")
    return row["value"] if row else 0


async def test_what_two_processes_read_and_then_write_is_never_lost(address: DatabaseAddress) -> None:
    times = 5_000 if TORTURE else 100
    assert await counted(address, times) == 2 * times


async def test_without_the_lock_it_is(address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "beginning", lambda bounds, scope: [("BEGIN", ()), (SET_SCOPE, scope.parameters)])
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        async with one.transaction() as first, other.transaction() as second:
            for tx in (first, second):
                assert await tx.one("SELECT value FROM counters WHERE name = 'shared'") is None
            await first.run("INSERT INTO counters (name, value) VALUES ('shared', 1) ON CONFLICT (name) DO UPDATE SET value = 1")
            await first.all("SELECT 1 AS one")
        row = await one.one("SELECT value FROM counters WHERE name = 'shared'")
    assert row and row["value"] == 1


async def test_a_process_killed_in_the_middle_of_a_transaction_leaves_nothing_and_holds_nobody_up(
    address: DatabaseAddress,
) -> None:
    stays = (
        "import asyncio, sys\nfrom memory.store.postgresql.database_server import DatabaseAddress\n"
        "from memory.store.postgresql.database import PostgresDatabase\n"
        "async def stay():\n  db = await PostgresDatabase.open(DatabaseAddress(sys.argv[1]), bytes(range(32)))\n  async with db.transaction() as tx:\n"
        f"    await tx.run({INSERT!r}, {{'scope': 'half'}})\n    await tx.all('SELECT 1 AS one')\n"
        "    print('inside', flush=True)\n    await asyncio.Event().wait()\nasyncio.run(stay())\n"
    )
    process = forked.started(stays, address.url)
    assert await asyncio.to_thread(process.stdout.readline) == b"inside\n"
    process.kill()
    await asyncio.to_thread(process.ended)
    async with await PostgresDatabase.open(address, KEY) as db:
        await write(db, "next")
        assert await scopes(db) == ["next"]


async def test_one_at_a_time_runs_on_a_database_until_it_is_closed(
    server: Postgres, address: DatabaseAddress, tmp_path: Path
) -> None:
    async with between(server, tmp_path) as way, await PostgresDatabase.open(address, KEY) as two:
        # A busy server notices late that a connection was closed.
        way.keeps_ends_back = True
        async with await PostgresDatabase.open(by_way(address, way), KEY) as one:
            assert await one.reserve() and await one.reserve()
            assert not await two.reserve()
        assert await two.reserve()


@asynccontextmanager
async def taken_over(
    server: Postgres, address: DatabaseAddress, folder: Path
) -> AsyncIterator[tuple[PostgresDatabase, PostgresDatabase]]:
    """Give a database that was reserved before its server was out of reach, and the one that reserved it meanwhile."""
    async with AsyncExitStack() as stack:
        other = await stack.enter_async_context(await PostgresDatabase.open(address, KEY))
        async with between(server, folder) as way:
            one = await stack.enter_async_context(await PostgresDatabase.open(by_way(address, way), KEY))
            assert await one.reserve()
        (folder / ".s.PGSQL.5432").unlink(missing_ok=True)
        async with asyncio.timeout(PATIENCE):
            while not await other.reserve():
                await asyncio.sleep(0.01)
        await stack.enter_async_context(between(server, folder))
        yield one, other


async def test_who_runs_on_a_database_holds_it_again_after_the_way_there_was_cut(
    server: Postgres, address: DatabaseAddress, tmp_path: Path
) -> None:
    async with (
        between(server, tmp_path) as way,
        await PostgresDatabase.open(by_way(address, way), KEY) as one,
        await PostgresDatabase.open(address, KEY) as other,
    ):
        assert await one.reserve()
        for scope in ("first", "second"):
            way.cut()
            await write(one, scope)
            assert not await other.reserve() and await one.reserve()


async def test_who_was_taken_over_meanwhile_writes_no_more(server: Postgres, address: DatabaseAddress, tmp_path: Path) -> None:
    async with taken_over(server, address, tmp_path) as (one, other):
        with pytest.raises(HomeInUse, match="taken over"):
            await write(one, "late")
        assert not await one.reserve()
        await write(other, "new")
        assert await scopes(other) == ["new"]


async def test_without_looking_who_holds_it_both_write(
    server: Postgres, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def anybody(self: Reservation) -> None: ...

    monkeypatch.setattr(Reservation, "require", anybody)
    async with taken_over(server, address, tmp_path) as (one, other):
        await write(one, "late")
        await write(other, "new")
        assert await scopes(other) == ["late", "new"]
