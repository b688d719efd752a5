"""Concrete words that nobody used: kin, colours, animals, vehicles, food, which a small model adds to what was said.

A digest may say in other words what was said, but "her brother" or "the red car" says something of its own. Which words are so, and what
else they follow from, is listed in concrete_words.toml. What is not listed there is not seen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from memory.ports import Source
from memory.text.lexical import stem, tokens
from memory.text.told.named_things import KIN
from memory.text.wordings import read_wordings

_COMPOUND = 5
"""A word of so many letters may end a compound: "Schwiegermutter"."""
_BEFORE_A_NOUN = re.compile(
    r"(?i)(?:\b(?:the|an?|his|her|their|its|our|another|new|old|second-hand|by|on|with|of|and|or|some|for|der|die|das|den|dem|eine?[nrm]?"
    r"|seine?[nrm]?|ihre?[nrm]?|mit|und|oder|zum|zur|un|una|une|el|la|le|les|los|las|con|y|et|avec)|['’]s) $"
)


_KIN_OF_KIN = re.compile(
    rf"(?i)\b(?:{KIN}|parent)(?:['’]s?|s['’]| of (?:my|his|her|our|their)| (?:mein|sein|ihr|unser)e[rs]) (?:[\w-]+ )?(?:{KIN}|kid|child)"
)
_BY_BIRTH = "uncle aunt cousin nephew niece grandmother grandfather".split()
"""Kin that two others tell of: a mother's sister is an aunt."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """What is one thing: its section and name, its words, and those from which it follows that it is meant."""

    section: str
    name: str
    words: frozenset[str]
    implied: frozenset[str]


@cache
def _things() -> dict[str, _Thing]:
    by_word: dict[str, _Thing] = {}
    for section, things in read_wordings(__file__).items():
        for name, (called, implied) in things.items():
            words = frozenset(called.casefold().split())
            by_word |= dict.fromkeys(words, _Thing(section, name, words, frozenset(implied.casefold().split())))
    return by_word


@cache
def _implied_by_stem() -> dict[str, frozenset[str]]:
    return {stem(word): thing.words | thing.implied for word, thing in _things().items()}


class ConcreteWords:
    """The words of a writer's input, by which a concrete word that nobody used is known."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._words = {word for one in sources for word in tokens(f"{one.speaker} {one.text}")}
        self._stems = {stem(word) for word in self._words}
        self._has_kin_of_kin = any(_KIN_OF_KIN.search(one.text) for one in sources)

    def lack(self, text: str) -> str:
        """Return the first concrete word of a text that is not among the words, nor follows from any of them; '' if there is none."""
        for found in re.finditer(r"[^\W\d_]+", text):
            thing = _things().get(found.group().casefold())
            if thing is None or (thing.section == "nouns" and not _BEFORE_A_NOUN.search(text, 0, found.start())):
                continue
            if not (self._is_kin_of_kin(thing) or any(self._has(one) for one in thing.words | thing.implied)):
                return found.group()
        return ""

    def follows(self, stemmed: str) -> bool:
        """Return whether a stem is that of a concrete word which is among the words, or follows from them."""
        return any(map(self._has, _implied_by_stem().get(stemmed, ())))

    def calls(self, word: str) -> bool:
        """Return whether a word is another one for a thing that was spoken of: a capitalized noun is no name then, as Rosa is."""
        thing = _things().get(word.casefold())
        return (
            thing is not None
            and thing.section != "colours"
            and (self._is_kin_of_kin(thing) or any(self._has(one) for one in thing.words))
        )

    def _is_kin_of_kin(self, thing: _Thing) -> bool:
        return thing.name in _BY_BIRTH and self._has_kin_of_kin

    def _has(self, word: str) -> bool:
        if word in self._words or stem(word) in self._stems:
            return True
        return len(word) >= _COMPOUND and any(one.endswith(word) for one in self._words)
