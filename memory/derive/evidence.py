"""Whether a digest says more than its sources do: the names and numbers they do not hold.

Held numbers: every number of the sources' texts and speakers, however written (1,000 = 1000 = one thousand, 8th = eighth,
9 pm = 21:00, 10k = 10,000). A clock time without am or pm holds for both halves of the day.
Held dates: the day of each cited message; where its text has a relative expression ("yesterday", "on Friday"), the days up
to a week around it; where it counts time ("three weeks", "last month"), what lies that far before and after. Otherwise day,
month and year are looked up one by one: the day in the text, month and year in the text or the message's date.
Held names: every word of the texts and speakers, by its letters or its stem, with or without a plural or genitive s.
Not looked at: "one", "first" and other words that mostly count nothing; names that are also function words (Will, May);
scripts without capitals.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memory.ports import Source
from memory.text.dates import MONTHS, WEEKDAYS, WORD, Day, blanked, dates, derived, matches, parts_of, without_dates
from memory.text.lexical import STOP_WORDS, stem
from memory.text.numbers import (
    COUNT_WORDS,
    COUNTED_BEGINNING,
    NUMBER,
    UNCOUNTED,
    clock_times,
    in_words,
    loose,
    phrase,
    pieces,
    readings_of,
    trimmed,
)

# Words of other languages that open sentences or stand for people, and words that only join sentences.
FUNCTION_WORDS = frozenset(
    """
    der die das dem den des ein eine einen einem einer eines er sie es wir ihr ihre ihren ihrem ihrer sein seine seinen mein
    meine meinen meiner dein deine ich du mich mir dich dir ihm ihn ihnen uns unser und oder aber auch als wenn weil dass nicht
    am im in an auf aus bei mit nach von vor zu zum zur für über um bis seit wegen ist sind war waren bin hat haben hatte wird
    le la les l un une des du de d au aux et ou mais je tu il elle on nous vous ils elles mon ma mes ton ta tes son sa ses est
    sont était ai as a ont que qui dans sur pour avec sans chez ce cet cette ces ne pas
    el los las una unos unas del al y o pero yo tú él ella ellos su sus mi mis tus es son era fue he ha han en con por para sin
    lo gli i uno e ma io lui lei noi voi loro mio mia tuo sono è ho hai abbiamo di da per tra nel della
    het een van voor met op te ik jij hij zij wij mijn jouw zijn niet os um uma eu você ele ela meu minha seu sua não com em
    gestern heute morgen später dann danach hier ayer ieri oggi
    yesterday today tomorrow tonight later finally meanwhile afterwards earlier next since although though despite instead
    however currently recently besides together like unlike according eventually originally overall neither either everyone
    nobody someone another many several among within without around near upon regarding
    """.split()
)
_UNNAMED = STOP_WORDS | FUNCTION_WORDS | WEEKDAYS | frozenset(MONTHS) | frozenset("lyra mr mrs ms dr prof st am pm".split())


@dataclass(frozen=True, slots=True)
class _Held:
    numbers: frozenset[str]
    days: frozenset[Day]
    words: frozenset[str]
    speakers: frozenset[str]

    @property
    def months(self) -> frozenset[int]:
        named = {MONTHS[word] for word in self.words if word in MONTHS}
        return frozenset(named | {month for _, month, _ in self.days if month})


class Evidence:
    """What sources hold, read once each however many sentences cite them. Keep it no longer than the check takes."""

    def __init__(self) -> None:
        self._held: dict[Source, _Held] = {}

    def unsupported(self, entry_text: str, cited: Sequence[Source]) -> list[str]:
        """Return the names and numbers of a digest's sentence that its cited sources do not hold, as written, in order."""
        text, held = plain(entry_text), self._together(cited)
        months = held.months
        missing = [(m.start(), m.group()) for m, readings in dates(text) if not any(_day_held(r, held, months) for r in readings)]
        missing += [(at, shown) for at, shown, readings, parts in _claims(text, held) if not _number_held(readings, parts, held)]
        missing += [(m.start(), m.group()) for m in _names(text) if not _name_held(m.group().casefold(), held)]
        return list(dict.fromkeys(shown for _, shown in sorted(missing)))

    def _together(self, cited: Sequence[Source]) -> _Held:
        each = [self._of(source) for source in cited]
        return _Held(
            frozenset[str]().union(*(one.numbers for one in each)),
            frozenset[Day]().union(*(one.days for one in each)),
            frozenset[str]().union(*(one.words for one in each)),
            frozenset[str]().union(*(one.speakers for one in each)),
        )

    def _of(self, source: Source) -> _Held:
        if source not in self._held:
            self._held[source] = _held(source)
        return self._held[source]


def unsupported(entry_text: str, cited: Sequence[Source]) -> list[str]:
    """Return what `Evidence.unsupported` does, for a single sentence."""
    return Evidence().unsupported(entry_text, cited)


def plain(text: str) -> str:
    # the dotless and dotted i match "i" without regard to case, but are no key of the tables above
    composed = unicodedata.normalize("NFKC", text).replace("ı", "i").replace("İ", "I")
    return "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in composed)


def _held(source: Source) -> _Held:
    text = plain(f"{source.speaker}\n{source.text}")
    said = [day for _, readings in dates(text) for day in readings]
    following = list(derived(plain(source.said_at), text))
    numbers = _numbers(text).union(clock_times(source.said_at), *(parts_of(day) for day in said))
    numbers.update(str(year) for year, _, _ in following if year)
    folded = [word.casefold() for word in WORD.findall(text)]
    words = frozenset([*folded, *map(stem, folded)])
    return _Held(frozenset(numbers), frozenset([*said, *following]), words, frozenset([source.speaker]))


def _day_held(claim: Day, held: _Held, months: frozenset[int]) -> bool:
    if any(all(c is None or c == h for c, h in zip(claim, day, strict=True)) for day in held.days):
        return True
    year, month, day = claim
    return (month in months) and all(n is None or str(n) in held.numbers for n in (year, day))


def _claims(text: str, held: _Held) -> Iterator[tuple[int, str, set[str], set[str]]]:
    """Yield the numbers outside dates: where, as written, the values it may mean, the parts that would do together."""
    rest = without_dates(text)
    for m in NUMBER.finditer(rest):
        readings = readings_of(m)
        suffix = (m.group(2) or "").casefold()
        if suffix in {"st", "nd", "rd", "th"} and any(str(day) in readings for _, _, day in held.days if day):
            continue
        scaled = suffix == "k" or suffix.strip() in COUNT_WORDS
        if scaled:  # "10k" is not held by "10"
            readings = (readings - pieces(m.group(1))) or readings
        yield m.start(), m.group(), readings, loose(m.group(1))
    for m in _counted(blanked(rest, NUMBER.finditer(rest))):
        words = re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())
        value, parts = phrase([COUNT_WORDS[w] for w in words]), {str(COUNT_WORDS[w]) for w in words if w not in UNCOUNTED}
        the_people = value == len(held.speakers) and rest[: m.start()].casefold().endswith("the ")
        if parts and not the_people:
            yield m.start(), m.group(), {str(value)}, parts


def _number_held(readings: set[str], parts: set[str], held: _Held) -> bool:
    return not readings.isdisjoint(held.numbers) or (bool(parts) and parts <= held.numbers)


def _numbers(text: str) -> set[str]:
    """Every value that text may mean, with the parts of composed ones."""
    rest = without_dates(text)
    values = clock_times(text)
    for m in (*NUMBER.finditer(text), *NUMBER.finditer(rest)):
        values |= readings_of(m) | loose(m.group(1)) | pieces(m.group(1))
    for m in (*_counted(text), *_counted(blanked(rest, NUMBER.finditer(rest)))):
        counts = [COUNT_WORDS[w] for w in re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())]
        values.update(map(str, (*counts, phrase(counts))))
    spaced = re.findall(r"(?<!\d)\d{1,3}(?:\s\d{3})+(?!\d)", text)
    return values | {trimmed(re.sub(r"\s", "", run)) for run in spaced}


def _counted(text: str) -> Iterator[re.Match[str]]:
    return matches(in_words(), COUNTED_BEGINNING, text)


def _names(text: str) -> Iterator[re.Match[str]]:
    words = list(WORD.finditer(text))
    for word, following in zip_longest(words, words[1:]):
        written = word.group()
        if written.islower() or not _capital(written) or written[0].isdigit() or written.casefold() in _UNNAMED:
            continue
        if _opens(text, word.start()):
            gap = text[word.end() : following.start()] if following else "."
            if following is None or gap.strip(" -'’") or following.group() == "I" or not _capital(following.group()):
                continue
        yield word


def _capital(word: str) -> bool:
    return any(c.isupper() for c in word)


def _opens(text: str, at: int) -> bool:
    """Whether a word stands at the start of a sentence, or of speech quoted after a colon or comma."""
    before = re.sub(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St)\.\s*$", "x", text[max(0, at - 40) : at])
    bare = before.rstrip(" \t\"“”„«'‘’([{-*•>#")
    if not bare:
        return at <= 40
    return bare[-1] in ".!?\n。！？" or (bare[-1] in ":," and any(c in '"“„«' for c in before[len(bare) :]))


def _name_held(folded: str, held: _Held) -> bool:
    forms = {folded, stem(folded), folded.removesuffix("s"), folded.removesuffix("es")}
    return not forms.isdisjoint(held.words)
