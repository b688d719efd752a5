"""Names as displayed: for reading only. Ids decide."""

import unicodedata

from adapters.markup import printable

_LONGEST = 64
_SHORT = 6
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def line(text: str, most: int = _LONGEST) -> str:
    """Return text as one printable line of at most `most` characters, '' if nothing of it is visible."""
    found = " ".join(printable(text).split())[:most].strip()
    return found if any(map(_seen, found)) else ""


def localpart(user: str) -> str:
    """Return a user id's part before the server."""
    return user.removeprefix("@").partition(":")[0]


def short(event: str) -> str:
    """Return the start of an event id, by which people tell threads apart."""
    return "".join(one for one in event if one.isalnum())[:_SHORT] or "?"


def _seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZCM" and character not in _INVISIBLE
