"""What a message says, however it is written, and the names that it has by that alone."""

import re
import unicodedata

from memory.store.lineage import Seal
from memory.text.lexical import key_words
from memory.types import DomainRef

_WORD = re.compile(r"[^\W_]+")
TELLING = 3
"""How many telling words make a message one that nobody else says by chance."""


def names(seal: Seal, domain: DomainRef, text: str) -> list[str]:
    """Return the name that a message has by its words alone, whatever stands between them and unseen in them, and those that it
    had before.

    None where they are so few that others may well say the same. Former names split words at what is unseen, and heeded marks.
    """
    if telling(text) < TELLING:
        return []
    said = _folded(text)
    alone = dict.fromkeys(" ".join(form) for form in (spoken(text), _WORD.findall(said)))
    return [*(seal.id(domain, "words alone", form) for form in alone), seal.id(domain, "words", " ".join(said.split()))]


def spoken(text: str) -> list[str]:
    """Return the words of a text, without what is unseen in them."""
    return _WORD.findall("".join(char for char in _folded(text) if unicodedata.category(char) != "Cf"))


def telling(text: str) -> int:
    """Return how many words of a text tell something."""
    return len(key_words(_folded(text)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
