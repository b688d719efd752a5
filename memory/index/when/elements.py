"""Expressions that mean a time by themselves: "two weeks ago", "last summer", "March 5th, 2024", "yesterday evening"."""

import re
from collections.abc import Callable, Mapping

from memory.index.when.days import Which, on
from memory.index.when.distances import COUNT, HALF, NUMBER, Distance, ago, distance
from memory.index.when.expressions import (
    Expression,
    Rank,
    chosen,
    day_away,
    day_of_month,
    every_year,
    in_digits,
    kind_of_day,
    month,
    part_of_day,
    quarter,
    stretch,
    unit,
    weekday,
    year_of,
)
from memory.index.when.feasts import feast, season
from memory.index.when.tokens import Tokens
from memory.index.when.vocabulary import (
    DAY,
    HOUR,
    MONTHS_OR_WORDS,
    WEEKDAYS_OR_WORDS,
    WEEKEND,
    YEAR,
)

Handler = Callable[[Tokens, int, int], Expression | None]
"""Given where an expression stands, its meaning; None where it has none, such as a February 30."""

_WHICH = {"L": Which.LAST, "p": Which.LAST, "l": Which.LAST, "T": Which.THIS, "N": Which.NEXT, "j": Which.NEXT}
_TRIGGERS = frozenset("tisubeFvzhO")
_PLANS = frozenset(
    """will shall going i'll we'll you'll he'll she'll they'll plan plans planned planning scheduled happening happens coming due
    doing werde wird werden passiert mache machen""".split()
)


def _ago(tokens: Tokens, start: int, end: int) -> Expression | None:
    if tokens.codes[start] == "B":
        return _away([distance(tokens, start + 1, end)], -1)
    first, joined, _ = tokens.codes[start : end - 1].partition("k")
    cuts = [(start, start + len(first)), (start + len(first) + 1, end - 1)] if joined else [(start, end - 1)]
    return _away([distance(tokens, *cut) for cut in cuts], -1)


def _away(distances: list[Distance], sign: int) -> Expression:
    return Expression(lambda calendar, at: ago(calendar, distances, sign), Rank.FROM_NOW)


def _ahead(tokens: Tokens, start: int, end: int) -> Expression | None:
    """Read "in two weeks", which is a time only where plans are told: one reads so much in two weeks as well."""
    if tokens.codes[start] == "i":
        if tokens.words[start] == "in" and not tokens.has(_PLANS):
            return None
        return _away([distance(tokens, start + 1, end)], 1)
    return _away([distance(tokens, start, end - 2)], 1)


def _stretch(tokens: Tokens, start: int, end: int) -> Expression:
    return stretch(distance(tokens, start, end), 1 if "N" in tokens.codes[start:end] else -1)


def _dated(tokens: Tokens, start: int, end: int) -> Expression | None:
    codes = tokens.codes
    at = codes.index("M", start, end)
    days = [n for n in range(start, end) if codes[n] in "do"]
    years = [n for n in range(start, end) if codes[n] == "Y"]
    day = days[0]
    if not years and _is_no_month(tokens, at, start, end, tokens.words[day]):
        return None
    number, of_month = tokens.values[at], tokens.values[day]
    return every_year(lambda year: on(year, number, of_month), tokens.values[years[0]] if years else None)


def _is_no_month(tokens: Tokens, at: int, start: int, end: int, day: str) -> bool:
    """Say whether "may" or "march" beside a number is a verb: "may 5 people come"."""
    if tokens.words[at] not in MONTHS_OR_WORDS or (day[0].isdecimal() and not day.isdecimal()):
        return False
    capital = at > 0 and tokens.text[tokens.spans[at][0]].isupper()
    told = capital or "O" in tokens.codes[start:end] or (start > 0 and tokens.codes[start - 1] in _TRIGGERS)
    return not told or tokens.codes[end : end + 1] == "x"


def _days(tokens: Tokens, start: int, end: int) -> Expression | None:
    """Read days of a month: 5-9 March."""
    number = tokens.values[tokens.codes.index("M", start, end)]
    years = [n for n in range(start, end) if tokens.codes[n] == "Y"]
    first, last = (int(day) for day in tokens.words[tokens.codes.index("r", start, end)].split("-"))

    def yearly(year: int) -> tuple[int, int] | None:
        one, other = on(year, number, first), on(year, number, last)
        return (one[0], other[1]) if one and other and one < other else None

    return every_year(yearly, tokens.values[years[0]] if years else None)


def _of_year(tokens: Tokens, start: int, end: int) -> Expression | None:
    """Read a month, a season, a feast or a quarter with its year."""
    codes = tokens.codes
    at = next(n for n in range(start, end) if codes[n] in "MSHQ")
    year = tokens.values[next(n for n in range(start, end) if codes[n] == "Y")]
    value = tokens.values[at]
    yearly = {"M": month, "S": season, "H": feast, "Q": quarter}[codes[at]]
    return every_year(yearly(value), year)


def _chosen(tokens: Tokens, start: int, end: int) -> Expression | None:
    codes = tokens.codes[start:end]
    # "This" before "last" or "past" says no more than they do.
    by = next(start + codes.index(code) for code in "LpNljT" if code in codes)
    at = next(n for n in range(start, end) if tokens.codes[n] in "UWwMSHPa" and n != by)
    which = _WHICH[tokens.codes[by]]
    if tokens.codes[at] == "a":
        return unit(YEAR, which)
    if which is Which.THIS and _may_be_a_verb(tokens, at, end):
        return None
    if tokens.codes[at] == "w" and tokens.words[at] in WEEKDAYS_OR_WORDS and tokens.codes[end : end + 1] == "X":
        return None
    rolls = "T" not in codes and (tokens.codes[by] == "p" or (tokens.words[by] == "last" and tokens.words[start] == "the"))
    if rolls and tokens.codes[at] == "U" and tokens.values[at] != WEEKEND:
        if tokens.values[at] in (DAY, HOUR) and tokens.codes[start - 1 : start] not in tuple("iv"):
            return None
        return stretch(Distance(1, tokens.values[at]), -1)
    part = tokens.values[end - 1] if tokens.codes[end - 1] == "P" and at != end - 1 else None
    return chosen(tokens, at, which, part)


def _may_be_a_verb(tokens: Tokens, at: int, end: int) -> bool:
    return tokens.words[at] in MONTHS_OR_WORDS and tokens.codes[end : end + 1] in tuple("xfX")


def _relative(tokens: Tokens, start: int, end: int) -> Expression:
    at = start + (tokens.codes[start] == "~")
    if tokens.codes[at] == "K":
        return kind_of_day(tokens.values[at])
    if end - at > 1:
        return part_of_day(tokens.values[at], tokens.values[end - 1])
    return day_away(tokens.values[at])


def _weekday(tokens: Tokens, start: int, end: int) -> Expression:
    return weekday(tokens.values[start], part=tokens.values[end - 1])


def _in_digits(tokens: Tokens, start: int, end: int) -> Expression | None:
    return in_digits(tokens.words[tokens.codes.index("D", start, end)])


def _the_fifth(tokens: Tokens, start: int, end: int) -> Expression | None:
    return day_of_month(tokens.values[end - 1]) if tokens.words[end - 1][0].isdecimal() else None


def _year(tokens: Tokens, start: int, end: int) -> Expression | None:
    return year_of(tokens.words[end - 1]) if tokens.values[end - 2] == YEAR else None


def _other_day(tokens: Tokens, start: int, end: int) -> Expression:
    return stretch(Distance(14, DAY), -1)


_DAY_BEFORE_MONTH = r"(?:do?|o)\.?(?:Oh?)?M(?:\.?,?O?Y)?"
_MONTH_BEFORE_DAY = r"M\.?h?oO?(?:,?Y)?|M\.?d,?Y|(?<![iv])M\.?d"
ELEMENTS: Mapping[str, tuple[str, Handler]] = {
    "ago": (rf"v?(?:{NUMBER}Uk)?{NUMBER}UA|{HALF}UA|B(?:{HALF}|{NUMBER})[Ua]", _ago),
    "ahead": (rf"i(?:{HALF}|{NUMBER})U(?![Abe])|{NUMBER}UF[cR]", _ahead),
    "stretch": (rf"(?:(?:[hT]|(?<=[ivsF]))L|h?T?[pN]){COUNT}U(?!O)", _stretch),
    "dated": (rf"(?:[Ww],?h?|h)?(?:{_DAY_BEFORE_MONTH}|{_MONTH_BEFORE_DAY})", _dated),
    "days": (r"h?r\.?(?:Oh?)?M(?:\.?,?O?Y)?|M\.?r(?:,?Y)?", _days),
    "of_year": (r"M\.?[,-]?(?:Oh?)?Y|[SH],?(?:Oh?)?Y|Q(?:Oh?|-|,)?Y|Y-?Q", _of_year),
    "chosen": (r"h?(?:T?[Lp]|T|N)(?:U(?!O)|[WwMSHP])P?|h?(?:[UWMSHP][lj]|a[lj]|[lj][UWMSHP])P?", _chosen),
    "relative": (r"~?(?:RP?|K)", _relative),
    "in_digits": (r"(?:[Ww],?h?|h)?D", _in_digits),
    "the_fifth": (r"(?:t|[Ww],?)ho(?![xXUM])|ho(?=Oh?[LTN]U)", _the_fifth),
    "weekday": (r"WP", _weekday),
    "year": (r"h?UY", _year),
    "other_day": (r"V", _other_day),
}
ELEMENT = re.compile("|".join(f"(?P<{name}>{pattern})" for name, (pattern, _) in ELEMENTS.items()))
