"""Passages: a long text is matched in parts, and found as one. Sentences: what a message tells behind a greeting, by itself."""

import re

from memory.text import lexical

MOST_CHARACTERS = 700
"""About 150 words: what the local embedding model reads as a whole (256 tokens)."""
_TELLING = 4
"""A sentence of fewer words, small ones not counted, tells little by itself."""
_ASKING = ("?", "？", "؟", "՞")
_BREAK = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


def passages(text: str, most: int = MOST_CHARACTERS) -> list[str]:
    """Return a text in parts of at most so many characters, cut between lines and sentences where there are any.

    A text that fits is one part, as it is. Each part can be read by itself; together they hold every word.
    """
    if len(text) <= most:
        return [text]
    parts: list[str] = []
    held = ""
    for piece in _pieces(text):
        if held and len(held) + 1 + len(piece) <= most:
            held = f"{held} {piece}"
            continue
        parts += [held] if held else []
        *whole, held = _cut(piece, most)
        parts += whole
    return [*parts, held] if held else parts or [text[:most]]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text of several that tell something by themselves, each once, in order; a question tells nothing."""
    pieces = _pieces(text)
    if len(pieces) < 2:
        return []
    telling = (one for one in pieces if not one.endswith(_ASKING) and len(lexical.query_stems(one)) >= _TELLING)
    return list(dict.fromkeys(telling))


def _pieces(text: str) -> list[str]:
    return [piece for piece in map(str.strip, _BREAK.split(text)) if piece]


def _cut(piece: str, most: int) -> list[str]:
    """Cut what has no sentences between its words, or anywhere where it has no words either."""
    parts = []
    while len(piece) > most:
        at = next((at for at in range(most, most // 2, -1) if piece[at - 1].isspace()), most)
        parts.append(piece[:at].strip())
        piece = piece[at:].lstrip()
    return [*parts, piece]
