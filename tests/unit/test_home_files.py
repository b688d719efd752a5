"""Files of a home: the key, from a file or a pipe; those written as a whole; and the tombstones' log, without which nothing is opened."""

import asyncio
import os
from pathlib import Path
from threading import Thread

import pytest

from memory.errors import KeyUnusable, TombstonesDamaged
from memory.store import home_files, keys
from tests.kits.memory_kit import KEY, at_home, opened


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "key")
    return tmp_path / "key"


def test_a_pipe_that_nobody_writes_into_is_named_instead_of_waited_for(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_files, "_PATIENCE_MS", 20)
    with pytest.raises(KeyUnusable, match="cannot be read"):
        keys.load(pipe)
    with pytest.raises(KeyUnusable, match="cannot be read"):
        keys.word(pipe, lambda: "a new one")


def test_a_key_that_is_written_into_a_pipe_is_read(pipe: Path) -> None:
    writing = Thread(target=pipe.write_text, args=[f"{KEY.hex()}\n"])
    writing.start()
    assert keys.load(pipe) == KEY
    writing.join()


def test_a_key_in_a_file_is_read_and_a_folder_is_none(tmp_path: Path) -> None:
    keys.write(tmp_path / "key", KEY.hex())
    assert keys.load(tmp_path / "key") == KEY
    with pytest.raises(KeyUnusable, match="cannot be read"):
        keys.load(tmp_path)


TIMES = 150


async def test_who_writes_a_file_at_once_does_so_one_after_another_and_each_the_whole_of_it(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    home_files.write_atomically(path, b"0" * 200)

    def write(letter: bytes) -> set[bytes]:
        """Write often; return what was read meanwhile."""
        found = set()
        for _ in range(TIMES):
            home_files.write_atomically(path, letter * 200)
            found.add(path.read_bytes())
        return found

    read = await asyncio.gather(*(asyncio.to_thread(write, letter) for letter in (b"a", b"b", b"c")))
    assert set().union(*read) <= {letter * 200 for letter in (b"0", b"a", b"b", b"c")}
    assert path.stat().st_mode & 0o777 == 0o600 and [file.name for file in tmp_path.iterdir()] == ["mark"]


def test_what_a_kill_left_of_a_file_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    home_files.unfinished(path).write_bytes(b"half of something longer")
    home_files.unfinished(path).chmod(0o644)
    home_files.write_atomically(path, b"whole")
    assert path.read_bytes() == b"whole" and not home_files.unfinished(path).exists()
    assert path.stat().st_mode & 0o777 == 0o600


def test_where_it_cannot_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "mark").mkdir()
    with pytest.raises(OSError, match="directory"):
        home_files.write_atomically(tmp_path / "mark", b"whole")
    assert [file.name for file in tmp_path.iterdir()] == ["mark"]


SECRET = "the parrot is called Xerxes"


@pytest.mark.file
@pytest.mark.parametrize("what", ["device", "folder", "pipe"])
async def test_a_log_that_keeps_nothing_is_refused(tmp_path: Path, what: str) -> None:
    log = tmp_path / "tombstones.log"
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        if what == "device":
            log.symlink_to("/dev/null")
        elif what == "folder":
            log.mkdir()
        else:
            os.mkfifo(log)
        with pytest.raises(TombstonesDamaged, match="not a file"):
            await here.view.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET], "nothing is half forgotten"
    with pytest.raises(TombstonesDamaged, match="not a file"):
        async with opened(tmp_path / "lyra.db"):
            pass


async def test_a_log_that_is_a_link_to_a_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "tombstones.log").symlink_to(tmp_path / "elsewhere")
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        assert secret.id in (tmp_path / "elsewhere").read_text()
