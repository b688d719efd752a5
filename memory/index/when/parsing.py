"""Self-contained time expressions ("two weeks ago", "last summer", "March 5th, 2024"), and the state of a question while it is parsed."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from memory.index.when.codes import Code, compiled
from memory.index.when.days import Occurrence, on
from memory.index.when.distances import A_HALF, A_NUMBER, COUNT, Distance, ago, distance
from memory.index.when.expressions import (
    YEARLY,
    Expression,
    Rank,
    alone,
    before_last,
    chosen,
    day_away,
    day_of_month,
    every_year,
    in_digits,
    part_of_day,
    stretch,
    unit,
    weekday,
    year_of,
)
from memory.index.when.tokens import TimeTokens
from memory.index.when.vocabulary import KINDS_OF_DAY, MONTHS_OR_WORDS, PAST, PLURALS, TOLD, WEEKDAYS_OR_WORDS, Unit

Reader = Callable[[TimeTokens, int, int], Expression | None]
"""A function that returns the expression at a span of tokens; None if it is no valid time, such as a February 30."""
Handler = Callable[["Parse", re.Match[str]], Expression | None]
"""A function that returns what a match in the codes of a parse means; None if it names no time."""

ANY = "(?:UNDERSTOOD | [MONTH YEAR SEASON FEAST QUARTER WEEKDAY SHORT_WEEKDAY SHORT_DATE])=*"
"""Anything that names a time, alone or in combination."""
_WHICH: Mapping[str, Occurrence] = {
    Code.LAST: Occurrence.LAST,
    Code.PAST: Occurrence.LAST,
    Code.NEXT: Occurrence.NEXT,
    Code.LAST_BEHIND: Occurrence.LAST,
    Code.NEXT_BEHIND: Occurrence.NEXT,
    Code.THIS: Occurrence.THIS,
}
_CHOSEN = frozenset(
    (Code.UNIT, Code.WEEKDAY, Code.SHORT_WEEKDAY, Code.MONTH, Code.SEASON, Code.FEAST, Code.PART_OF_DAY, Code.ARTICLE)
)
_TRIGGERS = frozenset(
    (Code.ON, Code.IN, Code.SINCE, Code.UNTIL, Code.BEFORE, Code.AFTER, Code.FROM, Code.DURING, Code.BETWEEN, Code.THE, Code.OF)
)
_PLANS = frozenset(
    """will shall going i'll we'll you'll he'll she'll they'll plan plans planned planning scheduled happening happens coming due
    doing werde wird werden passiert mache machen""".split()
)


def _ago(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    if tokens.codes[start] == Code.AGO_BEFORE:
        return _away([distance(tokens, start + 1, end)], -1)
    first, joined, _ = tokens.codes[start : end - 1].partition(Code.AND)
    cuts = [(start, start + len(first)), (start + len(first) + 1, end - 1)] if joined else [(start, end - 1)]
    return _away([distance(tokens, *cut) for cut in cuts], -1)


def _away(distances: list[Distance], sign: int) -> Expression:
    return Expression(lambda calendar, at: ago(calendar, distances, sign), Rank.FROM_NOW)


def _ahead(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    """Parse "in two weeks", which is a time only with plans: "I read it in two weeks" is a duration."""
    if tokens.codes[start] == Code.IN:
        if tokens.words[start] == "in" and not tokens.has(_PLANS):
            return None
        return _away([distance(tokens, start + 1, end)], 1)
    return _away([distance(tokens, start, end - 2)], 1)


def _stretch(tokens: TimeTokens, start: int, end: int) -> Expression:
    return stretch(distance(tokens, start, end), 1 if Code.NEXT in tokens.codes[start:end] else -1)


def _dated(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    at, told = tokens.codes.index(Code.MONTH, start, end), _year_in(tokens, start, end)
    day = next(n for n in range(start, end) if tokens.codes[n] in (Code.DIGITS, Code.ORDINAL))
    if told is None and _is_no_month(tokens, at, start, end, day):
        return None
    number, of_month = tokens.values[at], tokens.values[day]
    return every_year(lambda year: on(year, number, of_month), told)


def _year_in(tokens: TimeTokens, start: int, end: int) -> int | None:
    at = tokens.codes.find(Code.YEAR, start, end)
    return tokens.values[at] if at >= 0 else None


def _is_no_month(tokens: TimeTokens, at: int, start: int, end: int, day: int) -> bool:
    """Return whether "may" or "march" beside a number is a verb: "may 5 people come"."""
    number = tokens.words[day]
    if tokens.words[at] not in MONTHS_OR_WORDS or (number[0].isdecimal() and not number.isdecimal()):
        return False
    capital = at > 0 and tokens.text[tokens.spans[at][0]].isupper()
    told = capital or Code.OF in tokens.codes[start:end] or (start > 0 and tokens.codes[start - 1] in _TRIGGERS)
    return not told or (at < day and tokens.codes[end : end + 1] == Code.OTHER)


def _of_year(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    """Parse a month, season, feast or quarter with its year."""
    at = next(n for n in range(start, end) if tokens.codes[n] in YEARLY)
    return every_year(YEARLY[tokens.codes[at]](tokens.values[at]), _year_in(tokens, start, end))


def _chosen(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    codes = tokens.codes[start:end]
    # "This" before "last" or "past" adds nothing, so it has the lowest priority.
    by = next(start + codes.index(code) for code in _WHICH if code in codes)
    at = next(n for n in range(start, end) if tokens.codes[n] in _CHOSEN and n != by)
    which = _WHICH[tokens.codes[by]]
    if tokens.codes[at] == Code.ARTICLE:
        return unit(Unit.YEAR, which)
    told = tokens.codes[end : end + 1] in (Code.OTHER, Code.FUNCTION, Code.CAPITALIZED)
    if which is Occurrence.THIS and tokens.words[at] in MONTHS_OR_WORDS and told:
        return None  # "this may help"
    if tokens.words[at] in WEEKDAYS_OR_WORDS and tokens.codes[at : end + 1] == Code.SHORT_WEEKDAY + Code.CAPITALIZED:
        return None
    the_last = tokens.words[by] == "last" and tokens.words[start] == "the"
    rolls = Code.THIS not in codes and (tokens.codes[by] == Code.PAST or the_last)
    if rolls and tokens.codes[at] == Code.UNIT and tokens.values[at] != Unit.WEEKEND:
        if tokens.values[at] in (Unit.DAY, Unit.HOUR) and tokens.codes[start - 1 : start] not in (Code.IN, Code.DURING):
            return None
        return stretch(Distance(1, tokens.values[at]), -1)
    part = tokens.values[end - 1] if tokens.codes[end - 1] == Code.PART_OF_DAY and at != end - 1 else None
    return chosen(tokens, at, which, part)


def _relative(tokens: TimeTokens, start: int, end: int) -> Expression:
    at = start + (tokens.codes[start] == Code.NEAR)
    if tokens.codes[at] == Code.KIND_OF_DAY:
        return part_of_day(*KINDS_OF_DAY[tokens.values[at]])
    if end - at > 1:
        return part_of_day(tokens.values[at], tokens.values[end - 1])
    return day_away(tokens.values[at])


def _weekday(tokens: TimeTokens, start: int, end: int) -> Expression:
    return weekday(tokens.values[start], part=tokens.values[end - 1])


def _in_digits(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    return in_digits(tokens.words[tokens.codes.index(Code.DATE, start, end)])


def _the_fifth(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    return day_of_month(tokens.values[end - 1]) if tokens.words[end - 1][0].isdecimal() else None


def _year(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    return year_of(tokens.words[end - 1]) if tokens.values[end - 2] == Unit.YEAR else None


def _several_ago(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    """Parse "three Fridays ago"."""
    at = tokens.codes.index(Code.SEVERAL, start, end)
    numbers = [tokens.values[n] for n in range(start, at) if tokens.codes[n] in (Code.NUMBER, Code.DIGITS)]
    return before_last(*PLURALS[tokens.values[at]], back=sum(numbers)) if numbers else None


def _second_last(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    """Parse "vorletztes Wochenende"."""
    return before_last(tokens.codes[end - 1], tokens.values[end - 1])


def _weekday_part(tokens: TimeTokens, start: int, end: int) -> Expression:
    number, part = divmod(tokens.values[end - 1], 10)
    which = next((_WHICH[code] for code in tokens.codes[start:end] if code in _WHICH), Occurrence.LATEST)
    return weekday(number, which, part)


def _just_now(tokens: TimeTokens, start: int, end: int) -> Expression | None:
    """Parse "just now" as the last hour in a question about the past; otherwise it may mean "at present"."""
    if tokens.values[start]:
        return _away([Distance(1, Unit.YEAR)], -1)
    return stretch(Distance(1, Unit.HOUR), -1) if tokens.has(PAST | TOLD) else None


def _other_day(tokens: TimeTokens, start: int, end: int) -> Expression:
    return stretch(Distance(14, Unit.DAY), -1)


_DAY_BEFORE_MONTH = r"(?:DIGITS ORDINAL? | ORDINAL)\.? (?:OF THE?)? MONTH (?:\.? ,? OF? YEAR)?"
_MONTH_BEFORE_DAY = r"MONTH \.? THE? ORDINAL OF? (?:,? YEAR)? | MONTH \.? DIGITS ,? YEAR | (?<![IN DURING]) MONTH \.? DIGITS"
_ELEMENTS: Mapping[str, tuple[str, Reader]] = {
    "ago": (
        rf"DURING? (?:{A_NUMBER} UNIT AND)? {A_NUMBER} UNIT AGO | {A_HALF} UNIT AGO"
        rf" | AGO_BEFORE (?:{A_HALF} | {A_NUMBER}) [UNIT ARTICLE]",
        _ago,
    ),
    "ahead": (rf"IN (?:{A_HALF} | {A_NUMBER}) UNIT (?![AGO BEFORE AFTER]) | {A_NUMBER} UNIT FROM [NOW DAY_FROM_TODAY]", _ahead),
    "stretch": (rf"(?:(?:[THE THIS] | (?<=[IN DURING SINCE FROM])) LAST | THE? THIS? [PAST NEXT]) {COUNT} UNIT (?!OF)", _stretch),
    "dated": (rf"(?:[WEEKDAY SHORT_WEEKDAY],? THE? | THE)? (?:{_DAY_BEFORE_MONTH} | {_MONTH_BEFORE_DAY})", _dated),
    "of_year": (
        r"MONTH \.? [,-]? (?:OF THE?)? YEAR | [SEASON FEAST],? (?:OF THE?)? YEAR"
        r" | QUARTER (?:OF THE? | - | ,)? YEAR | YEAR -? QUARTER",
        _of_year,
    ),
    "chosen": (
        r"THE? (?:THIS? [LAST PAST] | THIS | NEXT)"
        r" (?:UNIT (?!OF | IN THE? MONTH) | WEEKDAY (?![OF IN] THE? MONTH) | [SHORT_WEEKDAY MONTH SEASON FEAST PART_OF_DAY])"
        r" PART_OF_DAY?"
        r" | THE? (?:[UNIT WEEKDAY MONTH SEASON FEAST PART_OF_DAY] [LAST_BEHIND NEXT_BEHIND] | ARTICLE [LAST_BEHIND NEXT_BEHIND]"
        r" | [LAST_BEHIND NEXT_BEHIND] [UNIT WEEKDAY MONTH SEASON FEAST PART_OF_DAY]) PART_OF_DAY?",
        _chosen,
    ),
    "relative": (r"NEAR? (?:DAY_FROM_TODAY (?:[IN ON]? THE? PART_OF_DAY)? | KIND_OF_DAY)", _relative),
    "in_digits": (r"(?:[WEEKDAY SHORT_WEEKDAY],? THE? | THE)? DATE", _in_digits),
    "the_fifth": (
        r"(?:ON | [WEEKDAY SHORT_WEEKDAY],?) THE ORDINAL (?!OF? THE? MONTH | [OTHER CAPITALIZED UNIT WEEKDAY])"
        r" | THE ORDINAL (?=OF THE? [LAST THIS NEXT] UNIT)",
        _the_fifth,
    ),
    "weekday": (r"WEEKDAY PART_OF_DAY", _weekday),
    "year": (r"THE? UNIT YEAR", _year),
    "other_day": (r"OTHER_DAY", _other_day),
    "just_now": (r"JUST_NOW", _just_now),
    "several_ago": (r"(?:NUMBER (?:-? NUMBER)? | DIGITS) SEVERAL AGO", _several_ago),
    "second_last": (r"THE? SECOND_LAST [UNIT WEEKDAY MONTH SEASON FEAST]", _second_last),
    "weekday_part": (r"[LAST THIS]? WEEKDAY_PART", _weekday_part),
}
_ELEMENT = compiled("|".join(f"(?P<{name}>{pattern})" for name, (pattern, _) in _ELEMENTS.items()))


@dataclass(slots=True)
class Parse:
    """The codes of a question, in which a parsed expression is a Z followed by an = for each further word.

    A # is not a time, a space is part of the result; so each position in the codes stays the position of a word. `pieces` maps
    the position of each Z to its expression, `found` holds the spans of the result.
    """

    tokens: TimeTokens
    codes: str
    pieces: dict[int, Expression] = field(default_factory=dict)
    found: list[tuple[int, int, Expression]] = field(default_factory=list)

    @classmethod
    def of(cls, tokens: TimeTokens) -> "Parse":
        """Return a parse with all self-contained expressions recognized."""
        reading = cls(tokens, tokens.codes)
        for m in _ELEMENT.finditer(tokens.codes):
            assert m.lastgroup is not None
            piece = _ELEMENTS[m.lastgroup][1](tokens, m.start(), m.end())
            if piece is None:
                reading._mark(m.start(), m.end(), Code.NO_TIME, Code.NO_TIME)
            else:
                reading.pieces[m.start()] = piece
                # A weekday with a part of the day still needs a word that sets it apart from "my Monday morning routine".
                reading._mark(m.start(), m.end(), Code.WEEKDAY if m.lastgroup == "weekday" else Code.UNDERSTOOD)
        return reading

    def piece(self, at: int) -> Expression | None:
        """Return the expression at a position: the parsed one, or the meaning of the single word."""
        return self.pieces.get(at) or alone(self.tokens, at)

    def join(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Replace each match by its combined expression; skip matches that the handler rejects."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.pieces[m.start()] = piece
                self._mark(m.start(), m.end(), Code.UNDERSTOOD)

    def take(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Move the expressions of all matches into the result."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.found.append((m.start(), m.end(), piece))
                self._mark(m.start(), m.end(), Code.TAKEN, Code.TAKEN)

    def _mark(self, start: int, end: int, first: str, more: str = Code.MORE) -> None:
        self.codes = self.codes[:start] + first + more * (end - start - 1) + self.codes[end:]
