"""Which day a message announces something for: "my exam is on Friday", "we fly in two weeks"."""

import re
from datetime import date

from memory.text.dates import dates
from memory.text.relative_dates import Telling

_AHEAD = re.compile(
    r"(?i)\b(?:tomorrow|next|will|going|plan|planned|i['’]ll|we['’]ll|have|has|is|are|am|i['’]m|we['’]re|meet|fly|leave|starts?|begins?|move"
    r"|morgen|übermorgen|werde|habe|haben|ist|sind|fliege|fliegen|treffe|mañana|tengo|tenemos|voy|vamos|demain|j['’]ai|vais)\b"
)
_BEHIND = re.compile(
    r"(?i)\b(?:was|were|had|did|went|got|came|yesterday|ago|last|war|hatte|gestern|fue|ayer|hier|every|each|usually|always|often|never"
    r"|jeden|immer|siempre|cada|\w{3,}ed)\b"
)
_MOST_CHARACTERS = 600
_LONGEST = 400


def coming(text: str, at: date) -> date | None:
    """Return the last of the days that a message said on a day looks forward to, None where it announces nothing."""
    if len(text) > _MOST_CHARACTERS or text.rstrip().endswith("?") or _BEHIND.search(text) or not _AHEAD.search(text):
        return None
    # Without its year a date is the next one.
    told = [*Telling(at, text).days, *(one for _, readings in dates(text) for one in readings)]
    ahead = [found for one in told if (found := _day(at, *one)) and 0 < (found - at).days <= _LONGEST]
    return max(ahead, default=None)


def _day(at: date, year: int | None, month: int | None, day: int | None) -> date | None:
    try:
        if not month or not day:
            return None
        first = date(year or at.year, month, day)
        return first if year or first > at else date(at.year + 1, month, day)
    except ValueError:
        return None
