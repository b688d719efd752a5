"""The topic of what is told: the words that name it, whether a text holds them, and whether it only goes on with the one before."""

import re
from collections.abc import Collection
from functools import cache

from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import function_words
from memory.text.lexical import key_words, stem, unspaced
from memory.text.told.retellings import ALIKE

_BACK = frozenset("it its they that this those these he she his her and es sie er das die dies und".split())
"""What a text begins with that goes on with what was said before."""
_SHORTEST, _ENDING = 4, 2
"""The least letters that words have in common, and the most that their endings have, which are forms of one word."""


def topic_words(text: str, names: Collection[str], asking: Collection[str]) -> frozenset[str]:
    """Return the words of a request that name its topic: those that are neither names nor in `asking`."""
    people = {word for name in names for word in key_words(name)}
    return frozenset(
        word
        for word, stemmed in key_words(text).items()
        if len(word) > 1
        and word not in FUNCTION_WORDS
        and word.partition("'")[0] not in people
        and (word.isascii() or word not in _little())
        and not {word, stemmed, word.rpartition("'")[2]} & set(asking)
    )


@cache
def _little() -> frozenset[str]:
    """Return the words of all languages that name nothing."""
    return frozenset().union(*function_words().values())


def goes_on(text: str) -> bool:
    """Return whether a text has no topic of its own and continues the previous one: "it is 8812 now"."""
    words = key_words(text)
    first = re.match(r"\W*(\w+)", text.lower())
    return bool(first and first[1] in _BACK) or not any(word.isalpha() for word in words)


def count_held(words: Collection[str], text: str, *, alike: bool = False) -> int:
    """Return how many of these words a text contains, in any form, or with `alike` in another language, where that is listed."""
    there = key_words(text)
    forms = {*there, *there.values()}
    things = {ALIKE[one] for one in forms if one in ALIKE} if alike else set[str]()
    return sum(
        word in forms or stem(word) in forms or ALIKE.get(word) in things or any(_is_other_form(word, one) for one in there)
        for word in words
    )


def _is_other_form(word: str, other: str) -> bool:
    """Return whether a word with letters beyond ASCII may be another with another ending: "операцию", "операция"."""
    least = max(_SHORTEST, len(word) - _ENDING, len(other) - _ENDING)
    return not word.isascii() and not unspaced(word) and word[:least] == other[:least] and min(len(word), len(other)) >= least
