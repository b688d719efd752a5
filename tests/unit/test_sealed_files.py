"""Files that are sealed, and read once."""

import os
import stat
import time
from pathlib import Path

import pytest

from memory.store import home_files
from memory.store.sealed_files import SealedFiles
from tests.kits.importing import imported, lines
from tests.kits.memory_kit import KEY, at_home, opened

SECRET = b"quixotic-77" * 100


@pytest.fixture
def files(tmp_path: Path) -> SealedFiles:
    """A folder that does not exist yet."""
    return SealedFiles(tmp_path / "left", KEY, 60)


def test_what_is_put_is_taken_once_and_nobody_else_reads_it(files: SealedFiles, tmp_path: Path) -> None:
    assert files.take("a") is None
    files.put("a", b"before")
    files.put("a", SECRET)
    [file] = (tmp_path / "left").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert SECRET[:11] not in file.read_bytes()
    assert (files.take("a"), files.take("a")) == (SECRET, None)
    assert list((tmp_path / "left").iterdir()) == []


def test_the_same_twice_does_not_look_the_same(files: SealedFiles, tmp_path: Path) -> None:
    kept = []
    for _ in range(2):
        files.put("a", SECRET)
        kept.append((tmp_path / "left" / "a").read_bytes())
    assert kept[0] != kept[1]


@pytest.mark.parametrize("at", [0, 12, 28, -1, None])
def test_what_was_changed_or_cut_off_is_refused_and_gone(files: SealedFiles, tmp_path: Path, at: int | None) -> None:
    files.put("a", SECRET)
    file = tmp_path / "left" / "a"
    content = bytearray(file.read_bytes())
    if at is not None:
        content[at] ^= 1
    file.write_bytes(content[:20] if at is None else content)
    with pytest.raises(ValueError, match="cut off" if at is None else "changed"):
        files.take("a")
    assert not file.exists()


def test_what_was_sealed_for_another_name_or_with_another_key_is_refused(files: SealedFiles, tmp_path: Path) -> None:
    files.put("a", SECRET)
    (tmp_path / "left" / "a").rename(tmp_path / "left" / "b")
    with pytest.raises(ValueError, match="another key"):
        files.take("b")
    files.put("a", SECRET)
    with pytest.raises(ValueError, match="another key"):
        SealedFiles(tmp_path / "left", KEY[::-1], 60).take("a")


def test_what_is_too_old_goes_with_the_next_that_is_taken(files: SealedFiles, tmp_path: Path) -> None:
    files.put("a", SECRET)
    files.put("b", SECRET)
    os.utime(tmp_path / "left" / "a", (time.time() - 61,) * 2)
    assert files.take("c") is None
    assert [file.name for file in (tmp_path / "left").iterdir()] == ["b"]


async def test_a_whole_conversation_that_is_forgotten_takes_along_what_was_left(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "long", lines(["my cat is called Turing"]))
        files = SealedFiles(tmp_path / home_files.LEFT, KEY, 60)
        files.put("a", SECRET)
        await here.view.forget_session(await here.view.sessions.find("long"))
        assert list((tmp_path / home_files.LEFT).iterdir()) == []


async def test_its_key_tells_nothing_of_the_memorys(tmp_path: Path) -> None:
    async with opened(tmp_path / "lyra.db") as memory:
        keys = {memory.key_for("connections"), memory.key_for("something else"), memory._key}
        assert len(keys) == 3 and memory.key_for("connections") in keys
