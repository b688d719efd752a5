"""Passages of a text, for matching, and its sentences, for finding details."""

import re
from collections.abc import Iterator

from memory.text import lexical
from memory.text.questions import is_question
from memory.text.unmarked_questions import opens_like_a_question

MOST_CHARACTERS = 700
"""About 150 words: what the local embedding model reads in full (256 tokens)."""
_TELLING = 4
"""A sentence with fewer content words tells little by itself."""
_MOST_ASKED = 200
"""A longer sentence without a question mark is a story."""
_BREAK = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


def passages(text: str, most: int = MOST_CHARACTERS) -> list[str]:
    """Split a text into parts of at most `most` characters, at line or sentence ends if possible.

    A text that fits is returned unchanged as one part. Each part can be read by itself; together they hold every word.
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
    """Return the distinct meaningful sentences of a text with several, in order; questions are left out."""
    return list(dict.fromkeys(_telling(text)))


def only_asks(text: str) -> bool:
    """Return whether a text ends with a question, marked or not, and has no meaningful sentence that tells something."""
    last = next(reversed(_pieces(text)), "")
    asks = is_question(text) or (len(last) <= _MOST_ASKED and opens_like_a_question(last))
    return asks and all(opens_like_a_question(one) for one in _telling(text))


def _telling(text: str) -> Iterator[str]:
    pieces = _pieces(text)
    if len(pieces) < 2:
        return iter(())
    return (one for one in pieces if not is_question(one) and len(lexical.query_stems(one)) >= _TELLING)


def _pieces(text: str) -> list[str]:
    return [piece for piece in map(str.strip, _BREAK.split(text)) if piece]


def _cut(piece: str, most: int) -> list[str]:
    """Split a piece without sentence ends between words, or anywhere if it has no words."""
    parts = []
    while len(piece) > most:
        at = next((at for at in range(most, most // 2, -1) if piece[at - 1].isspace()), most)
        parts.append(piece[:at].strip())
        piece = piece[at:].lstrip()
    return [*parts, piece]
