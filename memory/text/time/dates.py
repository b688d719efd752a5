"""Dates in text, with their possible readings."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from memory.text.lexical import plain

Day = tuple[int | None, int | None, int | None]
"""Year, month, day; None if not given."""

T = TypeVar("T")


def by_word(meant: Mapping[T, str]) -> dict[str, T]:
    """Return what each word of some lists means, given each meaning with its words."""
    return {word: meaning for meaning, words in meant.items() for word in words.split()}


MONTHS = by_word(
    {
        1: "january jan januar jänner janvier enero gennaio janeiro januari",
        2: "february feb februar février febrero febbraio fevereiro februari",
        3: "march mar märz mars marzo março maart",
        4: "april apr avril abril aprile",
        5: "may mai mayo maggio maio mei",
        6: "june jun juni juin junio giugno junho",
        7: "july jul juli juillet julio luglio julho",
        8: "august aug août agosto augustus",
        9: "september sep sept septembre septiembre settembre setembro",
        10: "october oct oktober okt octobre octubre ottobre outubro",
        11: "november nov novembre noviembre novembro",
        12: "december dec dezember dez décembre diciembre dicembre dezembro",
    }
)
WEEKDAYS = by_word(
    {
        0: "monday mon montag",
        1: "tuesday tue tues dienstag",
        2: "wednesday wed mittwoch",
        3: "thursday thu thurs donnerstag",
        4: "friday fri freitag",
        5: "saturday sat samstag sonnabend",
        6: "sunday sun sonntag",
    }
)
"""0 is Monday."""
WORD = re.compile(r"[^\W_]+")
_M = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
_RANGE = re.compile(
    r"(?<![\w.,:])(\d\d?)(?:st|nd|rd|th|\.)?\s*(?:to|until|till|and|or|bis|und|[-–—])\s*(?:the\s+)?\Z", re.IGNORECASE
)
# A possible first character of a date: faster to search for than dates, which are then tried at these positions only.
DATE_BEGINNING = re.compile(rf"\d|\b[{''.join(sorted({name[0] for name in MONTHS}))}]", re.IGNORECASE)


@cache
def written_date() -> re.Pattern[str]:
    """Return the pattern of a date; compiled on first use, as that takes 10 ms."""
    return re.compile(
        rf"(?<!\d)(?:(\d{{4}})-(\d\d?)-(\d\d?)(?!\d)|(\d\d?)[./](\d\d?)[./](\d{{4}})(?!\d)"
        rf"|(\d\d?)(?:st|nd|rd|th|er|\.|º)?\s+(?:(?:of|de|di)\s+)?({_M})\b\.?(?:,?\s+(?:de\s+|del\s+)?(\d{{4}})(?!\d))?)"
        rf"|\b({_M})\b\.?\s+(\d\d?)(?:st|nd|rd|th)?(?![\d:.,'’]\d|\w)(?:,?\s+(\d{{4}})(?!\d))?|\b({_M})\b\.?,?\s+(\d{{4}})(?!\d)",
        re.IGNORECASE,
    )


def matches(pattern: re.Pattern[str], beginning: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer` does, given a fast pattern that matches one character wherever a match begins.

    No single step takes long, however long the text is: other threads get their turn in between.
    """
    end = 0
    for begin in beginning.finditer(text):
        if begin.start() >= end and (found := pattern.match(text, begin.start())):
            yield found
            end = found.end()


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with every character of these spans, given in order, replaced by a semicolon."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], ";" * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def dates(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    """Yield every date in a text with its readings: 3/4/2026 has two."""
    for m in matches(written_date(), DATE_BEGINNING, text):
        g = m.groups()
        if g[0] or g[3]:
            year, one, two = (int(n) for n in (g[0:3] if g[0] else (g[5], g[4], g[3])))
            yield m, [(year, month, day) for month, day in ((one, two), (two, one)) if month <= 12]
        else:
            name, number, year_said = plain(g[7] or g[9] or g[12]).casefold(), g[6] or g[10], g[8] or g[11] or g[13]
            yield m, [(int(year_said) if year_said else None, MONTHS[name], int(number) if number else None)]


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in a text: its span, spelling and readings."""

    span: tuple[int, int]
    shown: str
    readings: Sequence[Day]


def written_dates(text: str) -> list[WrittenDate]:
    """Return the dates of a text, in order; of "26 to 30 October" both."""
    found: list[WrittenDate] = []
    for m, readings in dates(text):
        before = _RANGE.search(text, max(0, m.start() - 20), m.start())
        if before and any(day for _, _, day in readings):
            found.append(WrittenDate(before.span(1), before[1], [(year, month, int(before[1])) for year, month, _ in readings]))
        found.append(WrittenDate(m.span(), m.group(), readings))
    return found
