"""Wrap lines to a screen: cut between words, with a hanging indent where their words began."""

import re

from rich.cells import cell_len

_BEGINNING = re.compile(r" *(?:\d+\. |- )?(?:(?! )(?:(?!  ).)*  +)?")
"""What precedes a line's words: blanks, the marker of a list entry, and a first column."""
_LEAST = 20
"""The least columns left for words; otherwise only the leading blanks count as indent."""


def wrapped(text: str, width: int) -> str:
    """Wrap a text to lines of at most `width` columns; a word longer than a line stays whole."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    if cell_len(line) <= width:
        return [line]
    found = _BEGINNING.match(line)
    beginning = found[0] if found and width - cell_len(found[0]) >= _LEAST else line[: len(line) - len(line.lstrip(" "))]
    indent, parts, held = " " * cell_len(beginning), [], beginning
    empty = True
    for word in line[len(beginning) :].split(" "):
        if not empty and cell_len(held) + 1 + cell_len(word) > width:
            parts.append(held)
            held, empty = indent, True
        held += word if empty else f" {word}"
        empty = False
    return [*parts, held]
