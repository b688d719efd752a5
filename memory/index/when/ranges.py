"""Ranges, bounds and single times in a question: "between March and May", "since 2023", "in June"."""

import re
from collections.abc import Collection, Mapping

from memory.index.when.codes import Code, compiled
from memory.index.when.days import DAY, EARLIEST, LATEST, LocalCalendar, month_of, month_start
from memory.index.when.expressions import Expression, Rank
from memory.index.when.parsing import ANY, Parse
from memory.index.when.values import Window
from memory.index.when.vocabulary import ENGLISH_WEEKDAYS, MONTHS_OR_NAMES, PAST

_RANGE = compiled(
    r"(?P<lead>[BETWEEN FROM IN DURING ON OF]?) THE?"
    rf" (?:(?P<day>[DIGITS ORDINAL]) \.? | (?P<one>{ANY})) (?P<join>[AND TO UNTIL-]) [IN DURING ON]? THE? (?P<two>{ANY})"
)
_OPEN = compiled(
    rf"[BETWEEN FROM] THE? (?P<one>{ANY}) (?:[TO AND UNTIL] NOW | (?P<on>ON) (?![THE MONTH WEEKDAY FEAST SEASON YEAR]))"
    rf" | SINCE THE? (?P<since>{ANY}) [TO UNTIL] NOW"
)
_BOUND = compiled(rf"(?P<near>NEAR?) (?P<side>[SINCE UNTIL BEFORE AFTER AGO_BEFORE]) THE? (?P<one>{ANY})")
_SINGLE = compiled(
    r"(?P<lead>[IN ON DURING FROM ARTICLE OF]? | TO (?=FEAST)) (?P<the>THE?)"
    r" (?P<what>[MONTH YEAR SEASON FEAST QUARTER WEEKDAY SHORT_WEEKDAY UNIT]=* | SHORT_DATE \.?)"
)
_CERTAIN = compiled(r"[IN ON DURING FROM OF]? THE? UNDERSTOOD=*")
_LEADS: Mapping[str, Collection[str]] = {  # what may name a time, and the words before it that say so
    **dict.fromkeys((Code.MONTH, Code.YEAR, Code.SEASON, Code.QUARTER), (Code.IN, Code.DURING)),
    Code.WEEKDAY: (Code.ON, Code.IN, Code.DURING, Code.FROM),
    Code.SHORT_WEEKDAY: (Code.ON, Code.FROM),
    Code.FEAST: (Code.ON, Code.IN, Code.DURING, Code.FROM),
    Code.UNIT: (Code.ON, Code.DURING, Code.IN),
    Code.SHORT_DATE: (Code.ON, Code.FROM, Code.IN),
}
_JOINS: Mapping[str, Collection[str]] = {
    Code.BETWEEN: (Code.AND, Code.HYPHEN),
    Code.FROM: (Code.TO, Code.UNTIL, Code.HYPHEN),
    Code.OF: (Code.UNTIL,),
}
_ITALIAN = frozenset("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split())
_FALLS = frozenset(("fall", "spring"))
_BEFORE_DAY_AND_MONTH = frozenset("am vom le el op".split())
_NO_DAY = frozenset("about for like than every each any some jeden chaque tous cada todo todos ogni tutti elke iedere".split())
_SUBJECTS = frozenset("i you we he she they been".split())
"""Subjects of "up to": in "what was she up to" it is no bound."""
_WHOSE = frozenset("my our your his her their mein meine meinen unser unsere mi nuestro nuestra mon ma notre".split())
_SPENT = frozenset("spend spent celebrate celebrated verbracht gefeiert pasé pasamos passé fêté".split())
_HOW = frozenset("how wie cómo como comment".split())
_WAS = frozenset("was were did war waren".split())
_ASKING = frozenset(("what", *_HOW))
_DONE = frozenset("do done happen happened eat ate cook cooked go went".split())
_ENDS = ("", Code.MARK, Code.PERIOD, Code.TAKEN)
_NEAR = 14 * DAY
_DAYS_TO = re.compile(
    r"(?i)\b(?:from|vom|du|del|dal|de|van|od|со?)\s(?:the\s)?(\d{1,2}\.?)\s?(?:to|till|until|bis(?:\szum)?|au|al|a|até|ao|tot|do|по|[–-])\s?(?:the\s)?(\d{1,2}\b)"
)
"""A range of days of one month, in languages that say "from" and "to" in words of their own."""


def one_range(text: str) -> str:
    """Return a text with its ranges of days of one month as English has them: "du 20 au 27 décembre"."""
    return _DAYS_TO.sub(r"from \1 to \2", text)


def take_ranges(reading: Parse) -> None:
    """Move all times of a question into the result."""
    if reading.pieces or not _LEADS.keys().isdisjoint(reading.codes):
        reading.take(_RANGE, _range)
        reading.take(_OPEN, _open)
        reading.take(_BOUND, _bound)
        reading.take(_CERTAIN, _certain)
        reading.take(_SINGLE, _single)


def _named(reading: Parse, m: re.Match[str], group: str, sure: bool = True) -> Expression | None:
    """Return the meaning of a time's name; None if the name is ambiguous and nothing makes it `sure`."""
    at, end = m.span(group)
    code, word = m[group][0], reading.tokens.words[at]
    following = reading.codes[end : end + 1]
    named = word.removesuffix("'s")
    if code == Code.MONTH and named in MONTHS_OR_NAMES and (named != word or (following == Code.OTHER and not sure)):
        return None
    if (
        code == Code.SEASON
        and word in _FALLS
        and (following == Code.OTHER or (reading.codes[at - 1 : at] == Code.THE and not sure))
    ):
        return None
    return None if code == Code.SHORT_WEEKDAY and following == Code.CAPITALIZED else reading.piece(at)


def _range(reading: Parse, m: re.Match[str]) -> Expression | None:
    lead, join = m["lead"], m["join"]
    two = _named(reading, m, "two")
    fits = join in _JOINS.get(lead, (Code.AND, Code.TO, Code.HYPHEN))
    if two is None or not fits:
        return None
    if m["day"]:
        day = reading.tokens.values[m.start("day")]
        codes = reading.tokens.codes[m.start("two") : m.end("two")]
        dated = Code.MONTH in codes and (Code.DIGITS in codes or Code.ORDINAL in codes)
        return _from_day(day, two) if lead in (Code.BETWEEN, Code.FROM, Code.OF) and day and dated else None
    one = _named(reading, m, "one")
    if one is None or (
        not lead and not (m["two"][0] == Code.UNDERSTOOD and join in (Code.TO, Code.HYPHEN) and two.rank is Rank.COMPLETE)
    ):
        return None
    return Expression(lambda calendar, at: _hull(calendar, at, one, two), min(one.rank, two.rank))


def _from_day(day: int, two: Expression) -> Expression:
    """Return the range from a day of the month to a date in that month."""

    def made(calendar: LocalCalendar, last: Window) -> Window | None:
        until = calendar.day_of(last.start)
        return calendar.window((month_start(month_of(until)) + day - 1, until + 1))

    return two.derived(made)


def _hull(calendar: LocalCalendar, at: int, one: Expression, two: Expression) -> Window | None:
    """Return the window from one time to another; the more precise one determines which occurrence of the other is meant."""
    if one.rank is Rank.COMPLETE and two.rank is Rank.LOOSE:
        first = one.resolve(calendar, at)
        second = two.resolve(calendar, calendar.day_of(first.start) + 365) if first else None
    else:
        second = two.resolve(calendar, at)
        to = calendar.day_of(second.end - 1) if second and one.rank is Rank.LOOSE else at
        first = one.resolve(calendar, to)
    return Window(min(first.start, second.start), max(first.end, second.end)) if first and second else None


def _open(reading: Parse, m: re.Match[str]) -> Expression | None:
    if m["on"] and reading.tokens.words[m.start("on")] != "on":
        return None
    one = _named(reading, m, "since" if m["since"] else "one")
    return one and _bounded(Code.SINCE, one)


def _bound(reading: Parse, m: re.Match[str]) -> Expression | None:
    one, at = _named(reading, m, "one", sure=False), m.start("side")
    if one is None or (m["side"] == Code.AGO_BEFORE and reading.tokens.words[at] != "vor"):
        return None
    if reading.tokens.words[at] == "up to" and at and reading.tokens.words[at - 1] in _SUBJECTS:
        return None
    near = bool(m["near"]) and reading.tokens.values[m.start()] == 1
    return _bounded(m["side"], one, near)


def _bounded(side: str, one: Expression, near: bool = False) -> Expression:
    """Return the time since, until, before or after another, by the code of `side`, up to today; two weeks of it if `near`."""

    def made(calendar: LocalCalendar, window: Window) -> Window | None:
        today = calendar.window((calendar.today, calendar.today + 1))
        end = today.end if today else calendar.now
        match side:
            case Code.SINCE:
                start = window.start
            case Code.AFTER:
                start = window.end
                end = end if start < end else LATEST
            case Code.UNTIL:
                start, end = EARLIEST, window.end
            case _:
                start, end = EARLIEST, window.start
        if near:
            start, end = (start, min(end, start + _NEAR)) if side in (Code.SINCE, Code.AFTER) else (max(start, end - _NEAR), end)
        return Window(start, end) if start < end else None

    return one.derived(made, closed=near)


def _certain(reading: Parse, m: re.Match[str]) -> Expression | None:
    return reading.piece(m.start() + m.group().index(Code.UNDERSTOOD))


def _single(reading: Parse, m: re.Match[str]) -> Expression | None:
    """Return the meaning of a single name of a time, if the word before marks it as a time."""
    code, lead, at = m["what"][0], m["lead"], m.start("what")
    word = reading.tokens.words[at]
    if code == Code.MONTH and lead in (Code.ARTICLE, Code.OF):
        told = word in _ITALIAN if lead == Code.ARTICLE else word not in MONTHS_OR_NAMES
    elif code in (Code.MONTH, Code.YEAR) and m["the"]:
        told = False
    elif code == Code.FEAST and lead == Code.ARTICLE:
        # English has "an" before vowels only: "an Easter egg", but "an Silvester".
        told = reading.tokens.words[m.start()] == "an" and (word[0] not in "aeiou" or word.startswith(("oster", "aller")))
    elif code == Code.FEAST and lead == Code.TO:
        told = reading.tokens.words[m.start()] == "à"
    elif lead and lead in _LEADS[code]:
        told = True
    else:
        told = (code == Code.WEEKDAY and not lead and _bare(reading, at, m.end())) or _lived(reading, m.start(), m.end())
    if code == Code.SHORT_DATE and word.count(".") == 1:
        told = told and m["what"] == "y." and reading.tokens.words[m.start()] in _BEFORE_DAY_AND_MONTH
    return _named(reading, m, "what", sure=lead == Code.IN or not lead) if told else None


def _lived(reading: Parse, start: int, end: int) -> bool:
    """Return whether a question asks how a time was, or how it was spent: "how was my September?"."""
    words, codes = reading.tokens.words, reading.codes
    before, code = words[start - 1] if start else "", codes[start : start + 1]
    asks = reading.tokens.has(_HOW) and before in _WHOSE
    # Months may be names of people; weekdays and feasts are not.
    was = code in (Code.FEAST, Code.WEEKDAY, Code.THE) and before in _WAS and reading.tokens.has(_ASKING)
    ended = codes[end : end + 1] in _ENDS
    if code == Code.FEAST and ended and (before in _DONE or not words[:start]):
        return True
    return ((asks or was or before in _SPENT) and ended) or (was and words[end : end + 1] == ["like"])


def _bare(reading: Parse, at: int, end: int) -> bool:
    """Return whether a weekday without "on" is a time: at the end of a question about the past, or in other languages."""
    if at and (reading.tokens.words[at - 1] in _NO_DAY or reading.codes[at - 1] == Code.CAPITALIZED):
        return False
    if reading.tokens.words[at].removesuffix("'s") not in ENGLISH_WEEKDAYS:
        return True
    return reading.codes[end : end + 1] in _ENDS and reading.tokens.has(PAST)
