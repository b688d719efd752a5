"""Selection of a reflection's sources for a model with a small context window."""

from collections.abc import Sequence
from dataclasses import replace

from memory.text.budget import clip, tokens
from memory.tiers.lines import Line

_LEAST = 48
_FIRST = {"p": 0, "m": 1, "g": 2, "f": 3}


def fitting(lines: Sequence[Line], most: int) -> list[Line]:
    """Return the lines that fit into `most` tokens, in their order.

    Manners go first, then messages, the newest first, then gists, then known facts. Long messages are clipped rather than left
    out.
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
    """Return the estimated token count of lines."""
    return sum(_header(line) + tokens(line.source.text) for line in lines)


def _header(line: Line) -> int:
    """Return the token count of a line's label, time and speaker, with separators."""
    return tokens(f"[{line.source.label}] {line.source.said_at} · {line.source.speaker} | ") + 1
