"""Concrete words that nobody used: kin, colours, animals, vehicles, food, which a small model adds to what was said.

A digest may say in other words what was said, but "her brother" or "the red car" says something of its own. Which words are so, and what
else they follow from, is listed in concrete_words.toml. What is not listed there is not seen.
"""

import re
from collections.abc import Sequence
from functools import cache

from memory.ports import Source
from memory.text.lexical import stem, tokens
from memory.text.wordings import read_wordings

_COMPOUND = 5
"""A word of so many letters may end a compound: "Schwiegermutter"."""
_BEFORE_A_NOUN = re.compile(
    r"(?i)(?:\b(?:the|an?|his|her|their|its|our|another|new|old|second-hand|by|on|with|of|and|or|some|for|der|die|das|den|dem|eine?[nrm]?"
    r"|seine?[nrm]?|ihre?[nrm]?|mit|und|oder|zum|zur|un|una|une|el|la|le|les|los|las|con|y|et|avec)|['’]s) $"
)


@cache
def _things() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Return for every listed word those of which one must have been used, and which of the words count behind an article alone."""
    by_word: dict[str, frozenset[str]] = {}
    nouns = set[str]()
    for section, things in read_wordings(__file__).items():
        for called, implied in things.values():
            words = called.casefold().split()
            by_word |= dict.fromkeys(words, frozenset((*words, *implied.casefold().split())))
            nouns |= set(words) if section == "nouns" else set()
    return by_word, frozenset(nouns)


class ConcreteWords:
    """The words of a writer's input, by which a concrete word that nobody used is known."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._words = {word for one in sources for word in tokens(f"{one.speaker} {one.text}")}
        self._stems = {stem(word) for word in self._words}

    def lack(self, text: str) -> str:
        """Return the first concrete word of a text that is not among the words, nor follows from any of them; '' if there is none."""
        by_word, nouns = _things()
        for found in re.finditer(r"[^\W\d_]+", text):
            word = found.group().casefold()
            if word not in by_word or (word in nouns and not _BEFORE_A_NOUN.search(text, 0, found.start())):
                continue
            if not any(self._has(one) for one in by_word[word]):
                return found.group()
        return ""

    def _has(self, word: str) -> bool:
        if word in self._words or stem(word) in self._stems:
            return True
        return len(word) >= _COMPOUND and any(one.endswith(word) for one in self._words)
