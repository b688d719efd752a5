"""Which of the statements that stood in view an answer draws on.

They stand in every prompt, so that citing them all would have one forgotten message take every later answer along. An answer
draws on one where both share what few of the others have: a number, a name, or several words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import key_words
from memory.text.time.dates import MONTHS, WEEKDAYS

_WORDS = 3
_RARE_NAME, _RARE_WORD = (3, 4), (2, 8)
_WRITTEN = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Marks:
    """What a text can be known by: the stems of its words, and which of them are numbers or written as names."""

    words: frozenset[str]
    names: frozenset[str]


def drawn_on(answer: str, statements: Mapping[int, str], speakers: Iterable[str]) -> frozenset[int]:
    """Return the keys of those statements that an answer draws on; the names of who speaks here tell nothing."""
    known = {stem for speaker in speakers for stem in key_words(speaker).values()}
    said = _marks(answer)
    there = {key: _marks(text) for key, text in statements.items()}
    words = _rare(Counter(stem for marks in there.values() for stem in marks.words), len(there), *_RARE_WORD) - known
    names = _rare(Counter(stem for marks in there.values() for stem in marks.names), len(there), *_RARE_NAME) - known
    return frozenset(
        key for key, marks in there.items() if names & said.names & marks.names or len(words & said.words & marks.words) >= _WORDS
    )


def _rare(counted: Counter[str], n: int, few: int, part: int) -> set[str]:
    """Return what stands in so few of n statements, or in one of so many (`part`) at most."""
    return {stem for stem, times in counted.items() if times <= max(few, n // part)}


def _marks(text: str) -> _Marks:
    # A single character, of a script without spaces, is no word.
    words = [stem for word, stem in key_words(text).items() if len(word) > 1]
    names = {
        stem
        for written in _WRITTEN.findall(text)
        if _is_name(written) or _is_number(written)
        for stem in key_words(written).values()
    }
    return _Marks(frozenset(words), frozenset(names))


def _is_name(written: str) -> bool:
    folded = written.casefold()
    return written[0].isupper() and folded not in WEEKDAYS and folded not in MONTHS and folded not in FUNCTION_WORDS


def _is_number(written: str) -> bool:
    # A single digit and a year tell too little.
    return len(written) > 1 and any(char.isdecimal() for char in written) and not _YEAR.fullmatch(written)
