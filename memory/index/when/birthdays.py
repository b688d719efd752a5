"""A birthday as a time: "on my birthday", "how was Nora's birthday?". Which day that is, is looked up in what was said."""

import re
from calendar import isleap
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from memory.index.when.question import asked
from memory.index.when.values import Window
from memory.text.times import instant, local, zone
from memory.types import Exchange, Kind

_PHRASE = re.compile(
    r"(?i)\b(?:(?:on|an|en|for|spend|celebrate)\s+|how (?:was|were|did)\s+|wie war\s+|cómo fue\s+)"
    r"((?:my|our|mein\w*|mi|[^\W\d_]+['’]s)\s+(?:last\s+)?(?:birthday|geburtstag|cumpleaños))\b"
)
_OWN = re.compile(r"(?i)(?:my|our|mein\w*|mi)\b")


def birthday(question: str) -> re.Match[str] | None:
    """Return where a question names a birthday as its time: the whole expression, and as its group whose birthday it is."""
    return _PHRASE.search(question)


def celebrated(whose: str, told: Sequence[Exchange], asker: str, now: int, time_zone: str) -> Window | None:
    """Return the latest day of a birthday at an instant, by what people said, None where nobody said when it is.

    The newest message that has a time beside the birthday tells it, else the newest that names it. What one calls "my birthday"
    is one's own: `asker` said it, or anybody where that is ''.
    """
    whose = re.sub(r"(?i)\s+last\s+", " ", whose)
    own = _OWN.match(whose) is not None
    telling = [
        one
        for one in told
        if re.search(rf"(?i)\b{re.escape(whose)}\b", one.text)
        and not one.text.rstrip().endswith("?")
        and one.kind is Kind.SAID
        and one.role == "user"
        and (not own or not asker or one.speaker.casefold() == asker.casefold())
    ]
    if not telling:
        return None
    newest = max(telling, key=lambda one: (_day(one, time_zone) is not None, one.said_at))
    return _anniversary(_day(newest, time_zone) or newest.said_at, now, time_zone)


def _day(told: Exchange, time_zone: str) -> int | None:
    """Return when the time that a message tells begins; None for one that tells none, or one that is over when it is said."""
    when = asked(told.text, told.said_at, time_zone).window
    return when.start if when and when.end > told.said_at else None


def _anniversary(day: int, now: int, time_zone: str) -> Window:
    """Return the last day before the end of today that has the date of an instant."""
    then, today = local(day, time_zone), local(now, time_zone).date()
    years = (year for year in range(today.year, today.year - 9, -1) if _has(year, then.month, then.day))
    year = next((year for year in years if date(year, then.month, then.day) <= today), then.year)
    start = datetime(year, then.month, then.day, tzinfo=zone(time_zone))
    return Window(instant(start), instant(start + timedelta(days=1)))


def _has(year: int, month: int, day: int) -> bool:
    return (month, day) != (2, 29) or isleap(year)
