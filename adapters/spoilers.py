"""Spoilers ("||…||") in a text that is cut into parts: what is hidden in the whole stays hidden in each of them."""

import re
from collections.abc import Sequence

_MARK = "||"
_ROOM = 2 * len(f"{_MARK}\n")

# In a row of a table, between two blanks, in code and behind a backslash it hides nothing.
_MARKS = re.compile(
    r"(?ms)^(?P<fence>`{3,}|~{3,})[^\n]*$.*?(?:^\s*(?P=fence)|\Z)|(?P<code>`+)[^`]+(?P=code)|\\.|^[ \t]*\|(?!\|)[^\n]*$|(?<=[^\s]) \|\| "
    r"|(?P<mark>\|\|)"
)
_BLOCK = re.compile(r"[-*+>#~`|]|\d+[.)]")


def room_for_marks(text: str, most: int) -> int:
    """Return how many UTF-16 units a part of a text may grow by; none where parts are too short for that."""
    return _ROOM if _MARK in text and most > 4 * _ROOM else 0


def kept_hidden(parts: Sequence[str]) -> list[str]:
    """Return the parts of a text with each spoiler that goes over several of them closed, and opened again in the next one."""
    marks = [[found.span("mark") for found in _MARKS.finditer(part) if found["mark"]] for part in parts]
    left = sum(map(len, marks)) // 2 * 2  # the last one alone hides nothing
    done, hidden = [], False
    for part, found in zip(parts, marks, strict=True):
        inside, some = hidden, found[:left]
        left -= len(some)
        hidden ^= len(some) % 2 == 1
        if inside and some and some[0][0] == 0:
            part, inside = part[len(_MARK) :].lstrip(), False
        if hidden and part.endswith(_MARK) and some and some[-1][1] == len(part):
            done.append(part[: -len(_MARK)].rstrip())
            continue
        done.append((_opening(part) if inside else "") + part + (_closing(part) if hidden else ""))
    return [part for part in done if part]


def _opening(part: str) -> str:
    return f"{_MARK}\n" if _BLOCK.match(part) else _MARK


def _closing(part: str) -> str:
    return f"\n{_MARK}" if part.rpartition("\n")[2].strip(" `~") == "" or part.endswith("|") else _MARK
