"""Other spellings of a word: "Jürgen" is also typed "Juergen" or "Jurgen", "Łukasz" "Lukasz", "wi-fi" "wifi"; and typos."""

import re
from collections.abc import Collection
from string import ascii_lowercase

MISTYPED = range(4, 21)
"""How many letters a word has that may be taken for another one: shorter ones are too near to one another, longer ones take long."""
SHORT = range(4, 6)
"""How many it has if only a letter doubled or not is taken for a slip: of short words nearly all others are words, too."""
PLAIN_LETTERS = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ς": "σ"})
"""Letters that are not a plain one with an accent, and what is typed in their place."""
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
# Not the endings of "Michael", "Noel", "Samuel" and "Zoe", nor the diphthongs of "Bauer" and "Feuer".
_MAY_BE_UMLAUT = re.compile(r"(?<![aeouq])[aou]e(?=[^\W\d_]{2})")
_NAME = re.compile(r"(?<!\w)[A-Z][a-z]+")
_HYPHENS = r"\-\u2010\u2011"
_HYPHENED = re.compile(rf"(?<![\w{_HYPHENS}])[^\W\d_]+(?:[{_HYPHENS}][^\W\d_]+)+(?![\w{_HYPHENS}])")


def without_possessive(name: str) -> str:
    """Return a name without "'s" at its end."""
    return name.removesuffix("'s").removesuffix("’s")


def plain_spellings(word: str) -> set[str]:
    """Return a lower-case word as it may be typed without its special letters, umlauts also written out."""
    if word.isascii():
        return {word}
    return {word.translate(PLAIN_LETTERS), word.translate(_WRITTEN_OUT).translate(PLAIN_LETTERS)}


def other_spellings(text: str, words: Collection[str]) -> dict[str, set[str]]:
    """Return the other spellings in which a text may hold the words (lower case) of a question, of those that have any.

    Written-out umlauts are read back in what is capitalized only: "Goethe" is a name, "poetry" has no ö.
    """
    found: dict[str, set[str]] = {}
    names = {name.lower() for name in _NAME.findall(text)}
    for word in words:
        found[word] = plain_spellings(word)
        if (bare := word.removesuffix("'s")) in names and (
            umlauts := _MAY_BE_UMLAUT.sub(lambda pair: _UMLAUTS[pair[0]], bare)
        ) != bare:
            found[word].add(umlauts)
    for compound in _HYPHENED.findall(text.casefold()):
        parts = re.split(f"[{_HYPHENS}]", compound)
        for part in found.keys() & set(parts):
            found[part].add("".join(parts))
    return {word: others for word, forms in found.items() if (others := forms - {word})}


def may_be_mistyped(word: str) -> bool:
    """Return whether a word that nobody used may be another one with a typo."""
    return len(word) in MISTYPED and word.isalpha()


def single_typos(word: str) -> set[str]:
    """Return what may be meant by a mistyped lower-case word: a letter more, one less, another one, or two swapped.

    The first letter is taken as typed; other letters than those from a to z are tried only if the word has them. In a SHORT word only
    a letter that is doubled or not is a slip.
    """
    cuts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    if len(word) in SHORT:
        doubled = {before + before[-1] + after for before, after in cuts}
        return doubled | {before + after[1:] for before, after in cuts if before[-1] == after[:1]}
    letters = {*ascii_lowercase, *word}
    found = {before + letter + after for before, after in cuts for letter in letters}
    for before, after in cuts[:-1]:
        found.add(before + after[1:])
        found |= {before + letter + after[1:] for letter in letters}
        found.add(before + after[1:2] + after[:1] + after[2:])
    return found - {word}


def is_slip(word: str, meant: str) -> bool:
    """Return whether a lower-case word is another one with a letter left out, too many, or two swapped; the first is as typed."""
    shorter, longer = sorted((word, meant), key=len)
    if len(shorter) == len(longer):
        return word != meant and sorted(word) == sorted(meant) and word[0] == meant[0]
    return len(longer) == len(shorter) + 1 and any(longer[:at] + longer[at + 1 :] == shorter for at in range(1, len(longer)))
