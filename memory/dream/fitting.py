"""Which of what a thought could rest on a model with little room is shown."""

from collections.abc import Sequence
from dataclasses import replace

from memory.text.budget import clip, tokens
from memory.tiers.lines import Line

_LEAST = 48
_FIRST = {"p": 0, "m": 1, "g": 2, "f": 3}


def fitting(lines: Sequence[Line], most: int) -> list[Line]:
    """Return those lines that stand in so many tokens, in their order.

    How people want to be talked to goes first, then what they said, the newest before the rest, gists, and what is known. What
    somebody said at length is clipped rather than left out.
    """
    kept: dict[str, Line] = {}
    for line in sorted(reversed(lines), key=lambda one: _FIRST.get(one.source.label[0], len(_FIRST))):
        room = most - _header(line)
        if room >= min(_LEAST, tokens(line.source.text)):
            short = replace(line, source=replace(line.source, text=clip(line.source.text, room)))
            kept[line.source.label] = short
            most = room - tokens(short.source.text)
    return [kept[line.source.label] for line in lines if line.source.label in kept]


def weight(lines: Sequence[Line]) -> int:
    """Return how many tokens lines are taken for."""
    return sum(_header(line) + tokens(line.source.text) for line in lines)


def _header(line: Line) -> int:
    """Return what the label, the time and the speaker of a line cost, with the marks between them."""
    return tokens(f"[{line.source.label}] {line.source.said_at} · {line.source.speaker} | ") + 1
