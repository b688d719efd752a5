"""Long work tells how far it is at a terminal, and what was told is gone when it is done; piped, quick work says nothing of it."""

from pathlib import Path

import pytest

from tests.kits.lyra_kit import Home
from tests.kits.lyra_terminal import CTRL_C, Terminal

TOLD = {
    "import": "Imported lines:", "backup": "Copied MB:", "restore": "Copied MB:", "dream": "Gone through conversations:",
    "key": "Copied MB:",
}  # fmt: skip
NARROW = 34
WAITS = {"setup": "[", "web": "minutes."}
SAID = {
    "setup": "Ctrl-C leaves everything as it is.", "import": "Imported 0 messages in 1 conversation; 3 were here already.", "dream": "Private conversation on this machine:",
    "web": "Lyra serves this page until Ctrl-C. The link works once, within ten minutes.",
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which something was said, with a backup of it and a file to import."""
    home = Home(tmp_path).begun()
    (home.folder / "other.jsonl").write_text('{"content": "my cat is called Turing"}\n' * 3, "utf-8")
    assert home.lyra("import", "other.jsonl").code == 0
    assert home.lyra("backup", "copy.lyra").err == ""
    return home


@pytest.mark.first
@pytest.mark.parametrize(
    "words",
    [
        ("import", "other.jsonl"),
        ("backup", "second.lyra"),
        ("restore", "copy.lyra", "--yes"),
        ("dream", "--force"),
        ("key", "rotate"),
    ],
)
def test_long_work_tells_how_far_it_is_where_somebody_watches(home: Home, words: tuple[str, ...]) -> None:
    command, *options = words
    with Terminal(home, *options, command=command) as terminal:
        assert terminal.end() == 0
        assert TOLD[command] in terminal.raw.decode()
        assert not any(line.startswith((*TOLD.values(), "━")) for line in terminal.lines)
    assert home.lyra("export").err == ""


@pytest.mark.first
@pytest.mark.parametrize(
    "words", [("setup",), ("import", "other.jsonl"), ("dream", "--force"), ("web", "--no-open")], ids=lambda words: words[0]
)
def test_lines_are_cut_between_words_where_the_window_is_narrow(home: Home, words: tuple[str, ...]) -> None:
    command, *options = words
    home.configure("[web]\nport = 0\n")
    with Terminal(home, *options, command=command, columns=NARROW) as terminal:
        if command in ("setup", "web"):
            terminal.until(WAITS[command])
            terminal.type(CTRL_C, end="")
        terminal.end()
        said = " ".join(line.strip() for line in terminal.lines)
        assert SAID[command] in said
