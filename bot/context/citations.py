"""Which of the statements in view an answer draws on.

Statements are in every prompt: if all of them counted as cited, forgetting one message would remove every later answer. An
answer draws on a statement if both share something rare among the others: a number, a name, or several words.
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
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Marks:
    """The features of a text: the stems of its words, and which of them are numbers or capitalized as names."""

    words: frozenset[str]
    names: frozenset[str]


def drawn_on(answer: str, statements: Mapping[int, str], speakers: Iterable[str]) -> frozenset[int]:
    """Return the keys of the statements that an answer draws on; the names of `speakers` do not count."""
    known = {stem for speaker in speakers for stem in key_words(speaker).values()}
    said = _marks(answer)
    marked = {key: _marks(text) for key, text in statements.items()}
    words = _rare(Counter(stem for marks in marked.values() for stem in marks.words), len(marked), *_RARE_WORD) - known
    names = _rare(Counter(stem for marks in marked.values() for stem in marks.names), len(marked), *_RARE_NAME) - known
    return frozenset(
        key
        for key, marks in marked.items()
        if names & said.names & marks.names or len(words & said.words & marks.words) >= _WORDS
    )


def _rare(counted: Counter[str], n: int, few: int, part: int) -> set[str]:
    """Return the features that occur in at most `few` of n statements, or in at most one of `part`."""
    return {stem for stem, times in counted.items() if times <= max(few, n // part)}


def _marks(text: str) -> _Marks:
    # A single character of a script without spaces is not a word.
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
    # A single digit or a year is not specific enough.
    return len(written) > 1 and _DIGIT.search(written) is not None and not _YEAR.fullmatch(written)
