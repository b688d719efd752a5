"""Values of numbers in text, in any notation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from memory.text.time.dates import blanked, matches

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_COUNTS = (
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen""",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
)
COUNT_WORDS: Mapping[str, int] = {
    **{word: number for row in _COUNTS for number, word in enumerate(row.split())},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS.split())},
    **dict(zip("twentieth thirtieth dozen twice couple pair both".split(), (20, 30, 12, 2, 2, 2, 2), strict=True)),
    **dict(zip("hundred thousand million billion".split(), (100, 1000, 10**6, 10**9), strict=True)),
}
UNCOUNTED = frozenset(
    "zero null one un uno once first second elf sept neuf dix dos couple pair both twice hundred thousand million".split()
)

_LARGEST = 10**15  # the cap for "hundred hundred hundred …"

NUMBER = re.compile(
    r"(\d+(?:[.,:'’]\d+)*)(st|nd|rd|th|\s?[ap]\.?m\b|k\b|\s(?:hundred|thousand|million|billion)\b)?", re.IGNORECASE
)
_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4])\s?[:.h]\s?([0-5]\d)(?!\d)")
COUNTED_BEGINNING = re.compile(rf"\b[{''.join(sorted({word[0] for word in COUNT_WORDS}))}]", re.IGNORECASE)
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:([.,'’])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?")


@cache
def in_words() -> re.Pattern[str]:
    """Return the pattern of a number in words."""
    word = "(?:" + "|".join(sorted(COUNT_WORDS, key=len, reverse=True)) + ")"
    return re.compile(rf"\b{word}\b(?:(?:[\s-]+|\s+and\s+){word}\b)*", re.IGNORECASE)


def spelled_out(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield the numbers in words of a text, each with its words in lower case."""
    for m in matches(in_words(), COUNTED_BEGINNING, blanked(text, (number.span() for number in NUMBER.finditer(text)))):
        yield m, re.split(r"[\s-]+(?:and\s+)?", m.group().casefold())


def readings_of(m: re.Match[str]) -> set[str]:
    """Return the values of one number: as written, and with its suffix applied."""
    run, suffix = m.group(1), (m.group(2) or "").strip().casefold().replace(".", "")
    values = pieces(run)
    if suffix in {"am", "pm"}:
        hour, _, minute = run.partition(":")
        if len(hour) <= 2 and hour.isdecimal():
            values.discard(f"{int(hour)}:{minute}")
            values.add(f"{int(hour) % 12 + (12 if suffix == 'pm' else 0)}:{minute[:2] or '00'}")
    power = {"hundred": 2, "k": 3, "thousand": 3, "million": 6, "billion": 9}.get(suffix)
    for value in tuple(values) if power else ():
        whole, _, part = value.partition(".")
        values.add(trimmed(whole + part[:power].ljust(power or 0, "0")) if len(part) <= (power or 0) else value)
    return values


def pieces(run: str) -> set[str]:
    """Return the value of a run of digits; none if it is neither number nor time, such as 3.11.2 or a score of 2:1."""
    if grouped := _GROUPED.fullmatch(run):
        return {_decimal(re.sub(r"\D", "", grouped.group(1)), grouped.group(3) or "")}
    if re.fullmatch(r"\d+(?:[.,]\d+)?", run):
        return {_decimal(*re.split("[.,]", run))}
    clock = re.fullmatch(r"(\d\d?):(\d\d)(?::\d\d)?", run)
    return {f"{int(clock.group(1))}:{clock.group(2)}"} if clock else set()


def loose(run: str) -> set[str]:
    """Return the parts of a run that has no value of its own; together they stand for it."""
    return set() if pieces(run) else {trimmed(part) for part in re.split(r"\D", run)}


def clock_times(text: str) -> set[str]:
    """Return the clock times in a text, read in both halves of the day, and their full hours."""
    hours = [(int(hour), minute) for hour, minute in _CLOCK.findall(text)]
    return {f"{(hour + away) % 24}:{m}" for hour, minute in hours for away in (0, 12) for m in (minute, "00")}


def phrase(values: Sequence[int]) -> int:
    """Return the number that the values of its words make together, at most 10**15: [2, 100, 5] is 205."""
    total = current = 0
    for value in values:
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        else:
            current = max(current, 1) * 100 if value == 100 else current + value
        if total + current > _LARGEST:
            return _LARGEST
    return total + current


def trimmed(digits: str) -> str:
    """Return digits without leading zeros."""
    return digits.lstrip("0") or "0"


def _decimal(whole: str, part: str = "") -> str:
    return trimmed(whole) + ("." + part.rstrip("0")).rstrip(".")
