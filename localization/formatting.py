"""Dates, months, spans of time and lists of names as people write them."""

from collections.abc import Sequence
from datetime import date, timedelta

from localization.numerals import cldr, locale
from localization.sentences import _

_UNITS = (("year", 365 * 24 * 60), ("month", 30 * 24 * 60), ("day", 24 * 60), ("hour", 60), ("minute", 1))
"""The units of a span, with their length in minutes."""
_FIRST = {"fr": "1er", "it": "1º", "pt": "1º"}
_FROM = {"year": 2, "month": 2}
"""The smallest count for which a unit is used: "40 days" is more exact than "a month"."""


def ago(span: timedelta) -> str:
    """Return how long ago something was: just now, 3 minutes ago, 4 days ago, 2 years ago."""
    minutes = max(timedelta(), span) // timedelta(minutes=1)
    for unit, length in _UNITS:
        if (n := minutes // length) >= _FROM.get(unit, 1):
            # Always this unit, rather than a larger one from some count on.
            text: str = cldr("dates").format_timedelta(
                -timedelta(minutes=n * length), granularity=unit, threshold=10_000, add_direction=True, locale=locale()
            )
            return text
    return _("just now")


def day(then: date) -> str:
    """Return a date: 3 March 2026."""
    text: str = cldr("dates").format_date(then, "long", locale=locale())
    # CLDR has no ordinal for the first of a month, which some languages require.
    return f"{_FIRST[locale()]}{text[1:]}" if then.day == 1 and locale() in _FIRST else text


def weekday(then: date) -> str:
    """Return a date with its day of the week: Tuesday, 3 March 2026."""
    text: str = cldr("dates").format_date(then, "full", locale=locale())
    return text


def month(then: date) -> str:
    """Return a month with its year: March 2026."""
    return _by_skeleton("yMMMM", then)


def short_day(then: date) -> str:
    """Return a short date without its year, for charts: 3 Mar."""
    return _by_skeleton("MMMd", then)


def short_month(then: date) -> str:
    """Return a short month with its year, for charts: Mar 2026."""
    return _by_skeleton("yMMM", then)


def _by_skeleton(skeleton: str, then: date) -> str:
    text: str = cldr("dates").format_skeleton(skeleton, then, locale=locale())
    return text


def listed(names: Sequence[str], *, alternatives: bool = False) -> str:
    """Join names into a list: a, b and c; with `alternatives`, a, b or c."""
    if len(names) < 2:
        return "".join(names)
    style = "or" if alternatives else "standard"
    text: str = cldr("lists").format_list(list(names), style, locale=locale())
    return text
