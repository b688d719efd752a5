"""How long it takes to read texts made to be slow to read: what one call of a regular expression does is in no count of steps.

All of them are read beside the event loop. There a single call that is no Python holds up everybody all the same, as it does not
let go of the interpreter: the longest of them is measured by itself.
"""

import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from adapters.console.rendering import markdown
from adapters.matrix.incoming.heard_messages import mentions_her
from adapters.splitting import split
from bot.delivery.exit_gate import ExitGate
from bot.web.page_context import prose
from memory.index.when.question_times import parse_question
from memory.text.told.discretion import request_in
from memory.text.told.named_things import named
from tests.kits.memory_kit import START
from tests.unit import test_confidence, test_gate, test_shown_markdown, test_splitting

Row = Callable[[str, float, str, float, str], None]
_LONG = 60_000
_MILLISECONDS = 1_000
_TIMES = ['"', "a ", "in 2023 ", " ", "1-", "«", "b="]


def measure(row: Row) -> None:
    """Measure the slowest of these texts for each reader, beside plain words of the same length."""
    for what, read, pieces in (
        ("cutting into messages", lambda text: split(text, test_splitting.DISCORD), test_splitting.PIECES),
        ("passing the gate", lambda text: ExitGate((), names=False).gated(f"{text} www.evil.test"), test_gate.PIECES),
        ("looking for a time", lambda text: parse_question(text, START, "Europe/Vienna"), _TIMES),
        ("looking for a wish for discretion", request_in, test_confidence.HOSTILE),
        ("showing Markdown at the terminal", markdown, test_shown_markdown.HOSTILE),
        ("showing Markdown on the page", prose, test_shown_markdown.HOSTILE),
        ("looking for names", named, test_confidence.HOSTILE),
        ("looking for a mention on Matrix", _mentions, ["<mx-reply>", "<mx-reply></", "<", "%"]),
    ):
        slowest, held = (_slowest(read, pieces, taken) for taken in (_taken, _held))
        row(f"{what}, the slowest text of {_LONG:,} characters", slowest, "words", _slowest(read, ["walk "], _taken), "ms")
        row(f"{what}, the longest single call of it", held, "words", _slowest(read, ["walk "], _held), "ms")


def _mentions(text: str) -> bool:
    return mentions_her({"formatted_body": text}, "@lyra:example.org")


def _slowest(
    read: Callable[[str], object], pieces: Sequence[str], taken: Callable[[Callable[[str], object], str], float]
) -> float:
    return max(taken(read, (piece * _LONG)[:_LONG]) for piece in pieces)


def _taken(read: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    read(text)
    return (time.process_time() - start) * _MILLISECONDS


def _held(read: Callable[[str], object], text: str) -> float:
    """Return for how long a call that is no Python, and makes none, held the interpreter at most."""
    longest, begun = 0.0, -1.0

    def look(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal longest, begun
        if event in ("c_return", "c_exception") and begun >= 0:
            longest = max(longest, time.thread_time() - begun)
        begun = time.thread_time() if event == "c_call" else -1.0

    sys.setprofile(look)
    try:
        read(text)
    finally:
        sys.setprofile(None)
    return longest * _MILLISECONDS
