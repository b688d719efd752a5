"""The log in a file: rotated, for its owner alone, with the words of nobody."""

import stat
from pathlib import Path

import pytest

from bot.service import log
from bot.service.log_file import LogFile, newest


def test_it_is_readable_by_its_owner_alone_and_has_what_the_screen_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / log.FILE
    log.configure("info", path)
    log.log.on_screen = True
    log.log.info("something.happened", number=7, text="my secret wish")
    log.configure("warning")
    log.log.warning("something.else")
    assert path.read_text("utf-8") == capsys.readouterr().err.splitlines(keepends=True)[0]
    assert "number=7" in path.read_text("utf-8") and "secret" not in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_screen_can_be_left_to_a_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / log.FILE
    log.configure("info", path)
    log.log.on_screen = False
    log.log.info("something.happened")
    log.configure("warning")
    assert capsys.readouterr().err == ""
    assert "something.happened" in path.read_text("utf-8")


def test_it_takes_no_more_than_four_mebibytes_and_the_newest_lines_come_last(tmp_path: Path) -> None:
    path = tmp_path / log.FILE
    file = LogFile(path)
    for number in range(60):
        file.write(f"{number} " + "x" * 100_000)
    file.close()
    files = sorted(one.name for one in tmp_path.iterdir())
    assert files == ["lyra.log", "lyra.log.1", "lyra.log.2", "lyra.log.3"]
    assert all(one.stat().st_size <= 1 << 20 and stat.S_IMODE(one.stat().st_mode) == 0o600 for one in tmp_path.iterdir())
    assert [int(line.split()[0]) for line in newest(path, 12)] == list(range(48, 60))


def test_nothing_is_written_where_there_is_no_home_yet(tmp_path: Path) -> None:
    LogFile(tmp_path / "later" / log.FILE).write("something.happened")
    assert list(tmp_path.iterdir()) == []
