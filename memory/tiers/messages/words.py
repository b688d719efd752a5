"""The words of a message regardless of notation, and the names derived from them."""

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
"""The number of content words from which a message is unlikely to be repeated by chance."""


def names(seal: Seal, domain: DomainRef, text: str) -> list[str]:
    """Return the names derived from a message's words alone, ignoring punctuation and invisible characters, current one first.

    Empty if there are so few words that others may well say the same. Former names took HTML for words, split words at
    invisible characters, and included punctuation.
    """
    if count_content_words(text) < TELLING:
        return []
    folded = _folded(text)
    alone = dict.fromkeys(" ".join(form) for form in (spoken_words(text), _visible_words(folded), _WORD.findall(folded)))
    return [*(seal.id(domain, "words alone", form) for form in alone), seal.id(domain, "words", " ".join(folded.split()))]


def spoken_words(text: str) -> list[str]:
    """Return the words of a text, without HTML and invisible characters."""
    return _visible_words(_folded(without_html(text)))


def count_content_words(text: str) -> int:
    """Return the number of content words in a text."""
    return len(key_words(_folded(without_html(text))))


def without_html(text: str) -> str:
    r"""Return HTML as a page shows it: entities resolved, style tags dropped, \n for tags that break a line."""
    shown = _STYLE.sub("", _BREAK.sub("\n", text)) if "<" in text else text
    return unescape(shown) if "&" in shown else shown


def _visible_words(folded: str) -> list[str]:
    return _WORD.findall("".join(char for char in folded if unicodedata.category(char) != "Cf"))


def _folded(text: str) -> str:
    return compatible(text).casefold()
