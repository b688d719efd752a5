"""At a terminal: progress of long work, lines cut between words, and the questions that a command asks."""

import asyncio
import os
import signal
import sys
from io import StringIO

import pytest

from adapters.console.progress_bar import ProgressBar, lasting
from adapters.console.rendering import wrapped
from bot.cli.output import read_answer
from bot.errors import Cancelled


def test_progress_is_told_now_and_then_and_less_and_less_often(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with ProgressBar("Embedded", lambda: now) as told:
        assert told.so_far == "Embedded nothing yet."
        for done in range(32, 2001, 32):
            now += 0.5
            told(done, 2000)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "Embedded 128 of 2",
        "Embedded 384 of 2",
        "Embedded 896 of 2",
        "Embedded 1",
    ]
    assert lines[2] == "Embedded 896 of 2,000, 62 a second, 18 seconds left."


def test_what_is_quick_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar("Embedded", lambda: 1.0) as told:
        told(500, 500)
    assert capsys.readouterr().err == ""


def test_where_the_end_is_not_known_the_pace_is_told_alone() -> None:
    now = 0.0
    with ProgressBar("Imported lines:", lambda: now) as told:
        now = 10.0
        told(5000)
        assert str(told) == "Imported lines: 5,000, 500 a second."


def test_what_was_done_before_says_nothing_of_the_pace() -> None:
    now = 0.0
    with ProgressBar("Summarized", lambda: now) as told:
        told(1000, 1020)
        now = 60.0
        told(1010, 1020)
        assert str(told) == "Summarized 1,010 of 1,020, 10 a minute, 60 seconds left."


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 second"), (89, "89 seconds"), (200, "3 minutes"), (7500, "2 hours 5 minutes"), (7200, "2 hours")],
)
def test_a_span_is_told_in_words(seconds: float, said: str) -> None:
    assert lasting(seconds) == said


RECEIPT = '    ada, on 1 June 2024 at 08:00, in "kitchen" · sure · same words: rye'
HELP = "  /recall QUERY    look for what was said, with who said it and when"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 20, ["one two three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 5, ["one ", "two"]),
        ("12. rye bread on Sundays, rolls on Mondays", 26, ["12. rye bread on Sundays,", "    rolls on Mondays"]),
        (RECEIPT, 40, ["    ada, on 1 June 2024 at 08:00, in", '    "kitchen" · sure · same words: rye']),
        (HELP, 44, ["  /recall QUERY    look for what was said,", "                   with who said it and when"]),
        (HELP, 30, ["  /recall QUERY    look for", "  what was said, with who said", "  it and when"]),
        ("a\n\n  b c", 80, ["a", "", "  b c"]),
        ("see http://127.0.0.1:1234/aaaaaaaaaaaaaaaa", 12, ["see", "http://127.0.0.1:1234/aaaaaaaaaaaaaaaa"]),
        ("日本 日本 日本", 9, ["日本 日本", "日本"]),
        ("", 10, [""]),
    ],
)
def test_a_line_is_cut_where_a_reader_would(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width).split("\n") == lines


class Impatient(StringIO):
    """A screen whose reader presses Ctrl-C as soon as anything stands there."""

    def write(self, text: str) -> int:
        """Show it, and press."""
        n = super().write(text)
        if "Sure?" in text:
            os.kill(os.getpid(), signal.SIGINT)
        return n


def test_ctrl_c_is_heard_as_soon_as_a_question_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        with pytest.raises(Cancelled, match="nothing was changed"):
            read_answer("Sure?", lambda: pytest.fail("she waits for an answer"))

    monkeypatch.setattr(sys, "stderr", Impatient())
    asyncio.run(run())


def test_ctrl_c_just_before_a_question_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(Cancelled, match="nothing was changed"):
            read_answer("Sure?", lambda: pytest.fail("she waits for an answer"))

    monkeypatch.setattr(sys, "stderr", StringIO())
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
