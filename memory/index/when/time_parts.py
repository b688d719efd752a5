"""Parts of a time and distances from it: "early March", "the last week of May", "two weeks before March 5"."""

import re

from memory.index.when.codes import Code, compiled
from memory.index.when.days import LocalCalendar, Occurrence, Range, months_away, nth_weekday, third
from memory.index.when.distances import AWAY, beside, distance
from memory.index.when.expressions import HOURS, Expression, before_last, every_year, month, quarter, unit, unit_days
from memory.index.when.parsing import ANY, Parse
from memory.index.when.values import Window
from memory.index.when.vocabulary import Unit

LAST = -1
_THIRDS = 3
_NOUNS = frozenset("start begin beginning end middle".split())
_THIRD = compiled(rf"THE? STAGE (?:- | OF THE?)? (?P<whole>{ANY}) | THE? STAGE OF THE (?P<unit>UNIT)")
_NTH = compiled(
    rf"THE? (?P<which>[ORDINAL LAST]) (?P<what>[UNIT WEEKDAY]) (?:[OF IN] THE? (?P<whole>{ANY}) | OF THE (?P<unit>UNIT))"
    r" | THE? (?P<quarter>ORDINAL) UNIT"
)
_NTH_IN_ONE_WORD = compiled(r"THE? (?P<which>[ORDINAL LAST]) (?P<month>MONTH_WEEK)")
_UNIT_OF = compiled(rf"THE? (?P<unit>UNIT) OF THE? (?P<whole>{ANY})")
_PART = compiled(r"THE? PART_OF_DAY OF THE? (?P<day>(?:UNDERSTOOD | WEEKDAY | SHORT_WEEKDAY)=*)")
_BESIDE = compiled(
    rf"(?P<away>{AWAY}) (?P<side>[BEFORE AFTER]) THE? (?P<event>{ANY})"
    r" | THE? (?P<two>[UNIT WEEKDAY PART_OF_DAY MONTH SEASON FEAST]) BEFORE LAST (?!UNIT)"
)
_LAST_BEFORE = compiled(rf"(?P<last>UNDERSTOOD=*) BEFORE THE? (?P<event>{ANY})")


def join_parts(reading: Parse) -> None:
    """Parse parts of times, then distances from times."""
    if Code.STAGE in reading.codes:
        reading.join(_THIRD, _third)
    if Code.MONTH_WEEK in reading.codes:
        reading.join(_NTH_IN_ONE_WORD, _nth_in_one_word)
    if Code.UNIT in reading.codes or Code.WEEKDAY in reading.codes:
        reading.join(_NTH, _nth)
        reading.join(_UNIT_OF, _unit_of)
    if Code.PART_OF_DAY in reading.codes:
        reading.join(_PART, _part)
    if Code.BEFORE in reading.codes or Code.AFTER in reading.codes:
        reading.join(_BESIDE, _beside)
        reading.join(_LAST_BEFORE, _last_before)


def days_of(calendar: LocalCalendar, window: Window) -> Range:
    """Return the days that a window touches."""
    return calendar.day_of(window.start), calendar.day_of(window.end - 1) + 1


def _whole(reading: Parse, m: re.Match[str]) -> Expression | None:
    if m["unit"]:
        return unit(reading.tokens.values[m.start("unit")], Occurrence.THIS)
    return reading.piece(m.start("whole"))


def _third(reading: Parse, m: re.Match[str]) -> Expression | None:
    at = m.start() + m.group().index(Code.STAGE)
    whole = _whole(reading, m)
    verb = Code.OF not in m.group() and reading.tokens.words[at] in _NOUNS
    if whole is None or verb:
        return None

    def made(calendar: LocalCalendar, window: Window) -> Window | None:
        days = days_of(calendar, window)
        return calendar.window(third(days, reading.tokens.values[at])) if days[1] - days[0] >= _THIRDS else window

    return whole.derived(made)


def _nth(reading: Parse, m: re.Match[str]) -> Expression | None:
    if m["quarter"]:
        number, kind = reading.tokens.values[m.start("quarter")], reading.tokens.values[m.end() - 1]
        return every_year(quarter(number)) if kind == Unit.QUARTER and 1 <= number <= 4 else None
    whole = _whole(reading, m)
    kind = reading.tokens.values[m.start("what")]
    number = LAST if m["which"] == Code.LAST else reading.tokens.values[m.start("which")]
    weekday = kind if m["what"] == Code.WEEKDAY else None
    return whole and _nth_of(whole, number, kind, weekday)


def _nth_in_one_word(reading: Parse, m: re.Match[str]) -> Expression | None:
    """Parse "die erste Märzwoche"."""
    number = LAST if m["which"] == Code.LAST else reading.tokens.values[m.start("which")]
    value = reading.tokens.values[m.start("month")]
    whole = every_year(month(value % 100))
    return whole and _nth_of(whole, number, Unit.WEEKEND if value > 100 else Unit.WEEK)


def _nth_of(whole: Expression, number: int, kind: int, weekday: int | None = None) -> Expression:
    def made(calendar: LocalCalendar, window: Window) -> Window | None:
        days = days_of(calendar, window)
        return calendar.window(_counted(days, kind, number) if weekday is None else _weekday_of(days, weekday, number))

    return whole.derived(made)


def _weekday_of(days: Range, weekday: int, number: int) -> Range | None:
    """Return the first, second or last occurrence of a weekday within a range of days."""
    found = nth_weekday(days, weekday, number)
    return (found, found + 1) if days[0] <= found < days[1] else None


def _counted(days: Range, kind: int, number: int) -> Range | None:
    """Return the first, second or last day, week, weekend, month or quarter of a range; a week is any seven days."""
    (first, after), last = days, number == LAST
    if kind in (Unit.MONTH, Unit.QUARTER):
        length = 3 if kind == Unit.QUARTER else 1
        found = (months_away(after, -length), after) if last else (
            months_away(first, length * (number - 1)), months_away(first, length * number)
        )  # fmt: skip
    elif kind == Unit.WEEKEND:
        saturday = nth_weekday(days, 5, number)
        found = saturday, min(saturday + 2, after)
    elif kind in (Unit.DAY, Unit.WEEK):
        length = 7 if kind == Unit.WEEK else 1
        found = (after - length, after) if last else (first + length * (number - 1), first + length * number)
    else:
        return None
    return found if first <= found[0] and found[1] <= after else None


def _unit_of(reading: Parse, m: re.Match[str]) -> Expression | None:
    """Parse "the week of March 5", and "the month of May", which is just May."""
    whole, number = reading.piece(m.start("whole")), reading.tokens.values[m.start("unit")]
    if whole is None or number not in (Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.WEEKEND):
        return None

    def made(calendar: LocalCalendar, window: Window) -> Window | None:
        if number not in (Unit.WEEK, Unit.WEEKEND):
            return window
        monday, after = unit_days(Unit.WEEK, calendar.day_of(window.start))
        return calendar.window((after - 2 if number == Unit.WEEKEND else monday, after))

    return whole.derived(made)


def _part(reading: Parse, m: re.Match[str]) -> Expression | None:
    day = reading.piece(m.start("day"))
    hours = HOURS[reading.tokens.values[m.start() + m.group().index(Code.PART_OF_DAY)]]
    if day is None:
        return None

    def made(calendar: LocalCalendar, window: Window) -> Window | None:
        first, after = days_of(calendar, window)
        return calendar.window((first, first), *hours) if after - first == 1 else window

    return day.derived(made)


def _beside(reading: Parse, m: re.Match[str]) -> Expression | None:
    tokens = reading.tokens
    if m["two"]:
        return before_last(m["two"], tokens.values[m.start("two")])
    event = reading.piece(m.start("event"))
    away = distance(tokens, m.start(), m.end("away"))
    if event is None or away.by_the_clock or (m.start() and tokens.words[m.start() - 1] == "many"):
        return None
    sign, whole = -1 if m["side"] == Code.BEFORE else 1, m.group()[0] == Code.THE
    return event.derived(lambda calendar, window: calendar.window(beside(days_of(calendar, window), away, sign, whole)))


def _last_before(reading: Parse, m: re.Match[str]) -> Expression | None:
    last, event = reading.piece(m.start("last")), reading.piece(m.start("event"))
    if last is None or event is None or Code.LAST not in reading.tokens.codes[m.start("last") : m.end("last")]:
        return None
    return event.derived(lambda calendar, window: last.resolve(calendar, calendar.day_of(window.start)))
