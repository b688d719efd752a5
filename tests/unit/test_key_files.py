"""Where the key of a memory comes from: a file, or a pipe into which somebody writes it."""

import os
from pathlib import Path
from threading import Thread

import pytest

from memory.errors import KeyUnusable
from memory.store import home_files, keys
from tests.kits.memory_kit import KEY


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
