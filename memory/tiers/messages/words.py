"""What a message says, however it is written, and the names that it has by that alone."""

import re
import unicodedata
from html import unescape

from memory.store.lineage import Seal
from memory.text.lexical import compatible, key_words
from memory.types import DomainRef

_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"</?(?:br|p|div|li|ul|ol|tr|hr|pre|blockquote|h[1-6])\b[^<>]{0,200}>", re.IGNORECASE)
_STYLE = re.compile(r"</?(?:a|b|i|u|s|em|strong|del|code|span|font|small|sub|sup|mark)\b[^<>]{0,400}>", re.IGNORECASE)
TELLING = 3
"""How many telling words make a message one that nobody else says by chance."""


def names(seal: Seal, domain: DomainRef, text: str) -> list[str]:
    """Return the name that a message has by its words alone, whatever stands between them and unseen in them, and those that it
    had before.

    None where they are so few that others may well say the same. Former names took HTML for words, split these at what is
    unseen, and heeded marks.
    """
    if telling(text) < TELLING:
        return []
    said = _folded(text)
    alone = dict.fromkeys(" ".join(form) for form in (spoken(text), _seen(said), _WORD.findall(said)))
    return [*(seal.id(domain, "words alone", form) for form in alone), seal.id(domain, "words", " ".join(said.split()))]


def spoken(text: str) -> list[str]:
    """Return the words of a text, without HTML and what is unseen in them."""
    return _seen(_folded(without_html(text)))


def telling(text: str) -> int:
    """Return how many words of a text tell something."""
    return len(key_words(_folded(without_html(text))))


def without_html(text: str) -> str:
    r"""Return a text as a page shows it that is written in HTML: characters in the place of their names, \n where a line ends."""
    shown = _STYLE.sub("", _BREAK.sub("\n", text)) if "<" in text else text
    return unescape(shown) if "&" in shown else shown


def _seen(folded: str) -> list[str]:
    return _WORD.findall("".join(char for char in folded if unicodedata.category(char) != "Cf"))


def _folded(text: str) -> str:
    return compatible(text).casefold()
