"""What stands beside the memory for a while: memories that were set aside, backups under way, keys in the making."""

import asyncio
import errno
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.service.sweeping import Sweeper
from memory.errors import BackupFailed, KeyUnusable
from memory.journal import ledger
from memory.store import keys, restoring
from memory.store.backup import Unfinished
from memory.types import MINUTE
from tests.kits.memory_kit import DAY, KEY, Clock, at_home, cornered, opened

pytestmark = pytest.mark.file


async def restored(folder: Path, now: int, said: str = "said before the backup") -> Path:
    """Say something, and put a backup in its place; return where the old memory is."""
    path = folder / "lyra.db"
    async with at_home(folder) as here:
        await here.say(said)
        await here.memory.backup(folder / f"{said}.lyra")
        await here.say("said after it")
    told: list[tuple[int, int]] = []
    await restoring.stage(folder / f"{said}.lyra", KEY, path, lambda done, total: told.append((done, total)))
    assert told[-1] == ((folder / f"{said}.lyra").stat().st_size,) * 2
    restoring.decide(path)
    aside = restoring.finish(path, now)
    assert aside is not None and restoring.set_aside(path) == [aside]
    assert 7 * DAY <= aside.until - now < 7 * DAY + MINUTE
    return aside.path


def today() -> int:
    """Return the present instant: files know no other."""
    return time.time_ns() // 1000


@pytest.mark.parametrize("name", ["tombstones.log", "lyra.db-journal", "lyra.db.restored", "lyra.db.before-restore-7"])
async def test_a_backup_takes_no_name_of_the_memorys_own_files(tmp_path: Path, name: str) -> None:
    async with at_home(tmp_path) as here:
        with pytest.raises(BackupFailed, match="taken for a file of the memory itself"):
            await here.memory.backup(tmp_path / name)
        (tmp_path / "elsewhere").mkdir()
        for free in (tmp_path / "elsewhere" / name, tmp_path / "lyra.db.copy"):
            assert await here.memory.backup(free) == 0


async def test_a_memory_set_aside_is_dropped_after_a_week_with_its_log_and_nothing_else(tmp_path: Path) -> None:
    now = today()
    aside = await restored(tmp_path, now)
    aside.with_name(f"{aside.name}-wal").touch()
    mine = aside.with_name(f"{aside.name}.mine")
    mine.touch()
    clock = Clock(now + 6 * DAY)
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        await Sweeper(memory, clock).sweep()
        assert aside.exists()
        clock.forward(DAY + MINUTE)
        await Sweeper(memory, clock).sweep()
        assert not aside.exists() and not aside.with_name(f"{aside.name}-wal").exists() and mine.exists()
        assert restoring.set_aside(memory.path) == []
        told = await ledger.happenings(memory.db, 0)
        assert [(one.kind, one.detail) for one in told] == [("restore dropped", {"file": aside.name})]


async def test_what_was_set_aside_can_be_put_back_with_what_was_said_last(tmp_path: Path) -> None:
    path, clock = tmp_path / "lyra.db", Clock()
    async with cornered(path, clock=clock) as here:
        await here.say("said long ago")
        await here.memory.db.checkpoint()
        await here.say("said last")
        shutil.copytree(tmp_path, tmp_path / "cut off")
    path = tmp_path / "cut off" / "lyra.db"
    aside = path.with_name("lyra.db.before-restore-1")
    for suffix in ("", "-wal"):
        path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    assert await restoring.stage(aside, KEY, path) == 2


async def test_a_backup_that_runs_is_let_alone_and_one_that_does_not_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    unfinished = Unfinished(tmp_path / "lyra.db")
    with unfinished.temporary_file(tmp_path / "elsewhere" / "mine.lyra") as running:
        unfinished.clear()
        assert running.exists()
        # What a killed one leaves: its part, and a note of it that nobody holds.
        left = running.with_name("other.lyra.0123.part")
        shutil.copy(running, left)
        (tmp_path / "backups" / "0123").write_text(str(left))
        precious = tmp_path / "precious.part"
        precious.touch()
        (tmp_path / "backups" / "4567").write_text(str(precious))
        unfinished.clear()
        assert running.exists() and not left.exists() and precious.exists()
    assert not running.exists() and list((tmp_path / "backups").iterdir()) == []


@pytest.mark.parametrize("how", ["broken off", "no room"])
async def test_a_backup_that_comes_to_nothing_leaves_nothing(tmp_path: Path, how: str) -> None:
    (tmp_path / "home").mkdir()
    async with at_home(tmp_path / "home") as here:
        target = tmp_path / "copy.lyra"
        if how == "broken off":
            task = asyncio.create_task(here.memory.backup(target))
            while not list(tmp_path.glob("*.part")):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            (tmp_path / "full").mkdir()
            with pytest.raises(BackupFailed):
                await here.memory.backup(tmp_path / "full" / "no" / "copy.lyra")
        assert list(tmp_path.glob("**/*.part")) == [] and not target.exists()


def test_who_makes_a_key_at_the_same_time_gets_the_same(tmp_path: Path) -> None:
    for n in range(20):
        path = tmp_path / str(n) / "key"
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(keys.make, [path] * 8))) == 1
        assert [file.name for file in path.parent.iterdir()] == ["key"]


def test_an_empty_key_of_a_disk_that_was_full_is_made_anew_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.touch()
    assert keys.make(path) == keys.load(path)
    path.write_text("ab", "ascii")
    with pytest.raises(KeyUnusable):
        keys.make(path)
    assert path.read_text("ascii") == "ab"


@pytest.mark.parametrize("before", ["", "ab" * 32])
def test_a_key_takes_its_place_once_the_disk_has_it_and_until_then_the_one_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    path = tmp_path / "key"
    if before:
        keys.write(path, before)

    def refuse(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="error"):
            keys.write(path, "cd" * 32)
    assert [(file.name, file.read_text("ascii")) for file in tmp_path.iterdir()] == ([("key", f"{before}\n")] if before else [])
    keys.write(path, "cd" * 32)
    assert keys.load(path) == bytes.fromhex("cd" * 32)


def test_a_full_disk_is_told_with_what_to_do() -> None:
    told = str(restoring.reason(OSError(errno.ENOSPC, "No space left on device")))
    assert told == "no room is left on the disk. Free some and try again."
