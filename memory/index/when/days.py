"""Local days as instants, and the days of months, of seasons of the northern hemisphere, of feasts and of weeks.

Days are proleptic ordinals as of `date.toordinal` and may lie beyond the calendar; such days are clamped when converted to
instants. A range of days is its first day and the day after its last.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from zoneinfo import ZoneInfo

from memory.index.when.values import Window
from memory.text.time.times import instant, local
from memory.text.time.zones import Zones, current, zone

Range = tuple[int, int]
Yearly = Callable[[int], Range | None]
"""A function of a year that returns the days of something in it; None if it has none, such as a February 29."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = instant(datetime(1, 1, 1, tzinfo=UTC))
LATEST = instant(datetime(9999, 1, 1, tzinfo=UTC))
DAY = 86_400_000_000
_LAST_DAY = date(9999, 1, 1).toordinal()
_LEAP_YEARS_APART = 8
_MONTH_FIRST = frozenset(
    """America/New_York America/Detroit America/Chicago America/Menominee America/Denver America/Boise America/Phoenix
    America/Los_Angeles America/Anchorage America/Juneau America/Nome America/Sitka Pacific/Honolulu""".split()
)
_FIXED = {
    0: (2, 14, 1),  # Valentine's Day
    2: (7, 4, 1),  # Independence Day
    3: (10, 31, 1),  # Halloween
    5: (12, 24, 1),  # Christmas Eve
    6: (12, 24, 3),  # Christmas
    7: (12, 25, 1),  # Christmas Day
    8: (12, 26, 1),  # Boxing Day
    9: (12, 31, 1),  # New Year's Eve
    10: (1, 1, 1),  # New Year's Day
    16: (12, 6, 1),  # St Nicholas
    25: (11, 1, 1),  # All Saints
    26: (10, 3, 1),  # German Unity
    30: (3, 17, 1),  # St Patrick
    33: (12, 25, 2),  # both of these days
}
_FROM_EASTER = {
    **{1: (-2, 4), 12: (-2, 1), 13: (0, 1), 14: (1, 1)},  # Easter from Good Friday on, and its single days
    **{17: (49, 2), 18: (49, 1), 19: (50, 1)},  # Whitsun and its single days
    **{20: (39, 1), 21: (60, 1), 22: (-48, 1), 23: (-46, 1), 24: (-3, 1)},
}
_NTH_WEEKDAYS = {4: (11, 3, 4, 0), 15: (11, 3, 4, 1), 27: (5, 6, 2, 0), 28: (5, 0, -1, 0), 29: (9, 0, 1, 0)}
"""Thanksgiving, Black Friday, Mother's Day, Memorial Day, Labor Day: month (1 to 12), weekday (0 is Monday), whether it is the
first, second or last (-1), and how many days behind it the feast is."""
_NEW_YEAR = 11


class Occurrence(Enum):
    """Which occurrence is meant: the latest begun, the last one over, the one of this year or week, or the next."""

    LATEST = 0
    LAST = 1
    THIS = 2
    NEXT = 3


@dataclass(frozen=True, slots=True)
class LocalCalendar:
    """The present in a time zone: `now` in microseconds UTC, `today` as an ordinal."""

    now: int
    zone: ZoneInfo | Zones
    today: int

    @classmethod
    def at(cls, now: int, time_zone: str) -> "LocalCalendar":
        """Return the calendar at an instant, clamped to the supported range. Raises ZoneInfoNotFoundError."""
        now = min(max(now, EARLIEST + 2 * DAY), LATEST - 2 * DAY)
        return cls(now, zone(time_zone), local(now, time_zone).toordinal())

    @property
    def month_first(self) -> bool:
        """Whether dates are written month first in this time zone."""
        here = current(self.zone.key)
        return here in _MONTH_FIRST or here.startswith(("US/", "America/Indiana/", "America/Kentucky/"))

    def day_of(self, at: int) -> int:
        """Return the local day of an instant."""
        at = min(max(at, EARLIEST + 2 * DAY), LATEST - 2 * DAY)
        return self._wall(at).toordinal()

    def window(self, days: Range | None, from_hour: int = 0, to_hour: int = 0) -> Window | None:
        """Return a range of days as a window, its ends shifted by hours of local wall time; None if there are none."""
        if days is None:
            return None
        start, end = self._instant(days[0], from_hour), self._instant(days[1], to_hour, ends=True)
        return Window(start, end) if start < end else None

    def _instant(self, day: int, hour: int, ends: bool = False) -> int:
        if not 1 <= day < _LAST_DAY:
            return EARLIEST if day < 1 else LATEST
        wall = datetime.fromordinal(day + hour // 24).replace(hour=hour % 24)
        one, other = (instant(wall.replace(tzinfo=self.zone, fold=fold)) for fold in (0, 1))
        if one < other:
            # If the clock is set back across midnight, the day before extends to the second midnight.
            return other if ends and self._wall(other - 1) < wall else one
        # The clock may skip that time: the first instant at or after it counts.
        return max(EARLIEST, other + bisect_left(range(other, one), wall, key=self._wall))

    def _wall(self, at: int) -> datetime:
        return (_EPOCH + timedelta(microseconds=at)).astimezone(self.zone).replace(tzinfo=None)


def month_start(index: int) -> int:
    """Return the first day of a month, counted from January of year 0."""
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        return 0 if year < 1 else _LAST_DAY
    return date(year, month + 1, 1).toordinal()


def month_of(day: int) -> int:
    """Return the month of a day, counted from January of year 0."""
    at = date.fromordinal(min(max(day, 1), _LAST_DAY))
    return at.year * 12 + at.month - 1


def months(first: int, count: int = 1) -> Range:
    """Return the days of `count` consecutive months."""
    return month_start(first), month_start(first + count)


def months_away(day: int, count: int) -> int:
    """Return the same day of the month `count` months away, or the last day of that month."""
    target = month_of(day) + count
    of_month = day - month_start(month_of(day))
    return min(month_start(target) + of_month, month_start(target + 1) - 1)


def on(year: int, month: int, day: int) -> Range | None:
    """Return the range of one date; None if the calendar has no such day."""
    try:
        first = date(year, month, day).toordinal()
    except ValueError:
        return None
    return first, first + 1


def weekday_of(day: int) -> int:
    """Return the weekday of a day; 0 is Monday."""
    return (day - 1) % 7


def week_start(day: int) -> int:
    """Return the Monday of a day's week."""
    return day - weekday_of(day)


def nth_weekday(days: Range, weekday: int, number: int) -> int:
    """Return the first, second or last (-1) such weekday of a range of days; it may lie behind them."""
    first, after = days
    if number < 0:
        return after - 1 - (weekday_of(after - 1) - weekday) % 7
    return first + (weekday - weekday_of(first)) % 7 + 7 * (number - 1)


def third(days: Range, number: int) -> Range:
    """Return one of three equal parts, counted from 0: whole months of a year, days of anything shorter."""
    first, after = days
    length = after - first
    if length in (365, 366):
        return months(month_of(first) + 4 * number, 4)
    return first + length * number // 3, first + length * (number + 1) // 3


def of_year(yearly: Yearly, at: int, which: Occurrence) -> Range | None:
    """Return the occurrence that is meant, seen from a day."""
    year = month_of(at) // 12
    if which is Occurrence.THIS:
        containing = (days for y in (year + 1, year, year - 1) if (days := yearly(y)) and days[0] <= at < days[1])
        return next(containing, yearly(year))
    if which is Occurrence.NEXT:
        ahead = map(yearly, range(year, year + _LEAP_YEARS_APART + 1))
        return next((days for days in ahead if days and days[0] > at), None)
    # The New Year of the next year begins in this one.
    behind = map(yearly, range(year + 1, year - _LEAP_YEARS_APART - 1, -1))
    return next((days for days in behind if days and (days[0] <= at if which is Occurrence.LATEST else days[1] <= at)), None)


def of_week(weekday: int, length: int, at: int, which: Occurrence) -> Range:
    """Return the occurrence that is meant of `length` days from a weekday (0 is Monday), seen from a day."""
    first = week_start(at) + weekday
    match which:
        case Occurrence.LATEST:
            first -= 7 * (first > at)
        case Occurrence.LAST:
            first -= 7 * (first + length > at)
        case Occurrence.NEXT:
            first += 7 * (first <= at)
    return first, first + length


def season(first_month: int) -> Yearly:
    """Return the three months of a season, by year; a winter belongs to the year in which it begins."""
    return lambda year: months(year * 12 + first_month - 1, 3)


def feast(number: int) -> Yearly:
    """Return the days of a feast, by year: Easter lasts from Good Friday to Monday, New Year includes the day before."""

    def days(year: int) -> Range | None:
        if not 1 <= year < 9999:
            return None
        if number in _FROM_EASTER:
            away, length = _FROM_EASTER[number]
            first = _easter(year).toordinal() + away
            return first, first + length
        if number in _NTH_WEEKDAYS:
            month, weekday, nth, behind = _NTH_WEEKDAYS[number]
            first = nth_weekday(months(year * 12 + month - 1), weekday, nth) + behind
            return first, first + 1
        if number == _NEW_YEAR:
            new_year = month_start(year * 12)
            return new_year - 1, new_year + 1
        month, day, length = _FIXED[number]
        first_day = on(year, month, day)
        return first_day and (first_day[0], first_day[0] + length)

    return days


def _easter(year: int) -> date:
    """Return the Gregorian Easter Sunday (Meeus, Jones and Butcher)."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)
