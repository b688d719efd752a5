"""The meaning of time expressions, to be resolved against the day they are told from."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from memory.index.when.codes import Code
from memory.index.when.days import (
    LocalCalendar,
    Occurrence,
    Range,
    Yearly,
    feast,
    month_of,
    month_start,
    months,
    of_week,
    of_year,
    on,
    season,
    week_start,
)
from memory.index.when.distances import MONTHS_OF, Distance, rolling
from memory.index.when.tokens import TimeTokens
from memory.index.when.values import Window
from memory.index.when.vocabulary import Unit

Resolve = Callable[[LocalCalendar, int], Window | None]
HOURS = ((4, 12), (12, 18), (17, 24), (18, 30), (11, 14))
_WINTER = 12
"""The first month of a winter."""
_STEPS = {Occurrence.LAST: -1, Occurrence.THIS: 0, Occurrence.NEXT: 1}


class Rank(IntEnum):
    """The precedence of conflicting expressions: relative to now, then complete dates, then all others."""

    FROM_NOW = 0
    COMPLETE = 1
    LOOSE = 2


@dataclass(frozen=True, slots=True)
class Expression:
    """A time whose window depends on the calendar and a reference day. `closed` if it has two ends."""

    resolve: Resolve
    rank: Rank
    closed: bool = True

    def derived(self, made: Callable[[LocalCalendar, Window], Window | None], *, closed: bool = True) -> "Expression":
        """Return a time that is made of this one's window."""

        def resolve(calendar: LocalCalendar, at: int) -> Window | None:
            window = self.resolve(calendar, at)
            return made(calendar, window) if window else None

        return Expression(resolve, self.rank, closed)


def fixed(days: Range | None) -> Expression | None:
    """Return an expression for fixed days; None for None."""
    return Expression(lambda calendar, at: calendar.window(days), Rank.COMPLETE) if days else None


def every_year(yearly: Yearly, year: int | None = None, which: Occurrence = Occurrence.LATEST) -> Expression | None:
    """Return an annual occurrence: of a given year, or the one that is meant."""
    if year is not None:
        return fixed(yearly(year))
    rank = Rank.LOOSE if which is Occurrence.LATEST else Rank.FROM_NOW
    return Expression(lambda calendar, at: calendar.window(of_year(yearly, at, which)), rank)


def month(number: int) -> Yearly:
    """Return the days of a month, by year."""
    return lambda year: months(year * 12 + number - 1)


def quarter(number: int) -> Yearly:
    """Return the days of a quarter, by year."""
    return lambda year: months(year * 12 + 3 * number - 3, 3)


YEARLY: Mapping[str, Callable[[int], Yearly]] = {
    Code.MONTH: month, Code.SEASON: season, Code.FEAST: feast, Code.QUARTER: quarter,
}  # fmt: skip
"""What comes every year, by the code of its word and the word's value."""


def part_of_day(day: int, part: int) -> Expression:
    """Return a part of a day relative to today; nights last until the next morning."""
    return Expression(lambda calendar, at: calendar.window((at + day, at + day), *HOURS[part]), Rank.FROM_NOW)


def day_away(days: int) -> Expression:
    """Return a day relative to today."""
    return Expression(lambda calendar, at: calendar.window((at + days, at + days + 1)), Rank.FROM_NOW)


def weekday(number: int, which: Occurrence = Occurrence.LATEST, part: int | None = None) -> Expression:
    """Return a weekday, or a part of it."""

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        first, after = of_week(number, 1, at, which)
        return calendar.window((first, after)) if part is None else calendar.window((first, first), *HOURS[part])

    return Expression(resolve, Rank.LOOSE if which is Occurrence.LATEST else Rank.FROM_NOW)


def unit(number: int, which: Occurrence) -> Expression | None:
    """Return this, the last or the next week, month and so on; None for units that are not used this way, such as days."""
    if number in (Unit.MINUTE, Unit.HOUR, Unit.DAY):
        return None
    if number == Unit.FORTNIGHT:
        return None if which is Occurrence.THIS else stretch(Distance(1, Unit.FORTNIGHT), 1 if which is Occurrence.NEXT else -1)
    step = _STEPS.get(which, 0)

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        if number == Unit.WEEKEND:
            return calendar.window(of_week(5, 2, at, which))
        return calendar.window(unit_days(number, at, step))

    return Expression(resolve, Rank.FROM_NOW)


def unit_days(number: int, at: int, step: int = 0) -> Range:
    """Return the days of the week, month, quarter or year around a day, or of one `step` units away."""
    if number == Unit.WEEK:
        return week_start(at) + 7 * step, week_start(at) + 7 * step + 7
    length = MONTHS_OF.get(number, 1)
    return months(month_of(at) // length * length + length * step, length)


def stretch(away: Distance, sign: int) -> Expression:
    """Return the window from some distance ago until now, or as far ahead."""
    return Expression(lambda calendar, at: rolling(calendar, away, sign), Rank.FROM_NOW)


def day_of_month(day: int) -> Expression:
    """Return the latest occurrence of a day of the month."""

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        for index in range(month_of(at), month_of(at) - 3, -1):
            days = on(index // 12, index % 12 + 1, day)
            if days and days[0] <= at:
                return calendar.window(days)
        return None

    return Expression(resolve, Rank.LOOSE)


def in_digits(word: str) -> Expression | None:
    """Return a date in digits, year first or day first; with slashes it may be month first.

    If both readings are valid, the one usual in the time zone wins unless only the other is past; the loser becomes `instead`.
    """
    one, two, three = (int(part) for part in re.split(r"\D", word))
    if len(re.split(r"\D", word)[0]) == 4:
        return fixed(on(one, two, three))
    year = three if three > 99 else 2000 + three
    days = [days for days in (on(year, two, one), on(year, one, two) if "/" in word and one != two else None) if days]
    if len(days) < 2:
        return fixed(days[0]) if days else None

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        usual = days[::-1] if calendar.month_first else days
        first, second = (calendar.window(days) for days in sorted(usual, key=lambda days: days[0] > calendar.today))
        return replace(first, instead=second) if first else second

    return Expression(resolve, Rank.COMPLETE)


def in_short(word: str) -> Expression | None:
    """Return a date in digits without a year, or with a two-digit year."""
    parts = [int(part) for part in re.split(r"\D", word)]
    if len(parts) > 2:
        return in_digits(word)
    readings = [
        (day, month) for day, month in (parts, parts[::-1] if "/" in word else parts) if 1 <= month <= 12 and 1 <= day <= 31
    ]
    if not readings:
        return None

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        day, month = readings[-1 if calendar.month_first else 0]
        return calendar.window(of_year(lambda year: on(year, month, day), at, Occurrence.LATEST))

    return Expression(resolve, Rank.LOOSE)


def year_of(word: str) -> Expression | None:
    """Return a year, a month as 2023-03, or years as 2021-2023, 2024/25."""
    first, *rest = (int(part) for part in re.split(r"\D", word))
    if not rest:
        return fixed(months(first * 12, 12))
    if "-" in word and 1 <= rest[0] <= 12:
        return fixed(months(first * 12 + rest[0] - 1))
    last = rest[0] if rest[0] > 99 else first // 100 * 100 + rest[0]
    return fixed((month_start(first * 12), month_start(last * 12 + 12))) if first < last else None


def alone(tokens: TimeTokens, at: int) -> Expression | None:
    """Return the meaning of a single word: a month, year, weekday, season, feast, quarter, weekend or short date."""
    code, value = tokens.codes[at], tokens.values[at]
    if code in YEARLY:
        return every_year(YEARLY[code](value))
    match code:
        case Code.YEAR:
            return year_of(tokens.words[at])
        case Code.WEEKDAY | Code.SHORT_WEEKDAY:
            return weekday(value)
        case Code.UNIT if value == Unit.WEEKEND:
            return Expression(lambda calendar, at: calendar.window(of_week(5, 2, at, Occurrence.LATEST)), Rank.LOOSE)
        case Code.SHORT_DATE:
            return in_short(tokens.words[at])
    return None


def chosen(tokens: TimeTokens, at: int, which: Occurrence, part: int | None) -> Expression | None:
    """Return this, the last or the next of what a word names; `part` is a part of that day."""
    code, value = tokens.codes[at], tokens.values[at]
    if code == Code.SEASON and value == _WINTER and which is Occurrence.THIS:
        return Expression(_this_winter, Rank.FROM_NOW)
    if code in YEARLY:
        return every_year(YEARLY[code](value), which=which)
    match code:
        case Code.UNIT:
            return unit(value, which)
        case Code.WEEKDAY | Code.SHORT_WEEKDAY:
            return weekday(value, which, part)
        case Code.PART_OF_DAY:
            if which is Occurrence.NEXT:
                return None
            return part_of_day(-1 if which is Occurrence.LAST else 0, value)
    return None


def before_last(code: str, value: int, back: int = 2) -> Expression | None:
    """Return the second last occurrence of what a word names, or the `back`-th last; 1 is the last."""

    def resolve(calendar: LocalCalendar, at: int) -> Window | None:
        match code:
            case Code.WEEKDAY | Code.SHORT_WEEKDAY:
                return calendar.window(of_week(value, 1, at - 7 * (back - 1), Occurrence.LAST))
            case Code.PART_OF_DAY:
                return calendar.window((at - back, at - back), *HOURS[value])
            case Code.UNIT if value == Unit.WEEKEND:
                return calendar.window(of_week(5, 2, at - 7 * (back - 1), Occurrence.LAST))
            case Code.UNIT:
                return calendar.window(unit_days(value, at, -back))
        days: Range | None = (at, at)
        for _ in range(back):
            days = days and of_year(YEARLY[code](value), days[0], Occurrence.LAST)
        return calendar.window(days)

    countable = code != Code.UNIT or unit(value, Occurrence.LAST) is not None
    return Expression(resolve, Rank.FROM_NOW) if countable and back > 0 else None


def _this_winter(calendar: LocalCalendar, at: int) -> Window | None:
    """Return the winter during which this year began; from July on, that during which it ends."""
    year = month_of(at) // 12 + month_of(at) % 12 // 6
    return calendar.window(months(year * 12 - 1, 3))
