"""A memory that went back to an older state: what was confirmed and is not there is told, and nothing that is not certain."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.core import Memory, Ports
from memory.errors import MemoryOutdated
from memory.store import restoring
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.kept_commits import KeptCommits
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from tests.kits.fresh import server as shared
from tests.kits.memory_kit import KEY, Clock, Ids

INSERT = "INSERT INTO settings (scope, key, value) VALUES (:scope, '', '')"


@pytest.fixture
def names() -> Iterator[tuple[str, str]]:
    """The names of two databases that are gone afterwards: the one that is used, and an older state of it."""
    names = f"newer{os.getpid()}", f"older{os.getpid()}"
    yield names
    for name in names:
        shared().drop(name)


async def write(db: PostgresDatabase, scope: str) -> None:
    """Keep something."""
    async with db.transaction() as tx:
        await tx.run(INSERT, {"scope": scope})


async def taken_over_from(names: tuple[str, str], db: PostgresDatabase) -> None:
    """Have another server take over that lacks what was kept last: under the name of the database there is an older state of it."""
    used, older = names
    await write(db, "before")
    shared().ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{used}'")
    shared().make(older, like=used)
    await write(db, "lost")
    assert not db.outdated.is_set() and await db.lacking("this", await db.kept_commits()) == 0
    shared().drop(used)
    shared().ask(f"ALTER DATABASE {older} RENAME TO {used}")


@pytest.mark.parametrize("looks", [True, False], ids=["", "the twin"])
async def test_a_server_that_lacks_what_was_kept_is_found_out_and_nothing_more_is_kept_there(
    names: tuple[str, str], tmp_path: Path, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not looks:

        async def blind(self: KeptCommits, connection: PipelinedConnection) -> None: ...

        monkeypatch.setattr(KeptCommits, "check", blind)
    async with await PostgresDatabase.open(shared().make(names[0]), KEY) as db:
        db.holders(tmp_path, "this")
        await taken_over_from(names, db)
        refused = None
        try:
            await write(db, "after")
        except MemoryOutdated as error:
            refused = error
        assert (refused is not None, db.outdated.is_set()) == (looks, looks)
        assert [row["scope"] for row in await db.all("SELECT scope FROM settings ORDER BY scope")] == (
            ["before"] if looks else ["after", "before"]
        )
        assert (await db.lacking("this", await db.kept_commits()) > 0) == looks


async def test_what_a_file_lost_that_was_replaced_by_an_older_one_is_told_once_and_stays_known(tmp_path: Path) -> None:
    path, older, clock = tmp_path / "lyra.db", tmp_path / "older.db", Clock()
    for scope in ("before", "lost"):
        async with await Memory.open(path, KEY, Ports(clock, Ids())) as memory:
            assert await memory.marks.compare() is None
            async with memory.db.transaction() as tx:
                await tx.run(INSERT, {"scope": scope})
            await memory.marks.note()
            await memory.db.checkpoint()
        if scope == "before":
            shutil.copy(path, older)
    until = clock.now()
    shutil.copy(older, path)
    async with await Memory.open(path, KEY, Ports(clock, Ids())) as memory:
        lost = await memory.marks.compare()
        assert lost is not None and (lost.commits, lost.until) == (1, until)
        assert await memory.marks.compare() is None and memory.marks.last_loss() == lost


@pytest.mark.parametrize("moved_away", [True, False], ids=["restored", "another memory"])
async def test_what_is_put_in_its_place_on_purpose_has_lost_nothing(tmp_path: Path, moved_away: bool) -> None:
    path, clock = tmp_path / "lyra.db", Clock()
    async with await Memory.open(path, KEY, Ports(clock, Ids())) as memory:
        for scope in ("one", "two"):
            async with memory.db.transaction() as tx:
                await tx.run(INSERT, {"scope": scope})
        await memory.marks.note()
    if moved_away:
        restoring.put_aside(path, clock.now())
    else:
        path.unlink()
    async with await Memory.open(path, KEY, Ports(clock, Ids("other"))) as memory:
        assert await memory.marks.compare() is None and memory.marks.last_loss() is None
