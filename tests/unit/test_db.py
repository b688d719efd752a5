"""A transaction is kept whole or not at all, wherever its task is cancelled; a cancelled read holds nobody up."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext, suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from memory.errors import MemoryFailure
from memory.store.bounds import Bounds
from memory.store.cancellation import uncancelled
from memory.store.database import Parameters, Row, Transaction
from memory.store.domains import reserve_numbers
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.transaction import SqliteTransaction
from memory.store.sqlite.write_queue import FileSharing
from tests.fakes.pulse import PATIENCE
from tests.kits.memory_kit import KEY, cancelled_at

COUNT = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT count(*) AS n FROM n"
COUNTED = f"SELECT n FROM ({COUNT})"
PROMPT = 2.0


class BeginOutside(SqliteDatabase):
    """The twin without the guard: BEGIN stands before the `try`."""

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[SqliteTransaction]:
        async with self._writing.turn(first=first):
            await (tx := SqliteTransaction(self._writer, self._file, self._log, self._queue)).all("SELECT 1 AS begun")
            try:
                yield tx
                await uncancelled(tx.commit())
            except BaseException:
                await uncancelled(self._roll_back())
                raise


class ForgetsCancelling(SqliteDatabase):
    """The twin that rolls back for errors only, and a cancellation is none."""

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[SqliteTransaction]:
        async with self._writing.turn(first=first):
            try:
                await (tx := SqliteTransaction(self._writer, self._file, self._log, self._queue)).all("SELECT 1 AS begun")
                yield tx
                await tx.commit()
            except Exception:
                await self._roll_back()
                raise


class LetsReadsRun(SqliteDatabase):
    """The twin that leaves a cancelled read running."""

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        async with self._reading:
            return list(await self._reader.execute_fetchall(sql, parameters or {}))


class ReadsWhereItWrites(SqliteDatabase):
    """The twin that reads through the connection that writes for as long as it takes."""

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        async with self._writing.turn():
            return list(await self._writer.execute_fetchall(sql, parameters or {}))


async def pair(db: SqliteDatabase, name: str) -> None:
    """Write two rows that belong together."""
    async with db.transaction() as tx:
        for half in "ab":
            await tx.run("INSERT INTO settings (scope, key, value) VALUES (:s, :k, '')", {"s": name, "k": half})


async def whole(db: SqliteDatabase) -> bool:
    """Say whether only whole pairs are visible and the next transaction works."""
    halves = await db.all("SELECT scope, count(*) AS n FROM settings GROUP BY scope")
    try:
        await pair(db, f"next after {len(halves)}")
    except MemoryFailure:
        return False
    except Exception:  # noqa: BLE001 - a raw error of the library, from a twin
        return False
    return all(row["n"] == 2 for row in halves)


async def broken_steps(folder: Path, kind: type[SqliteDatabase], *, behind: int = 0) -> list[int]:
    """Cancel a transaction at its first wait, its second and so on; return where something was left half done."""
    broken = []
    for n in range(1, 100):
        db = await kind.open(folder / f"{kind.__name__}-{n}.db", KEY)
        slow = asyncio.create_task(db._writer.execute_fetchall(COUNT.format(behind))) if behind else None
        await asyncio.sleep(0)
        reached = await cancelled_at(n, pair(db, "cancelled"))
        if not await whole(db):
            broken.append(n)
            await db._roll_back()
        if slow:
            await slow
        await db.close()
        if not reached:
            return broken
    raise AssertionError("the transaction never ended")


@pytest.mark.parametrize("behind", [0, 30_000], ids=["at once", "behind a slow statement"])
async def test_a_transaction_cancelled_anywhere_leaves_nothing_half_done(tmp_path: Path, behind: int) -> None:
    assert await broken_steps(tmp_path, SqliteDatabase, behind=behind) == []


async def test_with_begin_outside_the_try_a_cancel_leaves_the_transaction_open(tmp_path: Path) -> None:
    assert 1 in await broken_steps(tmp_path, BeginOutside)


async def test_without_the_guard_for_cancelling_a_cancel_leaves_the_transaction_open(tmp_path: Path) -> None:
    assert await broken_steps(tmp_path, ForgetsCancelling) != []


async def test_a_transaction_cancelled_while_it_waits_for_its_turn_never_begins(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        async with db.transaction() as tx:
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('first', 'a', '')")
            waiting = asyncio.create_task(pair(db, "waiting"))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('first', 'b', '')")
        assert [row["scope"] for row in await db.all("SELECT DISTINCT scope FROM settings")] == ["first"]
        assert await whole(db)


async def test_a_transaction_cancelled_once_and_again_while_it_is_undone_is_undone(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        inside = asyncio.Event()

        async def stay() -> None:
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'a', '')")
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(stay())
        await inside.wait()
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await db.all("SELECT * FROM settings") == []
        assert await whole(db)


async def test_an_error_inside_undoes_the_transaction_and_travels_on(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        with pytest.raises(LookupError, match="mine"):
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'a', '')")
                raise LookupError("mine")
        assert await db.all("SELECT * FROM settings") == []
        assert await whole(db)


@pytest.mark.parametrize("turns", range(8))
async def test_a_single_cancellation_before_the_commit_has_come_back_is_raised(turns: int) -> None:
    done = asyncio.get_running_loop().create_future()
    went_on = []

    async def work() -> None:
        await done

    async def caller() -> None:
        await uncancelled(work())
        went_on.append(True)

    task = asyncio.create_task(caller())
    for _ in range(3):
        await asyncio.sleep(0)
    done.set_result(None)
    for _ in range(turns):
        await asyncio.sleep(0)
    if task.cancel():
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not went_on
    else:
        assert went_on


async def begun(db: SqliteDatabase, sql: str) -> asyncio.Task[list[Row]]:
    """Start a read and return when it is running."""
    running = threading.Event()
    await db._reader.create_function("running", 0, running.set)
    task = asyncio.create_task(db.all(f"WITH r (r) AS (SELECT running()) SELECT r, ({sql}) AS n FROM r"))
    assert await asyncio.to_thread(running.wait, PROMPT)
    return task


async def next_read_is_prompt(db: SqliteDatabase, task: asyncio.Task[list[Row]], patience: float) -> bool:
    """Cancel a read; say whether the next one comes back in time."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    try:
        async with asyncio.timeout(patience):
            return [row["n"] for row in await db.all("SELECT 7 AS n")] == [7]
    except TimeoutError:
        return False


async def test_a_cancelled_read_is_interrupted_and_the_next_does_not_wait(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        assert await next_read_is_prompt(db, await begun(db, COUNT.format(10**9)), PROMPT)


async def test_a_cancelled_read_that_is_left_running_holds_the_next_one_up(tmp_path: Path) -> None:
    async with await LetsReadsRun.open(tmp_path / "lyra.db", KEY) as db:
        assert not await next_read_is_prompt(db, await begun(db, COUNT.format(10**9)), 0.2)
        await db._reader.interrupt()


@pytest.mark.parametrize("sql", [COUNT, COUNTED])
async def test_a_read_cancelled_before_it_began_does_not_hold_the_next_one_up(tmp_path: Path, sql: str) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        for _ in range(20):
            assert await cancelled_at(1, db.all(sql.format(10**9)))
            async with asyncio.timeout(PROMPT):
                assert [row["n"] for row in await db.all("SELECT 7 AS n")] == [7]


async def written_meanwhile(db: SqliteDatabase, patience: float) -> bool:
    """Say whether something can be written in time while a long read goes on."""
    reading = asyncio.create_task(db.all(COUNTED.format(10**9)))
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(patience):
            await pair(db, "meanwhile")
        return not reading.done()
    except TimeoutError:
        return False
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading


async def test_a_long_read_finds_all_of_it_and_holds_up_nobody_who_writes(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        assert [row["n"] for row in await db.all(COUNTED.format(100_000))] == [100_000]
        assert await written_meanwhile(db, PROMPT)


async def test_a_long_read_without_the_guard_holds_up_who_writes(tmp_path: Path) -> None:
    async with await ReadsWhereItWrites.open(tmp_path / "lyra.db", KEY) as db:
        assert not await written_meanwhile(db, 0.2)
        await db._writer.interrupt()


async def test_who_reads_again_and_again_lets_others_have_their_turn(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        turns = count()

        async def others() -> None:
            while next(turns) < 1_000:
                await asyncio.sleep(0)

        beside = asyncio.create_task(others())
        for _ in range(10):
            await db.all("SELECT 7 AS n")
        assert next(turns) >= 10
        await beside


@pytest.mark.parametrize("fails", [False, True])
async def test_what_is_done_in_one_trip_is_kept_whole_or_not_at_all(tmp_path: Path, fails: bool) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:

        async def halves(tx: Transaction) -> list[Row]:
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'a', '')")
            found = await tx.all("SELECT key FROM settings")
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'b', '')")
            if fails:
                raise ValueError
            return found

        with pytest.raises(ValueError) if fails else nullcontext():
            async with db.transaction() as tx:
                assert [row["key"] for row in await tx.finish(lambda: halves(tx))] == ["a"]
        assert [row["key"] for row in await db.all("SELECT key FROM settings ORDER BY key")] == ([] if fails else ["a", "b"])
        assert await whole(db)


async def test_nothing_is_written_by_what_is_read(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        with pytest.raises(MemoryFailure):
            await db.all("INSERT INTO settings (scope, key, value) VALUES ('s', 'k', '') RETURNING value")
        assert await db.all("SELECT value FROM settings") == []


async def test_a_copy_made_while_a_transaction_is_open_waits_for_it_and_holds_it(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", None) as db:
        async with asyncio.timeout(PATIENCE):
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'a', '')")
                copying = asyncio.create_task(db.copy_to(tmp_path / "copy.db", None, lambda *_: None))
                for _ in range(50):  # turns enough for the copy to begin, if nothing holds it
                    await db.all("SELECT 1")
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', 'b', '')")
            await copying
    async with await SqliteDatabase.open(tmp_path / "copy.db", None) as copy:
        assert len(await copy.all("SELECT * FROM settings")) == 2


async def test_a_copy_tells_how_far_it_is_and_holds_one_state_whatever_another_process_writes(tmp_path: Path) -> None:
    path, told = tmp_path / "lyra.db", list[tuple[int, int]]()
    write = "INSERT INTO settings (scope, key, value) VALUES ('s', hex(randomblob(8)), hex(zeroblob(2000000)))"

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        with closing(sqlite3.connect(path)) as another:
            another.execute(write)
            another.commit()

    async with await SqliteDatabase.open(path, None) as db:
        for _ in range(4):
            async with db.transaction() as tx:
                await tx.run(write)
        await db.copy_to(tmp_path / "copy.db", None, tell)
        assert len(await db.all("SELECT key FROM settings")) == 4 + len(told)
    done = [one for one, _ in told]
    assert done == sorted(done) and done[0] == 0 and told[-1][0] == told[-1][1] > 4_000_000 and 4 <= len(done) < 20
    async with await SqliteDatabase.open(tmp_path / "copy.db", None) as copy:
        assert len(await copy.all("SELECT key FROM settings")) == 4


async def test_numbers_of_a_counter_are_never_given_twice(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:

        async def three(_: int) -> list[int]:
            async with db.transaction() as tx:
                first = await reserve_numbers(tx, "item", 3)
                return list(range(first, first + 3))

        taken = [number for batch in await asyncio.gather(*map(three, range(20))) for number in batch]
        assert len(set(taken)) == 60


async def test_a_file_is_opened_beside_a_long_write(tmp_path: Path) -> None:
    path = tmp_path / "lyra.db"
    async with await SqliteDatabase.open(path, KEY) as writing, writing.transaction() as tx:
        await tx.run("INSERT INTO settings (scope, key, value) VALUES ('a', 'b', 'c')")
        async with await SqliteDatabase.open(path, KEY) as reading:
            assert await reading.all("SELECT * FROM settings") == []


async def test_what_was_given_up_before_it_began_leaves_no_transaction_open(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        async with db.transaction() as tx:
            reading = asyncio.ensure_future(tx.all("SELECT 1 AS one"))
            await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait({reading})
        await pair(db, "next")
        async with db.transaction() as tx:
            assert len(await tx.finish(partial(tx.all, "SELECT * FROM settings WHERE scope = 'next'"))) == 2
        await pair(db, "after")


async def writes_on(db: SqliteDatabase, name: str, begun: asyncio.Event, written: list[str]) -> None:
    """Write one transaction right after the other, as an import does."""
    for n in count():
        async with db.transaction() as tx:
            await tx.run("INSERT INTO settings (scope, key, value) VALUES (:s, :k, '')", {"s": name, "k": str(n)})
            await tx.all("SELECT 1 AS one")
            begun.set()
            # What is read of the words of a batch takes its time while the file is locked.
            await asyncio.sleep(0.2)
        written.append("import")


@pytest.mark.file
async def test_a_short_write_comes_between_those_of_two_imports(tmp_path: Path) -> None:
    """SQLite serves whoever looks at the right moment: between two imports that was nobody else for half a minute."""
    path, written, begun = tmp_path / "lyra.db", list[str](), asyncio.Event()
    async with (
        await SqliteDatabase.open(path, KEY, FileSharing(yields=True)) as one,
        await SqliteDatabase.open(path, KEY, FileSharing(yields=True)) as another,
        await SqliteDatabase.open(path, KEY) as short,
        asyncio.TaskGroup() as imports,
    ):
        tasks = [imports.create_task(writes_on(db, name, begun, written)) for name, db in (("one", one), ("another", another))]
        await begun.wait()
        for n in range(6):
            await pair(short, str(n))
            written.append("short")
        for task in tasks:
            task.cancel()
    assert written.count("short") == 6 and written.count("import") <= 12


@pytest.mark.file
async def test_who_waits_for_another_process_is_told_so(tmp_path: Path) -> None:
    path, told = tmp_path / "lyra.db", asyncio.Event()
    sharing = FileSharing(tell_wait=told.set)
    async with await SqliteDatabase.open(path, KEY) as db, await SqliteDatabase.open(path, KEY, sharing) as waiting:
        async with db.transaction() as tx:
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('a', 'b', 'c')")
            await tx.all("SELECT 1 AS one")
            short = asyncio.create_task(pair(waiting, "short"))
            async with asyncio.timeout(PATIENCE):
                await told.wait()
            assert not short.done()
        await short
        assert len(await waiting.all("SELECT key FROM settings WHERE scope = 'short'")) == 2
