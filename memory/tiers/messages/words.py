"""The words of a message regardless of notation, and the names derived from them."""

import re
import unicodedata

from memory.store.lineage import Seal
from memory.text.lexical import key_words
from memory.types import DomainRef

_WORD = re.compile(r"[^\W_]+")
TELLING = 3
"""The number of content words from which a message is unlikely to be repeated by chance."""


def names(seal: Seal, domain: DomainRef, text: str) -> list[str]:
    """Return the names derived from a message's words alone, ignoring punctuation and invisible characters, current one first.

    Empty if there are so few words that others may well say the same. Former names split words at invisible characters, or
    included punctuation.
    """
    if telling(text) < TELLING:
        return []
    said = _folded(text)
    alone = dict.fromkeys(" ".join(form) for form in (spoken(text), _WORD.findall(said)))
    return [*(seal.id(domain, "words alone", form) for form in alone), seal.id(domain, "words", " ".join(said.split()))]


def spoken(text: str) -> list[str]:
    """Return the words of a text, without invisible characters."""
    return _WORD.findall("".join(char for char in _folded(text) if unicodedata.category(char) != "Cf"))


def telling(text: str) -> int:
    """Return the number of content words in a text."""
    return len(key_words(_folded(text)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
