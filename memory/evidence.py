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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import product, zip_longest

from memory.lexical import STOP_WORDS, stem
from memory.ports import Source

Day = tuple[int | None, int | None, int | None]  # year, month, day; None = not said

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
_MONTHS: Mapping[str, int] = {
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
_WEEKDAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun montag dienstag mittwoch
    donnerstag freitag samstag sonnabend sonntag""".split()
)
_UNNAMED = STOP_WORDS | FUNCTION_WORDS | _WEEKDAYS | frozenset(_MONTHS) | frozenset("lyra mr mrs ms dr prof st am pm".split())
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_COUNTS = (
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen""",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
)
_WORDS: Mapping[str, int] = {
    **{word: number for row in _COUNTS for number, word in enumerate(row.split())},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS.split())},
    **dict(zip("twentieth thirtieth dozen twice couple pair both".split(), (20, 30, 12, 2, 2, 2, 2), strict=True)),
    **dict(zip("hundred thousand million billion".split(), (100, 1000, 10**6, 10**9), strict=True)),
}
_NOT_CLAIMED = frozenset(
    "zero null one un uno once first second elf sept neuf dix dos couple pair both twice hundred thousand million".split()
)

_LARGEST = 10**15  # "hundred hundred hundred …" stops here

_WORD = re.compile(r"[^\W_]+")
_M = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_DATE = re.compile(
    rf"(?<!\d)(?:(\d{{4}})-(\d\d?)-(\d\d?)(?!\d)|(\d\d?)[./](\d\d?)[./](\d{{4}})(?!\d)"
    rf"|(\d\d?)(?:st|nd|rd|th|er|\.|º)?\s+(?:(?:of|de|di)\s+)?({_M})\b\.?(?:,?\s+(?:de\s+|del\s+)?(\d{{4}})(?!\d))?)"
    rf"|\b({_M})\b\.?\s+(\d\d?)(?:st|nd|rd|th)?(?![\d:.,'’]\d|\w)(?:,?\s+(\d{{4}})(?!\d))?|\b({_M})\b\.?,?\s+(\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(\d+(?:[.,:'’]\d+)*)(st|nd|rd|th|\s?[ap]\.?m\b|k\b|\s(?:hundred|thousand|million|billion)\b)?", re.IGNORECASE
)
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4])\s?[:.h]\s?([0-5]\d)(?!\d)")
_W = "(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"
_COUNTED = re.compile(rf"\b{_W}\b(?:(?:[\s-]+|\s+and\s+){_W}\b)*", re.IGNORECASE)
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:([.,'’])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?")
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


@dataclass(frozen=True, slots=True)
class _Held:
    numbers: frozenset[str]
    months: frozenset[int]
    days: frozenset[Day]
    words: frozenset[str]
    speakers: int


def unsupported(entry_text: str, cited: Sequence[Source]) -> list[str]:
    """Return the names and numbers of a digest's sentence that its cited sources do not hold, as written, in order."""
    text, held = _plain(entry_text), _held(cited)
    missing = [(m.start(), m.group()) for m, readings in _dates(text) if not any(_day_held(r, held) for r in readings)]
    missing += [(at, shown) for at, shown, readings, parts in _claims(text, held) if not _number_held(readings, parts, held)]
    missing += [(m.start(), m.group()) for m in _names(text) if not _name_held(m.group().casefold(), held)]
    return list(dict.fromkeys(shown for _, shown in sorted(missing)))


def _plain(text: str) -> str:
    # the dotless and dotted i match "i" without regard to case, but are no key of the tables above
    composed = unicodedata.normalize("NFKC", text).replace("ı", "i").replace("İ", "I")
    return "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in composed)


def _held(cited: Sequence[Source]) -> _Held:
    numbers: set[str] = set()
    days: set[Day] = set()
    words: set[str] = set()
    for source in cited:
        text = _plain(f"{source.speaker}\n{source.text}")
        said = [day for _, readings in _dates(text) for day in readings]
        derived = list(_derived(_plain(source.said_at), text))
        days.update(said, derived)
        numbers.update(_numbers(text), _times(source.said_at), *(_parts(day) for day in said))
        numbers.update(str(year) for year, _, _ in derived if year)
        folded = [word.casefold() for word in _WORD.findall(text)]
        words.update(folded, map(stem, folded))
    months = {_MONTHS[word] for word in words if word in _MONTHS} | {month for _, month, _ in days if month}
    return _Held(frozenset(numbers), frozenset(months), frozenset(days), frozenset(words), len({s.speaker for s in cited}))


def _parts(day: Day) -> set[str]:
    return {str(part) for part in day if part is not None}


# Dates


def _dates(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    """Yield every date of text with its readings: 3/4/2026 has two."""
    for m in _DATE.finditer(text):
        g = m.groups()
        if g[0] or g[3]:
            year, one, two = (int(n) for n in (g[0:3] if g[0] else (g[5], g[4], g[3])))
            yield m, [(year, month, day) for month, day in ((one, two), (two, one)) if month <= 12]
        else:
            name, number, year_said = (g[7] or g[9] or g[12]).casefold(), g[6] or g[10], g[8] or g[11] or g[13]
            yield m, [(int(year_said) if year_said else None, _MONTHS[name], int(number) if number else None)]


def _derived(said_at: str, text: str) -> Iterator[Day]:
    """Yield the days that a message's date and its relative expressions make."""
    relative, month_named = _RELATIVE.search(text), any(w.casefold() in _MONTHS for w in _WORD.findall(text))
    for m in re.finditer(r"\d{4}-\d\d-\d\d", said_at):
        try:
            at = datetime.fromisoformat(m.group()).date()
        except ValueError:
            continue
        yield from (_around(at, away) for away in (range(-7, 8) if relative else (0,)))
        if relative or month_named:  # "in March", said in November, may be next year's
            yield from ((at.year + away, None, None) for away in (-1, 1))
        for span, sign in product(_SPAN.finditer(text), (-1, 1)):
            yield from _spanned(at, span, sign)


def _spanned(at: date, span: re.Match[str], sign: int) -> Iterator[Day]:
    word, days, weeks, months = span.groups()
    count = sign * min(int(word) if word.isdecimal() and len(word) < 5 else _WORDS.get(word.casefold(), 1), 9999)
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


def _day_held(claim: Day, held: _Held) -> bool:
    if any(all(c is None or c == h for c, h in zip(claim, day, strict=True)) for day in held.days):
        return True
    year, month, day = claim
    return (month in held.months) and all(n is None or str(n) in held.numbers for n in (year, day))


# Numbers


def _claims(text: str, held: _Held) -> Iterator[tuple[int, str, set[str], set[str]]]:
    """Yield the numbers outside dates: where, as written, the values it may mean, the parts that would do together."""
    rest = _DATE.sub(lambda m: ";" * len(m.group()), text)
    for m in _NUMBER.finditer(rest):
        readings = _readings(m)
        suffix = (m.group(2) or "").casefold()
        if suffix in {"st", "nd", "rd", "th"} and any(str(day) in readings for _, _, day in held.days if day):
            continue
        scaled = suffix == "k" or suffix.strip() in _WORDS
        if scaled:  # "10k" is not held by "10"
            readings = (readings - _pieces(m.group(1))) or readings
        yield m.start(), m.group(), readings, _loose(m.group(1))
    for m in _COUNTED.finditer(_NUMBER.sub(lambda m: ";" * len(m.group()), rest)):
        words = re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())
        value, parts = _phrase([_WORDS[w] for w in words]), {str(_WORDS[w]) for w in words if w not in _NOT_CLAIMED}
        the_people = value == held.speakers and rest[: m.start()].casefold().endswith("the ")
        if parts and not the_people:
            yield m.start(), m.group(), {str(value)}, parts


def _number_held(readings: set[str], parts: set[str], held: _Held) -> bool:
    return not readings.isdisjoint(held.numbers) or (bool(parts) and parts <= held.numbers)


def _numbers(text: str) -> set[str]:
    """Every value that text may mean, with the parts of composed ones."""
    rest = _DATE.sub(lambda m: ";" * len(m.group()), text)
    values = _times(text)
    for m in (*_NUMBER.finditer(text), *_NUMBER.finditer(rest)):
        values |= _readings(m) | _loose(m.group(1)) | _pieces(m.group(1))
    for m in (*_COUNTED.finditer(text), *_COUNTED.finditer(_NUMBER.sub(lambda m: ";" * len(m.group()), rest))):
        counts = [_WORDS[w] for w in re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())]
        values.update(map(str, (*counts, _phrase(counts))))
    spaced = re.findall(r"(?<!\d)\d{1,3}(?:\s\d{3})+(?!\d)", text)
    return values | {_whole(re.sub(r"\s", "", run)) for run in spaced}


def _readings(m: re.Match[str]) -> set[str]:
    """The values of one number: as written, and with its suffix applied."""
    run, suffix = m.group(1), (m.group(2) or "").strip().casefold().replace(".", "")
    values = _pieces(run)
    if suffix in {"am", "pm"}:
        hour, _, minute = run.partition(":")
        if len(hour) <= 2 and hour.isdecimal():
            values.discard(f"{int(hour)}:{minute}")
            values.add(f"{int(hour) % 12 + (12 if suffix == 'pm' else 0)}:{minute[:2] or '00'}")
    power = {"hundred": 2, "k": 3, "thousand": 3, "million": 6, "billion": 9}.get(suffix)
    for value in tuple(values) if power else ():
        whole, _, part = value.partition(".")
        values.add(_whole(whole + part[:power].ljust(power or 0, "0")) if len(part) <= (power or 0) else value)
    return values


def _pieces(run: str) -> set[str]:
    """The value of a run of digits; none where it is neither number nor time, such as 3.11.2 or a score of 2:1."""
    if grouped := _GROUPED.fullmatch(run):
        return {_decimal(re.sub(r"\D", "", grouped.group(1)), grouped.group(3) or "")}
    if re.fullmatch(r"\d+(?:[.,]\d+)?", run):
        return {_decimal(*re.split("[.,]", run))}
    clock = re.fullmatch(r"(\d\d?):(\d\d)(?::\d\d)?", run)
    return {f"{int(clock.group(1))}:{clock.group(2)}"} if clock else set()


def _loose(run: str) -> set[str]:
    """The parts of a run that has no value of its own; they stand for it together."""
    return set() if _pieces(run) else {_whole(part) for part in re.split(r"\D", run)}


def _times(text: str) -> set[str]:
    """The clock times of text, in both halves of the day, and their full hours."""
    hours = [(int(hour), minute) for hour, minute in _CLOCK.findall(text)]
    return {f"{(hour + away) % 24}:{m}" for hour, minute in hours for away in (0, 12) for m in (minute, "00")}


def _phrase(values: Sequence[int]) -> int:
    total = current = 0
    for value in values:
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        else:
            current = max(current, 1) * 100 if value == 100 else current + value
        if total + current > _LARGEST:
            return _LARGEST
    return total + current


def _whole(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _decimal(whole: str, part: str = "") -> str:
    return _whole(whole) + ("." + part.rstrip("0")).rstrip(".")


# Names


def _names(text: str) -> Iterator[re.Match[str]]:
    words = list(_WORD.finditer(text))
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
