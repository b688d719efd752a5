"""Distances in time: "two weeks", "a couple of months", "half a year"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.index.when.codes import Code
from memory.index.when.days import DAY, LocalCalendar, Occurrence, Range, months_away, of_week
from memory.index.when.tokens import TimeTokens
from memory.index.when.values import Window
from memory.index.when.vocabulary import VAGUE, Unit

COUNT = "(?:NUMBER (?:-? NUMBER)? OF? | DIGITS | DAYS)"
A_NUMBER = "(?:ARTICLE? NUMBER (?:-? NUMBER)? OF? | DIGITS | DAYS | ARTICLE)"
A_HALF = "(?:ARTICLE? HALF ARTICLE?)"
AWAY = f"(?:(?:THE? {A_NUMBER} | {A_HALF} | THE)? UNIT | THE PART_OF_DAY)"
"""A distance that may precede "before" or "after"."""

_CLOCK: Mapping[int, int] = {Unit.MINUTE: 60_000_000, Unit.HOUR: 3_600_000_000}
_DAYS: Mapping[int, int] = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14, Unit.WEEKEND: 7}
MONTHS_OF: Mapping[int, int] = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}
"""How many months a unit has."""
_MONTH_LENGTH = 30 * DAY + DAY * 7 // 16
_HALVES: Mapping[int, tuple[int, int]] = {
    Unit.HOUR: (30, Unit.MINUTE),
    Unit.DAY: (12, Unit.HOUR),
    Unit.WEEK: (3, Unit.DAY),
    Unit.MONTH: (15, Unit.DAY),
    Unit.QUARTER: (6, Unit.WEEK),
    Unit.YEAR: (6, Unit.MONTH),
}
_FEW = 3
_COUNTED_OFF = 7


@dataclass(frozen=True, slots=True)
class Distance:
    """A number of units of time; `vague` if the number was."""

    count: int
    unit: int
    vague: bool = False

    @property
    def length(self) -> int:
        """The distance in microseconds; months and years have their average length."""
        if self.unit in _CLOCK:
            return self.count * _CLOCK[self.unit]
        if self.unit in _DAYS:
            return self.count * _DAYS[self.unit] * DAY
        return self.count * MONTHS_OF[self.unit] * _MONTH_LENGTH

    @property
    def by_the_clock(self) -> bool:
        """Whether the unit is minutes or hours."""
        return self.unit in _CLOCK

    def slack(self, length: int) -> int:
        """Return the tolerance of a length: a quarter, half if vague, none for a few counted days."""
        if self.unit == Unit.DAY and self.count < _COUNTED_OFF and not self.vague:
            return 0
        return length // (2 if self.vague else 4)

    def from_day(self, day: int, sign: int) -> int:
        """Return the day this far after (1) or before (-1) a day; minutes and hours count as no days."""
        if self.unit in _DAYS:
            return day + sign * self.count * _DAYS[self.unit]
        return months_away(day, sign * self.count * MONTHS_OF[self.unit]) if self.unit in MONTHS_OF else day


def distance(tokens: TimeTokens, start: int, end: int) -> Distance:
    """Return the distance of tokens that end with a unit or a part of the day; without a number it is a few units."""
    codes, words = tokens.codes[start:end], tokens.words[start:end]
    if Code.PART_OF_DAY in codes:
        return Distance(1, Unit.DAY)
    # French "an", a year, looks like the English article.
    unit = tokens.values[start + codes.rindex(Code.UNIT)] if Code.UNIT in codes else Unit.YEAR
    if Code.HALF in codes:
        return Distance(*_HALVES.get(unit, (1, unit)))
    numbers = [tokens.values[start + n] for n, code in enumerate(codes) if code in (Code.NUMBER, Code.DIGITS, Code.DAYS)]
    vague = not VAGUE.isdisjoint(words)
    if numbers:
        return Distance(sum(numbers) if Code.DAYS not in codes else numbers[-1], unit, vague)
    return Distance(1, unit) if Code.ARTICLE in codes or Code.THE in codes else Distance(_FEW, unit, True)


def ago(calendar: LocalCalendar, away: Sequence[Distance], sign: int) -> Window | None:
    """Return the window around the point at a distance before (-1) or after (1) now, with the distance's tolerance on both sides."""
    last = away[-1]
    if last.by_the_clock:
        length = sum(each.length for each in away)
        slack = max(last.slack(length), _CLOCK[Unit.MINUTE])
        then = calendar.now + sign * length
        return Window(then - slack, then + slack, None if last.vague else then)
    if last.unit == Unit.WEEKEND:
        first, after = of_week(5, 2, calendar.today, Occurrence.LAST if sign < 0 else Occurrence.NEXT)
        return calendar.window((first + sign * 7 * (last.count - 1), after + sign * 7 * (last.count - 1)))
    day = calendar.today
    for each in away:
        day = each.from_day(day, sign)
    slack = last.slack(abs(calendar.today - day))
    window, itself = calendar.window((day - slack, day + slack + 1)), calendar.window((day, day + 1))
    if window is None or itself is None or last.vague:
        return window
    return replace(window, heart=(itself.start + itself.end) // 2)


def rolling(calendar: LocalCalendar, away: Distance, sign: int) -> Window | None:
    """Return the window from some distance before now to the end of today (-1), or from today as far ahead (1)."""
    if away.vague:
        away = Distance(away.count + away.count // 2, away.unit)
    if away.by_the_clock:
        here, there = calendar.now, calendar.now + sign * away.length
        return Window(min(here, there), max(here, there) + 1)
    day = away.from_day(calendar.today, sign)
    return calendar.window((min(day, calendar.today), max(day, calendar.today) + 1))


def beside(days: Range, away: Distance, sign: int, whole: bool) -> Range:
    """Return the days at a distance before (-1) or after (1) others; everything up to there if `whole`."""
    near = days[0] if sign < 0 else days[1] - 1
    day = away.from_day(near, sign)
    if whole:
        return (day, near) if sign < 0 else (near + 1, day + 1)
    slack = away.slack(abs(near - day))
    return day - slack, day + slack + 1
