"""What sources hold: the numbers, dates and words that a digest of them may contain."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Self

from memory.derive.checks.written_names import words_of
from memory.ports import Source
from memory.text.lexical import STOP_WORDS, plain, stem
from memory.text.numbers import (
    COUNT_WORDS,
    COUNTED_BEGINNING,
    NUMBER,
    clock_times,
    in_words,
    loose,
    phrase,
    pieces,
    readings_of,
    trimmed,
)
from memory.text.time.dates import MONTHS, WEEKDAYS, Day, blanked, dates, matches
from memory.text.time.relative_dates import DatedText, moments, ordinals

_RANGE = re.compile(
    r"(?<![\w.,:])(\d\d?)(?:st|nd|rd|th|\.)?\s*(?:to|until|till|and|or|bis|und|[-–—])\s*(?:the\s+)?\Z", re.IGNORECASE
)
_AT = re.compile(r"\b(at|um|à)\s+\Z", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]+(?:an?\s+|per\s+)?([^\W\d_]+)")
YEAR = re.compile(r"(?<![\w.,:/-])(?:19|20)\d\d(?![\w]|[.,:/-]\d)")


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What sources hold. `spoken` days are named in their texts, `following` ones follow from when those were said."""

    numbers: frozenset[str] = frozenset()
    counted: frozenset[tuple[str, str]] = frozenset()
    spoken: frozenset[Day] = frozenset()
    following: frozenset[Day] = frozenset()
    years: frozenset[str] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()

    @classmethod
    def together(cls, some: Sequence[Self]) -> Self:
        """Return what several sources hold together."""
        return cls(*(frozenset().union(*(getattr(one, part.name) for one in some)) for part in fields(cls)))

    @property
    def days(self) -> frozenset[Day]:
        """All days, whether named or implied."""
        return self.spoken | self.following


@dataclass(frozen=True, slots=True)
class Dated:
    """A date in a text: position, spelling and readings."""

    start: int
    end: int
    shown: str
    readings: Sequence[Day]


def dated(text: str) -> list[Dated]:
    """Return the dates of a text; of "26 to 30 October" both."""
    found: list[Dated] = []
    for m, readings in dates(text):
        before = _RANGE.search(text, max(0, m.start() - 20), m.start())
        if before and any(day for _, _, day in readings):
            first = [(year, month, int(before[1])) for year, month, _ in readings]
            found.append(Dated(before.start(1), before.end(1), before[1], first))
        found.append(Dated(m.start(), m.end(), m.group(), readings))
    return found


def undated(text: str, found: Sequence[Dated]) -> str:
    """Return a text with every character of these dates replaced by a semicolon."""
    kept, at = list[str](), 0
    for one in found:
        kept += [text[at : one.start], ";" * (one.end - one.start)]
        at = one.end
    return "".join([*kept, text[at:]])


def held_by(source: Source) -> SourceFacts:
    """Return what a source holds by its speaker's name, its text, and when it was said."""
    return SourceFacts.together([_held_in(source.speaker, ""), _held_in(source.text, source.said_at, source.speaker)])


def _held_in(raw: str, said_at: str, speaker: str = "") -> SourceFacts:
    text = plain(raw)
    found = dated(text)
    tellings = [DatedText(at, text) for at in moments(plain(said_at))]
    spoken = {day for one in found for reading in one.readings for day in _completed(reading, tellings)}
    following = {(one.at.year, one.at.month, one.at.day) for one in tellings} | {
        day for one in tellings for day in (*one.days, *one.seasons)
    }
    words = words_of(text)
    rest = undated(text, found)
    bare = {MONTHS[word] for word in words_of(rest) if word in MONTHS}
    months = bare | {month for _, month, _ in spoken if month}
    spoken |= {(year, month, None) for month in bare for one in tellings for year in one.years(month)}
    spoken |= {(year, month, day) for (year, month, _), day in product(tuple(spoken), ordinals(text))}
    years = {str(year) for one in found for year, _, _ in one.readings if year} | set(YEAR.findall(rest))
    weekdays = {WEEKDAYS[form] for word in words for form in (word, word.removesuffix("s")) if form in WEEKDAYS}
    return SourceFacts(
        frozenset(_numbers(rest) | clock_times(text) | clock_times(said_at)), frozenset(_counted_things(rest)),
        frozenset(spoken), frozenset(following), frozenset(years), frozenset(months), frozenset(weekdays), words,
        frozenset([speaker] if speaker else []),
    )  # fmt: skip


def _completed(day: Day, tellings: Sequence[DatedText]) -> Iterator[Day]:
    year, month, number = day
    if year is not None or month is None or not tellings:
        yield day
    else:
        yield from ((one, month, number) for telling in tellings for one in telling.years(month))


def _numbers(rest: str) -> set[str]:
    """Return every possible value of the numbers in a text without its dates, including parts of composed ones."""
    values = set[str]()
    for m in NUMBER.finditer(rest):
        values |= readings_of(m) | loose(m.group(1)) | pieces(m.group(1))
    for _, words in counted(rest):
        counts = [COUNT_WORDS[w] for w in words]
        values.update(map(str, (*counts, phrase(counts))))
    spaced = re.findall(r"(?<!\d)\d{1,3}(?:\s\d{3})+(?!\d)", rest)
    return values | {trimmed(re.sub(r"\s", "", run)) for run in spaced}


def _counted_things(rest: str) -> Iterator[tuple[str, str]]:
    """Yield each value in a text with its unit."""
    for m in NUMBER.finditer(rest):
        yield from ((value, unit_of(rest, m.start(), m.end())) for value in readings_of(m) | pieces(m.group(1)))
    for m, words in counted(rest):
        unit = unit_of(rest, m.start(), m.end())
        if unit or not words[-1].endswith(("st", "nd", "rd", "th")):  # "the third" is not three of anything
            yield str(phrase([COUNT_WORDS[w] for w in words])), unit


def unit_of(rest: str, start: int, end: int) -> str:
    """Return what a number counts: the word after it, or "at" for a time of day."""
    found = _UNIT.match(rest, end)
    word = found[1].casefold() if found else ""
    if word and word not in STOP_WORDS:
        return stem(word)
    return "at" if _AT.search(rest, max(0, start - 4), start) else ""


def counted(rest: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield the spelled-out numbers of a text without its dates, and the words of each."""
    for m in matches(in_words(), COUNTED_BEGINNING, blanked(rest, NUMBER.finditer(rest))):
        yield m, re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())
