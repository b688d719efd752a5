"""Time expressions in seven further languages, translated into English for the grammar.

Only the time expressions are translated. Unambiguous ones ("вчера", "三天前") are recognized in any text; Polish and Turkish,
whose words also occur in other languages with Latin letters, only in texts in that language or in none detected.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memory.text.language_detection import language, languages_by_script
from memory.text.lexical import tokens
from memory.text.wordings import read_wordings

MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SEASONS = "spring summer autumn winter".split()
_UNITS = "day week month year".split()
_DAYS = ("the day before yesterday", "the day after tomorrow", "yesterday", "today", "tomorrow")
_HAN = "一二三四五六七八九"
_PAST_IN_KOREAN = "".join(chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 20 and chr(code) not in "있겠")
"""Syllables that end in the double consonant of a past tense."""
_LATIN = ("polish", "turkish")
_WORD = r"(?<!\w)(?:{})(?!\w)"
_Said = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The time words of a language, as further_languages.toml has and explains them."""

    days: Sequence[str]
    last: Sequence[str]
    this: Sequence[str]
    next: Sequence[str]
    ago: str
    ahead: str
    units: Sequence[str]
    weekdays: Sequence[str]
    on_weekdays: Sequence[str]
    last_year: str
    seasons: Sequence[str]
    fixed: Mapping[str, str]
    near_weekdays: Mapping[str, str]
    signs: Mapping[str, str]
    numbers: Sequence[str] = ()
    tens: Sequence[str] = ()
    one: Sequence[str] = ()
    figures: Sequence[str] = ()
    particle: str = ""
    months: Sequence[str] = ()
    in_months: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TenseSigns:
    """What tells in a sentence whether its time is past, to come, or recurring (also "since", and questions).

    `own` is what somebody says of themself, which is to come where nothing else says otherwise.
    """

    back: re.Pattern[str]
    ahead: re.Pattern[str]
    none: re.Pattern[str]
    own: re.Pattern[str]


@cache
def vocabularies() -> Mapping[str, Vocabulary]:
    """Return the vocabularies by language: "russian"."""
    listed = read_wordings(__file__, PAST=_PAST_IN_KOREAN)
    return {name: Vocabulary(**words) for name, words in listed.items() if name != "parts"}


@cache
def signs_of(name: str) -> TenseSigns:
    """Return the signs of tense in a language."""
    return TenseSigns(**{tense: re.compile(sign, re.IGNORECASE) for tense, sign in vocabularies()[name].signs.items()})


@lru_cache(maxsize=64)
def in_english(text: str) -> str:
    """Return a text with its time expressions in these languages translated into English."""
    for name in languages_of(text):
        if _may_say(name, text):
            for pattern, said in _translations(name):
                text = pattern.sub(said, text)
    return text


def times_in_english(text: str, name: str) -> tuple[list[str], str]:
    """Return the time expressions of a text in one language, in English, most specific first, and the rest of the text."""
    found: list[str] = []
    for pattern, said in _translations(name) if _may_say(name, text) else ():

        def take(match: re.Match[str], said: _Said = said) -> str:
            if (english := said(match)) == match[0]:
                return english
            found.append(english.strip())
            return " "

        text = pattern.sub(take, text)
    return found, text


def languages_of(text: str) -> list[str]:
    """Return the languages in which a text may tell times: "russian"."""
    told = language(tokens(text))
    if text.isascii() and told not in (*_LATIN, None):
        return []
    return [*(name for name in _LATIN if told in (name, None)), *languages_by_script(text)]


def _may_say(name: str, text: str) -> bool:
    """Return whether a text may have time expressions of a language: most short texts could be in one with Latin letters."""
    return name not in _LATIN or _any_time(name).search(text) is not None


@cache
def _any_time(name: str) -> re.Pattern[str]:
    """Return one pattern that finds whether a text has any of the time expressions of a language with Latin letters."""
    return re.compile(_WORD.format("|".join(re.sub(r"\(\?P<\w+>", "(", pattern) for pattern, _ in _forms(name))), re.IGNORECASE)


@cache
def _translations(name: str) -> list[tuple[re.Pattern[str], _Said]]:
    """Return the compiled patterns of a language's time expressions with their translations."""
    return [(_whole(name, pattern), said) for pattern, said in _forms(name)]


def _forms(name: str) -> list[tuple[str, _Said]]:
    """Return the patterns of a language's time expressions with their translations, longer ones before their parts."""
    words, number = vocabularies()[name], _number(name)
    found: list[tuple[str, _Said]] = []
    if words.figures:
        found += _in_figures(name, number)
    else:
        for month, of in zip(MONTHS, words.months, strict=True):
            found.append((rf"(?P<day>\d\d?)\.? {of}(?: (?P<year>\d{{4}}))?", _in_month(month)))
    for season, word in zip(_SEASONS, words.seasons, strict=True):
        found.append((words.last_year.format(season=word), _always(f"in {season} of last year")))
    found += [(pattern, _always(said)) for pattern, said in words.fixed.items()]
    for form, said in ((words.ago, "ago"), (words.ahead, "from now")):
        found += [
            (form.format(counted=_counted(words, number, at, word)), _distance(name, _UNITS[at], said))
            for at, word in enumerate(words.units)
        ]
    for form, said in words.near_weekdays.items():
        found += [
            (form.format(day=f"(?:{word})"), _always(said.format(day=day)))
            for day, word in zip(_WEEKDAYS, words.weekdays, strict=True)
        ]
    for which, spans in (("last", words.last), ("this", words.this), ("next", words.next)):
        found += [(span, _always(f"{which} {unit}")) for unit, span in zip(_UNITS[1:], spans, strict=True)]
    found += [(word, _always(said)) for word, said in zip(words.days, _DAYS, strict=True)]
    found += [(word, _always(f"on {day}")) for day, word in zip(_WEEKDAYS, words.on_weekdays, strict=True)]
    in_months = zip(MONTHS, words.in_months, strict=False)
    return found + [(rf"{word}(?: (?P<year>\d{{4}}))?", _in_month(month)) for month, word in in_months]


def _number(name: str) -> str:
    """Return the pattern of a number in digits or words, in the group `n`; long runs of digits do not match."""
    words = vocabularies()[name]
    if not words.numbers:
        signs = f"{_HAN}两兩十"
        return rf"(?<![\d{signs}])(?P<n>\d{{1,4}}|[{signs}]{{1,4}})"
    ones, tens = "|".join(words.numbers), "|".join(filter(None, words.tens))
    written = rf"(?:{tens}) ?(?:{ones})|{tens}|{ones}" if tens else ones
    return rf"(?<!\d)(?P<n>\d{{1,4}}|{written})"


def _counted(words: Vocabulary, number: str, unit: int, word: str) -> str:
    """Return the pattern of a number of units, or of a single unit in languages that leave out its number."""
    if words.figures:
        return f"{number} ?{word}"
    return f"(?:{number} {word}|{words.one[unit]})" if words.one else f"{number} {word}"


def _whole(name: str, pattern: str) -> re.Pattern[str]:
    words = vocabularies()[name]
    if words.figures:
        return re.compile(rf"(?:{pattern}){words.particle}")
    return re.compile(_WORD.format(pattern), re.IGNORECASE)


def _in_figures(name: str, number: str) -> list[tuple[str, _Said]]:
    """Return the patterns of dates in digits, each number followed by the character of its unit."""
    year, month, day = vocabularies()[name].figures
    count = number if name != "korean" else r"(?<!\d)(?P<n>\d{1,2})"
    of_month = r"\d\d?" if name == "korean" else rf"\d\d?|[{_HAN}十]{{1,3}}"

    def told(found: re.Match[str]) -> str:
        groups = found.groupdict()
        at = _value(name, groups["n"])
        if not 1 <= at <= 12:
            return found[0]
        of = str(_value(name, groups["day"])) if groups["day"] else "in"
        return _spaced(" ".join(filter(None, (of, MONTHS[at - 1], groups["year"]))))

    return [(rf"(?:(?P<year>\d{{4}}){year} ?)?{count}{month}(?: ?(?P<day>{of_month}){day})?(?![前전])", told)]


def _always(said: str) -> _Said:
    return lambda _: _spaced(said)


def _spaced(said: str) -> str:
    return f" {said} "


def _in_month(month: str) -> _Said:
    """Return the translation of a month, or of a day of it, with its year if that is told."""
    return lambda found: _spaced(f"{found.groupdict().get('day', 'in')} {month} {found['year'] or ''}".strip())


def _distance(name: str, unit: str, said: str) -> _Said:
    return lambda found: _spaced(f"{_value(name, found['n'] or '1')} {unit}s {said}")


def _value(name: str, said: str) -> int:
    if said.isdecimal():
        return int(said)
    words = vocabularies()[name]
    if not words.numbers:
        before, ten, behind = said.replace("两", "二").replace("兩", "二").rpartition("十")
        return 10 * (_HAN.find(before) + 1 if before else len(ten)) + (_HAN.find(behind) + 1 if behind else 0)
    for tens, word in enumerate(words.tens, 1):
        if word and (found := re.match(word, said, re.IGNORECASE)):
            ones = said[found.end() :].strip()
            return 10 * tens + (_value(name, ones) if ones else 0)
    return next(at for at, word in enumerate(words.numbers, 1) if re.fullmatch(word, said, re.IGNORECASE))
