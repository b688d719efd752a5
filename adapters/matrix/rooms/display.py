"""Names as they are shown: for reading only. Ids decide."""

import unicodedata

from adapters.markup import printable

_LONGEST = 64
_SHORT = 6
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def line(text: str, most: int = _LONGEST) -> str:
    """Return text as one printable line of at most so many characters, '' where nothing of it can be seen."""
    found = " ".join(printable(text).split())[:most].strip()
    return found if any(map(_seen, found)) else ""


def localpart(user: str) -> str:
    """Return what stands in a user's id before the server."""
    return user.removeprefix("@").partition(":")[0]


def short(event: str) -> str:
    """Return the beginning of an event's id, for people to tell threads apart by."""
    return "".join(one for one in event if one.isalnum())[:_SHORT] or "?"


def _seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZCM" and character not in _INVISIBLE
