"""Lines that fit a screen: cut between words, and going on under where their words began."""

import re

from rich.cells import cell_len

_BEGINNING = re.compile(r" *(?:\d+\. |- )?(?:(?! )(?:(?!  ).)*  +)?")
"""Blanks, what numbers or marks an entry of a list, and a first column: what stands before the words of a line."""
_LEAST = 20
"""So many columns are left for words, else only the blanks at the beginning count."""


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of at most so many columns; a word that is longer than a line stays whole."""
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
