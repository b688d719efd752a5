"""A text as it is read for what it asks: without what typing and Markdown add to its words. What is stored is not changed."""

import re
import unicodedata
from functools import cache

from memory.text.wordings import read_wordings

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_BREAK = "\u200b"
"""A place where a word may be broken: some write it for every space."""
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_STYLED = re.compile("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]+")
"""Letters that are shown wide, bold or in another style."""
_EMPHASIS = re.compile(
    r"(?<![\w@*\\])(\*{1,3}|_{1,3})(?=[^\s*_])([^\n]{0,200}?[^\s*_\\])\1(?![\w*])|(?<=\w)(\*{1,3})(?=[^\s*])(\w+)\3(?!\*)"
)
_LINES = re.compile(r"(?<![.!?:;。！？\n])\n(?=\w)")


def plainly(text: str) -> str:
    """Return a text with one sort of apostrophes, spaces and letters, without marks of emphasis, and with "and" for its signs."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text))
        text = _UNSEEN.sub("", text.replace(_BREAK, " ") if text.count(_BREAK) > text.count(" ") else text)
    text = _EMPHASIS.sub(lambda found: found[2] or found[4], _EMPHASIS.sub(lambda found: found[2] or found[4], text))
    text = _SPACES.sub(" ", text.replace("\r\n", "\n"))
    for typed, meant in _typed():
        text = typed.sub(meant, text)
    return text


def on_one_line(text: str) -> str:
    """Return a text with lines that go on with the one before joined to it."""
    return _LINES.sub(" ", text)


@cache
def _typed() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(typed, re.IGNORECASE), meant) for typed, meant in read_wordings(__file__)["typed"]["all"]]
