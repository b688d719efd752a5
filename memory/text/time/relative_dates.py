"""Relative dates: the days meant by "yesterday", "on Friday" and "in three weeks"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property

from memory.text.numbers import COUNT_WORDS
from memory.text.time.dates import MONTHS, WEEKDAYS, WORD, Day, blanked, by_word, dates

_AWAY = by_word(
    {
        -2: "vorgestern avanthier anteayer",
        -1: "yesterday gestern hier ayer ieri ontem gisteren wczoraj вчера",
        1: "tomorrow morgen demain mañana domani amanhã jutro завтра",
        2: "übermorgen",
    }
)
_LAST = frozenset(
    "last past letzte letzten letzter letztes letztem vergangene vergangenen dernier dernière pasado pasada".split()
)
_NEXT = frozenset("next coming nächste nächsten nächster nächstes kommende kommenden prochain prochaine próximo próxima".split())
_THIS = frozenset("this diese diesen dieser dieses diesem ce cette este esta".split())
_UNITS = by_word(
    {
        "day": "day days night nights nacht tag tage tagen jour jours día días dia dias giorno giorni",
        "week": "week weeks woche wochen semaine semaines semana semanas",
        "weekend": "weekend weekends wochenende wochenenden",
        "month": "month months monat monate monaten monats mois mes meses",
        "year": "year years jahr jahre jahren jahres ans an année año años",
    }
)
_AGO = frozenset("ago before earlier since vor seit depuis desde hace".split())
_AHEAD = frozenset("in within from hence later".split())
_FUTURE = frozenset("will shall ll going plan plans planning next soon birthday due until till by turns".split())
_SEASONS = by_word(
    {
        1: "winter", 4: "easter spring ostern frühling pâques printemps pascua primavera", 6: "pentecost pfingsten",
        7: "summer sommer été verano", 10: "autumn fall herbst automne otoño", 12: "christmas weihnachten noël navidad",
    }
)  # fmt: skip
_LATELY = frozenset("recently lately neulich kürzlich récemment".split())
_TELLING = frozenset([*_AWAY, *_LATELY, *_UNITS, *WEEKDAYS, *(f"{day}s" for day in WEEKDAYS)])
"""Words that tell a day relative to when they are said."""
_ORDINAL = re.compile(r"(?<![\w.,:])(\d\d?)(?:st|nd|rd|th|\.(?=\s))|\b(?:the|am|zum)\s+(\d\d?)(?![\w.,:]*\d)", re.IGNORECASE)
_LONGEST = 9999
_LATE_MONTHS, _NEAR_MONTHS, _FAR_MONTHS = 3, 7, 12
_FEW, _SEVERAL = 1, 3
_LONGEST_MONTH = 31


def moments(said_at: str) -> Iterator[date]:
    """Yield the days on which something was said."""
    for m in re.finditer(r"\d{4}-\d\d-\d\d", said_at):
        try:
            yield datetime.fromisoformat(m.group()).date()
        except ValueError:
            continue


@dataclass(frozen=True)
class DatedText:
    """A text and the day on which it was said."""

    at: date
    text: str

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days, months and years meant by its relative expressions."""
        return tuple(_derived(self.at, self.text))

    def has_any(self) -> bool:
        """Return whether it has any relative date."""
        return next(_derived(self.at, self.text), None) is not None

    @cached_property
    def seasons(self) -> tuple[Day, ...]:
        """The possible years of the seasons and feasts it names."""
        return tuple((year, None, None) for word in self._words & _SEASONS.keys() for year in self.years(_SEASONS[word]))

    def years(self, month: int) -> Iterator[int]:
        """Yield the possible years of a month named without one."""
        if month in self._dated:
            yield from self._dated[month]
            return
        ahead = bool(self._words & (_FUTURE | _NEXT))
        for year in (self.at.year - 1, self.at.year, self.at.year + 1):
            away = (year - self.at.year) * 12 + month - self.at.month
            if -(_LATE_MONTHS if ahead else _NEAR_MONTHS) <= away <= (_FAR_MONTHS if ahead else _NEAR_MONTHS):
                yield year

    @cached_property
    def _dated(self) -> dict[int, tuple[int, ...]]:
        """The years of months named with "last" or "next", or along with "next year"."""
        words = [word.casefold() for word in WORD.findall(self.text)]
        found: dict[int, tuple[int, ...]] = {}
        for place, word in enumerate(words):
            month = MONTHS.get(word)
            if month and words[max(0, place - 1) : place] and words[place - 1] in _LAST:
                found[month] = (self.at.year - (month >= self.at.month), self.at.year - 1)
            elif month and len(words) > place + 2 and _UNITS.get(words[place + 2]) == "year":
                sign = -1 if words[place + 1] in _LAST else 1 if words[place + 1] in _NEXT else 0
                found[month] = (self.at.year + sign,)
        return found

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in WORD.findall(self.text))


def _derived(at: date, text: str) -> Iterator[Day]:
    words = [word.casefold() for word in WORD.findall(text)]
    for place, word in enumerate(words):
        if word not in _TELLING:
            continue
        before = words[max(0, place - 3) : place]
        if word in _AWAY:
            yield from _days(at, _AWAY[word], _AWAY[word])
            if before and before[-1] in ("before", "after"):  # the day before yesterday
                yield from _days(at, 2 * _AWAY[word], 2 * _AWAY[word])
        elif word in _LATELY:
            yield from _days(at, -7, 0)
        elif (weekday := WEEKDAYS.get(word.removesuffix("s"), WEEKDAYS.get(word))) is not None:
            yield from _weekday(at, weekday, before)
        else:
            yield from _unit(at, _UNITS[word], before, words[place + 1 : place + 3])
    for day in ordinals(text):
        yield from ((*_month(at, away), day) for away in (-1, 0, 1))


def ordinals(text: str) -> set[int]:
    """Return the days of a month that a text names without a month: the 24th."""
    if not _ORDINAL.search(text):
        return set()
    rest = blanked(text, (m.span() for m, _ in dates(text)))
    return {day for m in _ORDINAL.finditer(rest) if 0 < (day := int(m[1] or m[2])) <= _LONGEST_MONTH}


def _weekday(at: date, weekday: int, before: list[str]) -> Iterator[Day]:
    ahead = (weekday - at.weekday()) % 7
    behind = (at.weekday() - weekday - 1) % 7 + 1
    # On a Tuesday, "on Tuesday" may be a week from then.
    for away in (ahead, ahead or 7, -behind):
        yield from _days(at, away, away)
    if _NEXT & set(before[-1:]):
        yield from _days(at, ahead + 7, ahead + 7)
    if _LAST & set(before[-1:]):
        yield from _days(at, -behind - 7, -behind - 7)


def _unit(at: date, unit: str, before: list[str], after: list[str]) -> Iterator[Day]:
    signs = [sign for words, sign in ((_LAST, -1), (_THIS, 0), (_NEXT, 1)) if words & set((*before[-1:], *after[:1]))]
    if unit == "weekend":
        saturday = 5 - at.weekday()
        for away in (-7, 0, 7) if not signs else (signs[0] * 7, 0):
            yield from _days(at, saturday + away, saturday + away + 1)
        return
    for sign in signs:
        yield from _around(at, unit, sign)
    if not signs:
        count = _count(before[-1:])
        past, ahead = bool(_AGO & {*before, *after}), bool(_AHEAD & set(before[-2:-1]) or _AHEAD & set(after))
        for sign in (-1, 1):
            if count and (past if sign < 0 else ahead):
                yield from _away(at, unit, sign * count)


def _around(at: date, unit: str, sign: int) -> Iterator[Day]:
    if unit == "day":
        yield from _days(at, min(sign, 0), max(sign, 0))
    elif unit == "week":
        monday = sign * 7 - at.weekday()
        yield from _days(at, monday, monday + 6)
    else:
        yield from _away(at, unit, sign)


def _away(at: date, unit: str, count: int) -> Iterator[Day]:
    if unit in ("day", "week"):
        days, slack = (count, _FEW if abs(count) > _SEVERAL else 0) if unit == "day" else (7 * count, _SEVERAL)
        yield from _days(at, days - slack, days + slack)
    elif unit == "month":
        yield *_month(at, count), None
    else:
        yield at.year + count, None, None


def _count(before: list[str]) -> int:
    word = before[0] if before else ""
    if word.isdecimal():
        return min(int(word[:5]), _LONGEST)
    return COUNT_WORDS.get(word, 1 if word in {"a", "an", "one", "einem", "einer", "un", "une", "una"} else 0)


def _month(at: date, away: int) -> tuple[int, int]:
    ordinal = at.year * 12 + at.month - 1 + away
    return ordinal // 12, ordinal % 12 + 1


def _days(at: date, first: int, last: int) -> Iterator[Day]:
    for away in range(first, last + 1):
        ordinal = min(max(at.toordinal() + away, 1), date.max.toordinal())
        day = at + timedelta(days=ordinal - at.toordinal())
        yield day.year, day.month, day.day
