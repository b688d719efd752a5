"""Questions at a terminal: Ctrl-C and Ctrl-D leave them at once, and nothing is done."""

from pathlib import Path

import pytest

from tests.kits.lyra_kit import Home
from tests.kits.lyra_terminal import CTRL_C, CTRL_D, Terminal


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine on which something was said, with a backup of it."""
    home = Home(tmp_path_factory.mktemp("told"), NO_COLOR="1")
    assert home.chat("my locker code is 4711").lines == ["Kept."]
    assert home.lyra("backup", "kept.backup").code == 0
    return home


QUESTIONS = {
    "forget a conversation": ("forget", "--session", "main"),
    "forget a topic": ("forget", "--about", "locker"),
    "restore": ("restore", "kept.backup"),
}


@pytest.mark.parametrize("words", QUESTIONS.values(), ids=list(QUESTIONS))
def test_ctrl_c_at_a_question_cancels_at_once(told: Home, words: tuple[str, ...]) -> None:
    before = told.db.read_bytes()
    for key, code in ((CTRL_C, 130), (CTRL_D, 1)):
        command, *options = words
        with Terminal(told, *options, command=command) as terminal:
            terminal.until("[y/N]")
            terminal.type(key, end="")
            assert terminal.end() == code
            assert terminal.lines[-1].endswith("." if code == 1 else "Cancelled; nothing was changed.")
            assert "Traceback" not in "".join(terminal.lines)
    assert told.db.read_bytes() == before and len(told.export()) == 2


def test_ctrl_c_at_a_question_of_the_conversation_is_no(told: Home, tmp_path: Path) -> None:
    home = told.copied(tmp_path)
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.type("/forget all")
        terminal.until("[y/N]")
        terminal.type(CTRL_C, end="")
        terminal.until("Nothing was forgotten.")
        terminal.say("y")
        terminal.leave()
    assert [row["content"] for row in home.export() if row["role"] == "user"] == ["my locker code is 4711", "y"]


def test_ctrl_c_ends_what_reads_from_the_keyboard(told: Home) -> None:
    with Terminal(told, "-", command="recall") as terminal:
        terminal.type("locker")
        terminal.until("4711")
        terminal.type(CTRL_C, end="")
        assert terminal.end() == 130
        assert terminal.lines[-1].endswith("Stopped.")
