"""Passages of a text, for matching, and its sentences, for finding details."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memory.text import lexical
from memory.text.function_words import FIRST_PERSON
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.time.dates import WEEKDAYS
from memory.text.unmarked_questions import opens_like_a_question
from memory.text.wordings import read_wordings

_VERBOSE = re.IGNORECASE | re.VERBOSE
MOST_CHARACTERS = 700
"""About 150 words: what the local embedding model reads in full (256 tokens)."""
_TELLING = 4
"""A sentence with fewer content words means little by itself."""
_MOST_ASKED = 200
"""A longer sentence without a question mark is a story."""
_TO_HER = re.compile(r"(?i)^(?:(?:and|but|so|now|ok|okay|then|hey|hi|lyra|please|just|und|jetzt|nun|dann|bitte|mal)[,\s]+)*")
_OWN = re.compile(rf"(?i)\b(?:{FIRST_PERSON})\b")
# Short forms of days mean other things: "a poem about the sun".
_DAYS = "|".join(day for day in WEEKDAYS if len(day) > len("mond"))
_NOTED = re.compile(rf"(?i):\s*\S|\b(?:today|tonight|tomorrow|heute|morgen|{_DAYS})\b")


def passages(text: str, most: int = MOST_CHARACTERS) -> list[str]:
    """Split a text into parts of at most `most` characters, at line or sentence ends if possible.

    A text that fits is returned unchanged as one part. Each part can be read by itself; together they hold every word.
    """
    if len(text) <= most:
        return [text]
    parts: list[str] = []
    held = ""
    for piece in sentences(text):
        if held and len(held) + 1 + len(piece) <= most:
            held = f"{held} {piece}"
            continue
        parts += [held] if held else []
        *whole, held = _cut(piece, most)
        parts += whole
    return [*parts, held] if held else parts or [text[:most]]


def telling_sentences(text: str) -> list[str]:
    """Return the distinct meaningful sentences of a text with several, in order; questions are left out."""
    return list(dict.fromkeys(_telling(sentences(text))))


def only_asks(text: str) -> bool:
    """Return whether a text ends with a question, marked or not, or a request for a text that she is to make, and has no meaningful
    sentence that tells something.
    """
    said = sentences(text)
    asks = is_question(text) or any(len(last) <= _MOST_ASKED and _asks(last) for last in said[-1:])
    return asks and all(map(_asks, _telling(said)))


def _asks(sentence: str) -> bool:
    return opens_like_a_question(sentence) or _is_request(sentence)


def _is_request(sentence: str) -> bool:
    """Return whether a sentence only asks for a text or the like: "write me a poem about the sea", but not "about my sister Mina".

    What has a day or a list in it is a note: "make a shopping list: milk, eggs".
    """
    asks = _any_of("requests").match(_TO_HER.sub("", sentence.strip(), count=1))
    return bool(asks) and not any(one.search(sentence) for one in (_OWN, _NOTED, _any_of("kept")))


def reports_request(sentence: str) -> bool:
    """Return whether a sentence of a digest only tells that somebody asked for a text or the like, once."""
    once, standing = _reports()
    return once.search(sentence) is not None and not standing.search(sentence)


@cache
def _reports() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of reports of a request that was made once, and of one that stands."""
    reports = read_wordings(__file__)["reports"]
    return re.compile(reports["once"], _VERBOSE), re.compile(rf"\b(?:{reports['standing']})\b", _VERBOSE)


@cache
def _any_of(table: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in read_wordings(__file__)[table].values()), _VERBOSE)


def _telling(said: Sequence[str]) -> Iterator[str]:
    if len(said) > 1:
        yield from (one for one in said if not is_question(one) and len(lexical.query_stems(one)) >= _TELLING)


def _cut(piece: str, most: int) -> list[str]:
    """Split a piece without sentence ends between words, or anywhere if it has no words."""
    parts = []
    while len(piece) > most:
        at = next((at for at in range(most, most // 2, -1) if piece[at - 1].isspace()), most)
        parts.append(piece[:at].strip())
        piece = piece[at:].lstrip()
    return [*parts, piece]
