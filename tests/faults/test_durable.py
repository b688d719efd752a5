"""What is promised to be on the disk is on the disk before anybody is told so, and a full disk costs nothing that was there."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from memory.errors import DiskFull
from memory.store.cancellation import uncancelled
from memory.store.schema import migrations
from memory.store.sqlite import connecting
from memory.store.sqlite.database import SqliteDatabase
from tests.contract.test_db_schema import as_named_now, made_at
from tests.kits import forked
from tests.kits.memory_kit import KEY, at_home
from tests.kits.size import TORTURE

SECRET = "the parrot is called Xerxes"


async def test_a_commit_waits_until_the_disk_has_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here, here.memory.db.transaction() as tx:
        row = await tx.one("SELECT s.synchronous, j.journal_mode FROM pragma_synchronous s, pragma_journal_mode j")
        assert row is not None and tuple(row) == (2, "wal"), "2 is FULL: the log is synced at every commit"


async def test_where_the_tombstone_cannot_be_synced_nothing_is_forgotten_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        with monkeypatch.context() as broken:
            # A disk that takes every word, and then says that it has none of them.
            broken.setattr(os, "fsync", fails)
            with pytest.raises(DiskFull, match="Nothing was forgotten"):
                await here.view.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET]
        await here.view.forget_message(secret.id)
        assert await here.found("Xerxes") == []


OPEN = """
import asyncio, concurrent.futures.thread, resource, sys
from pathlib import Path
from memory.store.cancellation import uncancelled
from memory.store.sqlite.database import SqliteDatabase
from memory.errors import MemoryFailure
from tests.kits.memory_kit import KEY

async def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    async with await SqliteDatabase.open(Path(sys.argv[1]), KEY):
        print("opened")

try:
    asyncio.run(main())
except MemoryFailure as error:
    print(type(error).__name__, error)
"""


def opened(path: Path, limit: int) -> str:
    """Open a memory in a process that can make no file longer than `limit` bytes; return what that said, which is one line."""
    (line,) = forked.ran(OPEN, path, limit).splitlines()
    return line


async def state(path: Path) -> tuple[int, dict[str, int]]:
    """Return the version of a memory, without bringing it up to date, and how many rows its tables hold; all of it is sound."""
    reader = await connecting.connect(path, KEY, ())
    try:
        assert [tuple(row) for row in await reader.execute_fetchall("PRAGMA integrity_check")] == [("ok",)]
        ((version,),) = [tuple(row) for row in await reader.execute_fetchall("SELECT max(version) FROM migrations")]
        tables = [row["name"] for row in await reader.execute_fetchall("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counted = {}
        for table in tables:
            ((counted[table],),) = [tuple(row) for row in await reader.execute_fetchall(f"SELECT count(*) FROM {table}")]
        return version, counted
    finally:
        await uncancelled(reader.close())


async def test_a_disk_that_fills_up_while_a_memory_is_brought_up_to_date_costs_nothing_of_it(tmp_path: Path) -> None:
    steps = migrations()[:5]
    outcomes = set()
    for n, room in enumerate(range(0, 900_000, 4_000 if TORTURE else 400_000)):
        path = tmp_path / f"{n}.db"
        held = await made_at(path, steps)
        printed = await asyncio.to_thread(opened, path, path.stat().st_size + room)
        outcomes.add(printed.split()[0])
        version, counted = await state(path)
        assert version >= 5, "a step is done whole or not at all"
        kept, now = as_named_now(held), as_named_now(counted)
        assert all(now[table] == n for table, n in kept.items() if table not in ("migrations", "terms"))
        async with await SqliteDatabase.open(path, KEY) as db:
            await db.verify()
    assert outcomes == {"DiskFull", "opened"}
