"""Whether a digest says more than its sources: names, numbers and dates they do not hold.

Held numbers: every number in the texts and speakers of the sources outside of dates, in any notation (1,000 = 1000 = one
thousand, 8th = eighth, 9 pm = 21:00, 10k = 10,000). A clock time without am or pm holds for both halves of the day. If the
sources count something, only their counts of it are held: "31 boxes" does not hold "82 boxes" next to "82 steps".

Held dates: those in the texts, the day of each message, and what follows from it ("yesterday", "on Friday", "in three weeks",
"in March"). A year, month or weekday alone is held if one is named, or if none is and one follows.

Held names: every word of the texts and speakers, by its letters or its stem, with or without a plural or genitive s. Pronouns
are resolved by the rest of the writer's input (see `written_names`), which then is a source as well.

Not checked: "one", "first" and other words that mostly count nothing; scripts without capitals.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date
from itertools import product
from typing import Self

from memory.derive.checks import written_names
from memory.ports import Source
from memory.text.display_names import LYRA
from memory.text.lexical import STOP_WORDS, plain, stem
from memory.text.numbers import (
    COUNT_WORDS,
    NUMBER,
    UNCOUNTED,
    clock_times,
    loose,
    phrase,
    pieces,
    readings_of,
    spelled_out,
    trimmed,
)
from memory.text.time.dates import MONTHS, WEEKDAYS, WORD, Day, WrittenDate, blanked, written_dates
from memory.text.time.relative_dates import DatedText, moments, ordinals

_ADDRESSED = re.compile(r"\b(?:you|your|du|dich|dir|dein\w*|tu|toi|te|tú)\b", re.IGNORECASE)
_AT = re.compile(r"\b(at|um|à)\s+\Z", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]+(?:an?\s+|per\s+)?([^\W\d_]+)")
_YEAR = re.compile(r"(?<![\w.,:/-])(?:19|20)\d\d(?![\w]|[.,:/-]\d)")
_PAIR = 2
_SHORT_DAYS = len("mond")


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
    def union(cls, some: Sequence[Self]) -> Self:
        """Return what several sources hold together."""
        return cls(*(frozenset().union(*(getattr(one, part.name) for one in some)) for part in fields(cls)))

    @property
    def days(self) -> frozenset[Day]:
        """All days, whether named or implied."""
        return self.spoken | self.following


@dataclass(frozen=True, slots=True)
class SentenceFindings:
    """What a sentence says beyond its sources, in order, and the sources that supplied a name to it."""

    missing: tuple[str, ...] = ()
    supplied: tuple[Source, ...] = ()


class Evidence:
    """What sources hold, computed once per source for all sentences. Not to be kept beyond the check."""

    def __init__(self, names: written_names.WrittenNames | None = None) -> None:
        self._names = names or written_names.WrittenNames()
        self._held: dict[Source, SourceFacts] = {}

    def judge(self, entry_text: str, cited: Sequence[Source]) -> SentenceFindings:
        """Return what a digest's sentence says beyond its sources, and the suppliers of its names."""
        text, sources = plain(entry_text), SourceFacts.union([self._of(source) for source in cited])
        missing = [*_missing_dates(text, sources), *_missing_numbers(text, sources)]
        supplied: list[Source] = []
        for name in self._names.names_in(text, sources.words):
            if (
                _is_lyra_there(name, text, cited)
                if name.group() == LYRA
                else written_names.holds_name(name.group(), sources.words)
            ):
                continue
            if name.group() != LYRA and (one := self._names.supplier(name, text, cited, sources.words)):
                supplied.append(one)
            else:
                missing.append((name.start(), name.group()))
        return SentenceFindings(tuple(dict.fromkeys(shown for _, shown in sorted(missing))), tuple(dict.fromkeys(supplied)))

    def _of(self, source: Source) -> SourceFacts:
        if source not in self._held:
            said = _held_in(source.text, source.said_at, source.speaker)
            self._held[source] = SourceFacts.union([_held_in(source.speaker), said])
        return self._held[source]


def _is_lyra_there(name: re.Match[str], text: str, cited: Sequence[Source]) -> bool:
    """Return whether sources support Lyra's part in a sentence: her own words if she acts, else words addressed to her.

    She says nothing to herself.
    """
    if written_names.tells_herself(text, name):
        return False
    if written_names.acts(text, name, light=False) and any(source.speaker for source in cited):
        asked = not written_names.reports(text, name) and any(_ADDRESSED.search(source.text) for source in cited)
        return asked or any(source.speaker == LYRA for source in cited)
    addressed = written_names.is_addressed(text, name) or any(source.speaker for source in cited)
    return addressed or any(written_names.holds_name(LYRA, written_names.words_of(source.text)) for source in cited)


def _missing_dates(text: str, sources: SourceFacts) -> Iterator[tuple[int, str]]:
    found = written_dates(text)
    rest = blanked(text, (one.span for one in found))
    for one in found:
        if not any(_day_held(reading, sources) for reading in one.readings):
            yield one.span[0], one.shown
    years = {str(year) for one in found for year, _, _ in one.readings if year} | set(_YEAR.findall(rest))
    for m in _YEAR.finditer(rest):
        follows = m.group() in {str(year) for year, _, _ in sources.days} and sources.years <= years
        if not follows and m.group() not in sources.years | sources.numbers:
            yield m.start(), m.group()
    yield from _missing_words(text, rest, sources, found)


def _missing_words(text: str, rest: str, sources: SourceFacts, found: Sequence[WrittenDate]) -> Iterator[tuple[int, str]]:
    """Yield the months and weekdays that are not held."""
    words = [word.casefold() for word in WORD.findall(text)]
    months = {MONTHS[word] for word in words if word in MONTHS}
    weekdays = {WEEKDAYS[form] for word in words if (form := word.removesuffix("s")) in WEEKDAYS}
    for m in WORD.finditer(rest):
        folded = m.group().casefold()
        if not m.group()[0].isupper() or (len(folded) < _SHORT_DAYS and folded != "may"):
            continue
        month, weekday = MONTHS.get(folded), WEEKDAYS.get(folded.removesuffix("s"))
        if month and not written_names.opens(rest, m.start()) and month not in sources.months:
            follows = month in {one for _, one, _ in sources.days}
            if not follows or not sources.months <= months:
                yield m.start(), m.group()
        if weekday is not None and weekday not in sources.weekdays:
            habit = folded not in WEEKDAYS  # "on Fridays" follows from no day
            if habit or not sources.weekdays <= weekdays or not _falls_on(weekday, sources, found):
                yield m.start(), m.group()


def _falls_on(weekday: int, sources: SourceFacts, found: Sequence[WrittenDate]) -> bool:
    """Return whether a held day falls on a weekday; if the sentence names dates, one of those must."""
    named = {reading for one in found for reading in one.readings}
    days = [day for day in sources.days if not named or any(_fits(claim, day) for claim in named)]
    return any(_weekday(day) == weekday for day in days)


def _weekday(day: Day) -> int | None:
    year, month, number = day
    if year is None or month is None or number is None:
        return None
    try:
        return date(year, month, number).weekday()
    except ValueError:
        return None


def _fits(claim: Day, day: Day) -> bool:
    return all(c is None or c == h for c, h in zip(claim, day, strict=True))


def _day_held(claim: Day, sources: SourceFacts) -> bool:
    if any(_fits(claim, day) for day in sources.days):
        return True
    # If it is unknown when something was said, the year is looked up separately.
    year, month, number = claim
    yearless = any(_fits((None, month, number), day) for day in sources.spoken if day[0] is None)
    return yearless and (year is None or str(year) in sources.years | sources.numbers)


def _missing_numbers(text: str, sources: SourceFacts) -> Iterator[tuple[int, str]]:
    rest = blanked(text, (one.span for one in written_dates(text)))
    for at, shown, readings, parts, unit in _claims(rest, sources):
        together = bool(parts) and parts <= sources.numbers
        alike = {value for value, thing in sources.counted if thing == unit}
        alone = {value for value, thing in sources.counted if not thing}
        elsewhere = bool(unit and alike) and readings.isdisjoint(alike | alone)
        if not together and (readings.isdisjoint(sources.numbers) or elsewhere):
            yield at, shown


def _claims(rest: str, sources: SourceFacts) -> Iterator[tuple[int, str, set[str], set[str], str]]:
    """Yield the numbers of a text without its dates: position, spelling, possible values, parts that suffice, and unit."""
    for m in NUMBER.finditer(rest):
        readings = readings_of(m)
        suffix = (m.group(2) or "").casefold()
        if suffix in {"st", "nd", "rd", "th"} and any(str(day) in readings for _, _, day in sources.days if day):
            continue
        if _YEAR.fullmatch(m.group()):
            continue
        scaled = suffix == "k" or suffix.strip() in COUNT_WORDS
        if scaled:  # "10k" is not held by "10"
            readings = (readings - pieces(m.group(1))) or readings
        yield m.start(), m.group(), readings, loose(m.group(1)), _unit_of(rest, m.start(), m.end())
    for m, words in spelled_out(rest):
        value, parts = phrase([COUNT_WORDS[w] for w in words]), {str(COUNT_WORDS[w]) for w in words if w not in UNCOUNTED}
        the_people = value in {len(sources.speakers), _PAIR} and rest[: m.start()].casefold().endswith("the ")
        if parts and not the_people:
            yield m.start(), m.group(), {str(value)}, parts if len(words) > 1 else set(), _unit_of(rest, m.start(), m.end())


def _held_in(raw: str, said_at: str = "", speaker: str = "") -> SourceFacts:
    """Return what words hold, said at an instant by a speaker."""
    text = plain(raw)
    found = written_dates(text)
    tellings = [DatedText(at, text) for at in moments(plain(said_at))]
    spoken = {day for one in found for reading in one.readings for day in _completed(reading, tellings)}
    following = {(one.at.year, one.at.month, one.at.day) for one in tellings} | {
        day for one in tellings for day in (*one.days, *one.seasons)
    }
    words = written_names.words_of(text)
    rest = blanked(text, (one.span for one in found))
    bare = {MONTHS[word] for word in written_names.words_of(rest) if word in MONTHS}
    months = bare | {month for _, month, _ in spoken if month}
    spoken |= {(year, month, None) for month in bare for one in tellings for year in one.years(month)}
    spoken |= {(year, month, day) for (year, month, _), day in product(tuple(spoken), ordinals(text))}
    years = {str(year) for one in found for year, _, _ in one.readings if year} | set(_YEAR.findall(rest))
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
    for _, words in spelled_out(rest):
        counts = [COUNT_WORDS[w] for w in words]
        values.update(map(str, (*counts, phrase(counts))))
    spaced = re.findall(r"(?<!\d)\d{1,3}(?:\s\d{3})+(?!\d)", rest)
    return values | {trimmed(re.sub(r"\s", "", run)) for run in spaced}


def _counted_things(rest: str) -> Iterator[tuple[str, str]]:
    for m in NUMBER.finditer(rest):
        yield from ((value, _unit_of(rest, m.start(), m.end())) for value in readings_of(m) | pieces(m.group(1)))
    for m, words in spelled_out(rest):
        unit = _unit_of(rest, m.start(), m.end())
        if unit or not words[-1].endswith(("st", "nd", "rd", "th")):  # "the third" is not three of anything
            yield str(phrase([COUNT_WORDS[w] for w in words])), unit


def _unit_of(rest: str, start: int, end: int) -> str:
    """Return what a number counts: the word after it, or "at" for a time of day."""
    found = _UNIT.match(rest, end)
    word = found[1].casefold() if found else ""
    if word and word not in STOP_WORDS:
        return stem(word)
    return "at" if _AT.search(rest, max(0, start - 4), start) else ""
