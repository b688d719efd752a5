"""A log that is not the file's own is refused before anything is read from it or written; the file's own is taken, however torn."""

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from memory.errors import ForeignLog
from memory.store import home_files
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.memory_kit import KEY
from tests.kits.size import TORTURE, few

OTHER_KEY = bytes(reversed(KEY))
LOG = "lyra.db-wal"


class TrustsTheLog(SqliteDatabase):
    """The twin that takes whatever log stands there, as SQLite does."""

    @staticmethod
    def _prepare(path: Path, key: bytes | None) -> None:
        home_files.make_private(path)


async def say(db: SqliteDatabase, scope: str, value: str = "", n: int = 1) -> None:
    """Keep something under a name, in one transaction."""
    async with db.transaction() as tx:
        for at in range(n):
            row = {"s": scope, "k": str(at), "v": value}
            await tx.run(
                "INSERT INTO settings (scope, key, value) VALUES (:s, :k, :v) "
                "ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value",
                row,
            )


def snapshot(home: Path, to: Path) -> None:
    """Copy the file and its log as they are now."""
    to.mkdir()
    for name in ("lyra.db", LOG):
        shutil.copy(home / name, to / name)


async def moments(folder: Path, key: bytes | None = KEY, extra: str = "") -> list[str]:
    """Let a memory live under `folder`, and return the names of the moments at which it was copied, each with a log."""
    home = folder / "home"
    home.mkdir(parents=True)
    async with await SqliteDatabase.open(home / "lyra.db", key) as db:
        if extra:
            async with db.transaction() as tx:
                await tx.run(extra)
        await say(db, "before")
        await db.checkpoint()
        await say(db, "first", "x" * 500, 50)
        snapshot(home, folder / "1")
        await db.checkpoint()
        await say(db, "first", "y" * 500, 50)
        await say(db, "second")
        snapshot(home, folder / "2")
        await db.checkpoint()
        await say(db, "third", "z" * 500, 500)
        await db.checkpoint()
        await say(db, "fourth")
        await say(db, "fifth")
        snapshot(home, folder / "3")
    return ["1", "2", "3"]


def mixed(folder: Path, file: Path, log: Path) -> Path:
    """Put the file of one moment beside the log of another; return where the file is."""
    folder.mkdir()
    shutil.copy(file / "lyra.db", folder)
    shutil.copy(log / LOG, folder)
    return folder / "lyra.db"


async def held(kind: type[SqliteDatabase], path: Path, key: bytes | None = KEY) -> dict[str, str]:
    """Open a memory and return what it holds under each name, read whole."""
    async with await kind.open(path, key) as db:
        await db.verify()
        rows = await db.all("SELECT scope, count(*) AS n, min(value) AS v, max(value) AS w FROM settings GROUP BY scope")
        return {row["scope"]: f"{row['n']}{row['v'][:1]}{row['w'][:1]}" for row in rows}


FIRST = {"before": "1", "first": "50xx"}
SECOND = {"before": "1", "first": "50yy", "second": "1"}
THIRD = {**SECOND, "third": "500zz", "fourth": "1", "fifth": "1"}
OWN = {"1": FIRST, "2": SECOND, "3": THIRD}
SWAPS = [("3", "2"), ("3", "1"), ("1", "3"), ("1", "2"), ("2", "3")]


@pytest.mark.parametrize("key", [KEY, None], ids=["encrypted", "plain"])
async def test_a_log_of_another_moment_is_refused_and_changes_nothing(tmp_path: Path, key: bytes | None) -> None:
    await moments(tmp_path / "a", key)
    for file, log in SWAPS:
        path = mixed(tmp_path / f"{file}{log}", tmp_path / "a" / file, tmp_path / "a" / log)
        before = path.read_bytes(), path.with_name(LOG).read_bytes()
        for _ in range(2):
            with pytest.raises(ForeignLog, match="does not belong"):
                await held(SqliteDatabase, path, key)
        assert (path.read_bytes(), path.with_name(LOG).read_bytes()) == before
        shutil.copy(tmp_path / "a" / file / LOG, path.with_name(LOG))
        assert await held(SqliteDatabase, path, key) == OWN[file], "with its own log put back all of it is there"


@pytest.mark.parametrize("other", [KEY, OTHER_KEY], ids=["of the same key", "of another key"])
@pytest.mark.parametrize("extra", ["", "CREATE TABLE more (x)"], ids=["grown alike", "grown otherwise"])
async def test_a_log_of_another_memory_is_refused_and_changes_nothing(tmp_path: Path, other: bytes, extra: str) -> None:
    await moments(tmp_path / "a")
    for log in few(await moments(tmp_path / "b", other, extra), 1):
        path = mixed(tmp_path / f"mixed{log}", tmp_path / "a" / "3", tmp_path / "b" / log)
        before = path.read_bytes()
        with pytest.raises(ForeignLog):
            await held(SqliteDatabase, path)
        assert path.read_bytes() == before
        path.with_name(LOG).unlink()
        assert await held(SqliteDatabase, path) == {name: what for name, what in THIRD.items() if name not in ("fourth", "fifth")}


async def test_a_log_that_was_folded_in_already_is_the_files_own(tmp_path: Path) -> None:
    await moments(tmp_path / "a")
    assert await held(SqliteDatabase, mixed(tmp_path / "mixed", tmp_path / "a" / "2", tmp_path / "a" / "1")) == FIRST


async def test_without_the_look_at_the_log_an_older_one_brings_old_pages_back_in_silence(tmp_path: Path) -> None:
    await moments(tmp_path / "a")
    path = mixed(tmp_path / "mixed", tmp_path / "a" / "3", tmp_path / "a" / "1")
    assert await held(TrustsTheLog, path) == FIRST


async def test_without_the_look_at_the_log_another_memorys_is_written_over_the_file(tmp_path: Path) -> None:
    await moments(tmp_path / "a")
    await moments(tmp_path / "b", OTHER_KEY)
    path = mixed(tmp_path / "mixed", tmp_path / "a" / "3", tmp_path / "b" / "1")
    before = path.read_bytes()
    with pytest.raises(Exception, match="key"):
        await held(TrustsTheLog, path)
    assert path.read_bytes() != before


async def test_the_own_log_is_taken_however_it_was_cut_off(tmp_path: Path) -> None:
    await moments(tmp_path / "a")
    own = (tmp_path / "a" / "3" / LOG).read_bytes()
    chance = random.Random(5)
    before, between = dict(THIRD), dict(THIRD)
    del before["fourth"], before["fifth"], between["fifth"]
    lengths = {0, 1, 31, 32, 33, len(own), *(chance.randrange(len(own)) for _ in range(200 if TORTURE else 6))}
    seen = []
    for n in sorted(lengths):
        path = mixed(tmp_path / f"cut{n}", tmp_path / "a" / "3", tmp_path / "a" / "3")
        path.with_name(LOG).write_bytes(own[:n])
        seen.append(await held(SqliteDatabase, path))
    assert seen[0] == before and seen[-1] == THIRD
    assert all(one in (before, between, THIRD) for one in seen), "what was committed first is there first"


async def test_a_database_whose_closing_is_cancelled_is_closed_in_whole(tmp_path: Path) -> None:
    path = tmp_path / "lyra.db"
    db = await SqliteDatabase.open(path, None)
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    # The last connection that closes takes the log along.
    assert [file.name for file in tmp_path.glob("lyra.db*")] == [path.name]
