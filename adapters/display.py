"""Names and other short texts as displayed: for reading only. Ids decide."""

import unicodedata

from adapters.markup import printable

_LONGEST = 64
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")

CALL_END = r"(?:[,:;](?![()])|\s+[,:;](?=\s|\Z))"
"""A pattern of what parts a call by name from what is said: "Lyra: hi", "Lyra : salut", and not the smile of "Lyra :)"."""


def line(text: str, most: int = _LONGEST) -> str:
    """Return text as one printable line of at most `most` characters, '' if nothing of it is visible."""
    found = " ".join(printable(text).split())[:most].strip()
    return found if is_visible(found) else ""


def is_visible(text: str) -> bool:
    """Return whether anything of a text can be seen."""
    return any(unicodedata.category(one)[0] not in "ZCM" and one not in _INVISIBLE for one in text)


def clean(text: str) -> str:
    """Return text without characters that no text should contain: NUL, and halves of surrogate pairs."""
    return "".join(one for one in text if one != "\0" and not "\ud800" <= one <= "\udfff")
