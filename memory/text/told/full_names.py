"""Names of several words: "Ben Miller" does not mean Ben, nor "Bruno Mars" Bruno the dog.

Adjacent capitalized words are read as one name, unless the first seems capitalized only because it starts a sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.text.lexical import STOP_WORDS

_WORD = re.compile(r"[^\W\d_][\w'’-]*(?:#[a-z2-7]{4})?")
_NEW_SENTENCE = re.compile(r"(?:^|[.!?:;\n…])[\s\"“„'(\[*>-]*$")
_OPENERS = STOP_WORDS | frozenset(
    """today tomorrow yesterday tonight later maybe perhaps even still yet both either neither every many like unlike near without since
    unless although though poor dear little big old young sweet good bad great happy funny silly hello hey thanks thank congrats sorry
    saw met told gave took ask tell give let say said got bought fed put sent heard read see visit meet help need want love hate miss
    wish hope think know guess remember call text phone remind show bring take make get buy feed poor may uncle aunt auntie mr mrs ms
    miss dr sir lady lord saint st captain king queen prince princess lake mount river fort port
    gestern heute morgen dann als wenn weil dass ob nachdem bevor seit auch nur schon noch wieder doch aber und oder denn der die das
    ein eine mein meine unser unsere sein seine ihr ihre armer arme liebe lieber kleine kleiner hallo danke herr frau onkel tante""".split()
)
_PLACED = frozenset("in near at from to of nach aus bei in".split())
_GERMAN_PROPER = frozenset("von mit über bei für gegen ohne um an als".split())
_MOST = 3


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    begins: bool
    beside: bool

    @property
    def is_large(self) -> bool:
        return self.text[0].isupper() and len(self.text) > 1


def full_names(text: str, no_name: frozenset[str], *, nouns_large: bool = False) -> list[list[str]]:
    """Return the names of two or three words in a text, each as its words, in order.

    `no_name` are lower-case words that are part of no name. If the language capitalizes all nouns, only names at the start of a
    sentence or right after a preposition count.
    """
    words = list(_words(text))
    found: list[list[str]] = []
    at = 0
    while at < len(words):
        end = at + 1
        if _names(words[at], no_name):
            while (
                end < min(len(words), at + _MOST)
                and words[end].beside
                and _names(words[end], no_name)
                and not _owns(words[end - 1])
            ):
                end += 1
        if end - at > 1 and _is_one(words, at, end, nouns_large=nouns_large):
            found.append([word.text.removesuffix("'s").removesuffix("’s") for word in words[at:end]])
            at = end
        else:
            at += 1
    return found


def _is_one(words: Sequence[_Word], at: int, end: int, *, nouns_large: bool) -> bool:
    first, before = words[at], words[at - 1].text.lower() if at and words[at].beside else ""
    if first.begins:
        opens = first.text.lower().endswith(("ed", "ing", "ly")) if not nouns_large else False
        follows = end < len(words) and words[end].beside and words[end].text[0].islower()
        return not opens and (follows or not nouns_large)
    return before in _GERMAN_PROPER if nouns_large else not (before in _PLACED and end - at == 2 and _goes_on(words, end))


def _goes_on(words: Sequence[_Word], end: int) -> bool:
    """Return whether a verb may follow, so that the last word is a subject: "in Graz Lea bought"."""
    return (
        end < len(words)
        and words[end].beside
        and words[end].text.endswith(("ed", "s", "t"))
        and words[end].text.lower() not in STOP_WORDS
    )


def _names(word: _Word, no_name: frozenset[str]) -> bool:
    small = word.text.lower()
    return word.is_large and small not in no_name and small not in _OPENERS


def _owns(word: _Word) -> bool:
    return word.text.endswith(("'s", "’s"))


def _words(text: str) -> Iterator[_Word]:
    end = -1
    for match in _WORD.finditer(text):
        yield _Word(match[0], bool(_NEW_SENTENCE.search(text[max(0, match.start() - 8) : match.start()])) or not match.start(),
                    end >= 0 and text[end : match.start()] == " ")  # fmt: skip
        end = match.end()
