"""The topic of a request for discretion: its words besides names and the words of asking."""

import re
from collections.abc import Collection, Sequence

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import key_words, stem

_GROUP = re.compile(r"\(\?P<\w+>|\(\?[:!<=]+|\\.")
_BACK = frozenset("it its they that this those these he she his her and es sie er das die dies und".split())
_WORD = re.compile(r"[^\W\d_]{2,}")


def spoken(patterns: Sequence[str]) -> frozenset[str]:
    """Return the words in these patterns, with their stems."""
    bare = [_GROUP.sub(" ", pattern) for pattern in patterns]
    words = {word for text in bare for form in (text, re.sub(r"\w\?", "", text)) for word in _WORD.findall(form.lower())}
    return frozenset(map(stem, words)) | words


def topic(text: str, names: Collection[str], asking: Collection[str]) -> frozenset[str]:
    """Return the words of a request that are neither names nor in `asking`."""
    people = {word for name in names for word in key_words(name)}
    return frozenset(
        word
        for word, stemmed in key_words(text).items()
        if len(word) > 1 and word not in FUNCTION_WORDS and word not in people and not {word, stemmed} & set(asking)
    )


def goes_on(text: str) -> bool:
    """Return whether a text has no topic of its own and continues the previous one: "it is 8812 now"."""
    words = key_words(text)
    first = re.match(r"\W*(\w+)", text.lower())
    return bool(first and first[1] in _BACK) or not any(word.isalpha() for word in words)


def count_held(words: Collection[str], text: str) -> int:
    """Return how many of these words a text contains, in any form."""
    there = key_words(text)
    forms = {*there, *there.values()}
    return sum(word in forms or stem(word) in forms for word in words)
