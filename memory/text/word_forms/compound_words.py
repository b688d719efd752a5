"""Compound words, written as one in some languages: "Keller" and "Schlüssel" make "Kellerschlüssel"."""

from collections.abc import Iterator

LANGUAGES = frozenset({"german", "dutch", "danish", "swedish", "norwegian"})
"""The languages whose compounds are read."""
SHORTEST = 3
"""The fewest letters of a part."""
_PLAIN = 5
"""The fewest letters of a word that is looked for in compounds: shorter ones stand in many others by chance."""
_LINKS = ("", "s", "es", "n", "en", "e", "er")
_COMPOUND = range(8, 31)


def joined(first: str, last: str) -> Iterator[str]:
    """Yield the compounds that two lower-case words may make."""
    return (first + link + last for link in _LINKS)


def splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of words that a lower-case word of 8 to 30 letters may be made of, the longest last part first."""
    if len(word) not in _COMPOUND or not word.isalpha():
        return
    for at in range(SHORTEST, len(word) - SHORTEST + 1):
        for link in _LINKS:
            first = word[:at].removesuffix(link) if word[:at].endswith(link) else ""
            if len(first) >= SHORTEST:
                yield first, word[at:]


def is_part(word: str, compound: str) -> bool:
    """Return whether a lower-case word begins or ends another one that is longer by a part: "steuer" of "steuererklärung"."""
    if len(word) < _PLAIN or len(compound) not in _COMPOUND or len(compound) - len(word) < SHORTEST + 1:
        return False
    return compound.startswith(word) or compound.endswith(word)
