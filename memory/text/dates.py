"""Dates in text: where they stand, what they may mean, and what follows from when something was said."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import product

from memory.text.numbers import COUNT_WORDS

Day = tuple[int | None, int | None, int | None]
"""Year, month, day; None where it is not said."""

MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier enero gennaio janeiro januari",
            "february feb februar février febrero febbraio fevereiro februari",
            "march mar märz mars marzo março maart",
            "april apr avril abril aprile",
            "may mai mayo maggio maio mei",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre diciembre dicembre dezembro",
        ),
        1,
    )
    for name in names.split()
}
WEEKDAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun montag dienstag mittwoch
    donnerstag freitag samstag sonnabend sonntag""".split()
)
WORD = re.compile(r"[^\W_]+")
_M = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
DATE = re.compile(
    rf"(?<!\d)(?:(\d{{4}})-(\d\d?)-(\d\d?)(?!\d)|(\d\d?)[./](\d\d?)[./](\d{{4}})(?!\d)"
    rf"|(\d\d?)(?:st|nd|rd|th|er|\.|º)?\s+(?:(?:of|de|di)\s+)?({_M})\b\.?(?:,?\s+(?:de\s+|del\s+)?(\d{{4}})(?!\d))?)"
    rf"|\b({_M})\b\.?\s+(\d\d?)(?:st|nd|rd|th)?(?![\d:.,'’]\d|\w)(?:,?\s+(\d{{4}})(?!\d))?|\b({_M})\b\.?,?\s+(\d{{4}})(?!\d)",
    re.IGNORECASE,
)
# Where a date can begin: far quicker to look for than the dates themselves, which are then tried at each of these places.
DATE_BEGINNING = re.compile(rf"\d|\b[{''.join(sorted({name[0] for name in MONTHS}))}]", re.IGNORECASE)
_RELATIVE = re.compile(
    r"""\b(?:yesterday|tomorrow|today|tonight|last|next|this|coming|past|ago|recently|weekend|just|now|(?:mon|tues|wednes|thurs
    |fri|satur|sun)day|gestern|vorgestern|heute|morgen|übermorgen|letzte\w*|nächste\w*|\w+tag|hier|demain|aujourd|dernière?
    |prochaine?|ayer|mañana|hoy|pasad[oa]|ieri|domani|oggi|ontem|amanhã|hoje|gisteren|vandaag|wczoraj|jutro|вчера|завтра|сегодня
    )\b""".replace("\n    ", ""),
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(\w+)\s+(?:(days?|tagen?|jours?|d[ií]as?|giorni)|(weeks?|wochen?|semaines?|semanas?)"
    r"|(months?|monate?n?|mois|mes(?:es)?)|(?:years?|jahre?n?|ans?|años?))\b",
    re.IGNORECASE,
)


def matches(pattern: re.Pattern[str], beginning: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer` does, given a quick pattern of one character that is found wherever a match begins.

    No single step takes long, however long the text is: other threads get their turn in between.
    """
    end = 0
    for begin in beginning.finditer(text):
        if begin.start() >= end and (found := pattern.match(text, begin.start())):
            yield found
            end = found.end()


def blanked(text: str, found: Iterable[re.Match[str]]) -> str:
    """Return a text with a semicolon in the place of each character that is part of a match."""
    pieces: list[str] = []
    at = 0
    for match in found:
        pieces += [text[at : match.start()], ";" * (match.end() - match.start())]
        at = match.end()
    return "".join([*pieces, text[at:]])


def without_dates(text: str) -> str:
    """Return a text with its dates blanked out."""
    return blanked(text, matches(DATE, DATE_BEGINNING, text))


def parts_of(day: Day) -> set[str]:
    return {str(part) for part in day if part is not None}


def dates(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    """Yield every date of text with its readings: 3/4/2026 has two."""
    for m in matches(DATE, DATE_BEGINNING, text):
        g = m.groups()
        if g[0] or g[3]:
            year, one, two = (int(n) for n in (g[0:3] if g[0] else (g[5], g[4], g[3])))
            yield m, [(year, month, day) for month, day in ((one, two), (two, one)) if month <= 12]
        else:
            name, number, year_said = (g[7] or g[9] or g[12]).casefold(), g[6] or g[10], g[8] or g[11] or g[13]
            yield m, [(int(year_said) if year_said else None, MONTHS[name], int(number) if number else None)]


def derived(said_at: str, text: str) -> Iterator[Day]:
    """Yield the days that a message's date and its relative expressions make."""
    relative, month_named = _RELATIVE.search(text), any(w.casefold() in MONTHS for w in WORD.findall(text))
    spans = {m.groups() for m in _SPAN.finditer(text)}
    for m in re.finditer(r"\d{4}-\d\d-\d\d", said_at):
        try:
            at = datetime.fromisoformat(m.group()).date()
        except ValueError:
            continue
        yield from (_around(at, away) for away in (range(-7, 8) if relative else (0,)))
        if relative or month_named:  # "in March", said in November, may be next year's
            yield from ((at.year + away, None, None) for away in (-1, 1))
        for (word, *units), sign in product(spans, (-1, 1)):
            yield from _spanned(at, word, units, sign)


def _spanned(at: date, word: str, units: Sequence[str | None], sign: int) -> Iterator[Day]:
    days, weeks, months = units
    count = sign * min(int(word) if word.isdecimal() and len(word) < 5 else COUNT_WORDS.get(word.casefold(), 1), 9999)
    if days or weeks:
        yield from (_around(at, count * (7 if weeks else 1) + away) for away in (range(-7, 8) if weeks else (-1, 0, 1)))
    elif months:
        ordinal = at.year * 12 + at.month - 1 + count
        yield ordinal // 12, ordinal % 12 + 1, None
    else:
        yield at.year + count, None, None


def _around(at: date, away: int) -> Day:
    ordinal = min(max(at.toordinal() + away, 1), date.max.toordinal())
    day = at + timedelta(days=ordinal - at.toordinal())
    return day.year, day.month, day.day
