"""Files of a home that are written as a whole, also by several processes at once."""

import asyncio
from pathlib import Path

import pytest

from memory.store import home_files

TIMES = 150


async def test_who_writes_a_file_at_once_does_so_one_after_another_and_each_the_whole_of_it(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    home_files.write_whole(path, b"0" * 200)

    def write(letter: bytes) -> set[bytes]:
        """Write often; return what was read meanwhile."""
        found = set()
        for _ in range(TIMES):
            home_files.write_whole(path, letter * 200)
            found.add(path.read_bytes())
        return found

    read = await asyncio.gather(*(asyncio.to_thread(write, letter) for letter in (b"a", b"b", b"c")))
    assert set().union(*read) <= {letter * 200 for letter in (b"0", b"a", b"b", b"c")}
    assert path.stat().st_mode & 0o777 == 0o600 and [file.name for file in tmp_path.iterdir()] == ["mark"]


def test_what_a_kill_left_of_a_file_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    home_files.unfinished(path).write_bytes(b"half of something longer")
    home_files.unfinished(path).chmod(0o644)
    home_files.write_whole(path, b"whole")
    assert path.read_bytes() == b"whole" and not home_files.unfinished(path).exists()
    assert path.stat().st_mode & 0o777 == 0o600


def test_where_it_cannot_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "mark").mkdir()
    with pytest.raises(OSError, match="directory"):
        home_files.write_whole(tmp_path / "mark", b"whole")
    assert [file.name for file in tmp_path.iterdir()] == ["mark"]
