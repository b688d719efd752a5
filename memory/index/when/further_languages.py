"""Time expressions in seven further languages, translated into English for the grammar.

Only the time expressions are translated. Unambiguous ones ("вчера", "三天前") are recognized in any text; Polish and Turkish,
whose words also occur in other languages with Latin letters, only in texts in that language or in none detected.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache

from memory.index.when.further_vocabulary import (
    AGO,
    AHEAD,
    DATES,
    DAY_NAMES,
    DAYS,
    DAYS_IN_ENGLISH,
    FIXED,
    HAN,
    IN_MONTH,
    IN_SEASON,
    LAST,
    MONTHS,
    NEXT,
    NUMBERS,
    OF_MONTH,
    ON,
    ONE,
    SEASONS,
    TENS,
    THIS,
    UNITS,
    WEEKDAY_OF,
    WEEKDAYS,
)
from memory.text.language_detection import language
from memory.text.lexical import tokens

_LATIN = ("polish", "turkish")
_WORD = r"(?<!\w)(?:{})(?!\w)"
_LETTERS = {
    "russian": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "japanese": re.compile("[\u3040-\u30ff]"),
    "chinese": re.compile("[\u4e00-\u9fff]"),
    "korean": re.compile("[\uac00-\ud7a3]"),
}
"""The scripts of languages; kana is tested before Han characters, so that Japanese is not read as Chinese."""
_PARTICLES = {"korean": "(?:에는|에|은|는|의)?", "chinese": "", "japanese": ""}
_Said = Callable[[re.Match[str]], str]


@lru_cache(maxsize=64)
def in_english(text: str) -> str:
    """Return a text with its time expressions in these languages translated into English."""
    for name in languages_of(text):
        if _may_say(name, text):
            for pattern, said in _read(name):
                text = pattern.sub(said, text)
    return text


def times_in_english(text: str, name: str) -> tuple[list[str], str]:
    """Return the time expressions of a text in one language, in English, most specific first, and the rest of the text."""
    found: list[str] = []
    for pattern, said in _read(name) if _may_say(name, text) else ():

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
    return [*(name for name in _LATIN if told in (name, None)), *(name for name, of in _LETTERS.items() if of.search(text))]


def _may_say(name: str, text: str) -> bool:
    """Return whether a text may have time expressions of a language: most short texts could be in one with Latin letters."""
    return name not in _LATIN or _any(name).search(text) is not None


@cache
def _any(name: str) -> re.Pattern[str]:
    """Return one pattern that finds whether a text has any of the time expressions of a language with Latin letters."""
    return re.compile(_WORD.format("|".join(re.sub(r"\(\?P<\w+>", "(", pattern) for pattern, _ in _forms(name))), re.IGNORECASE)


@cache
def _read(name: str) -> list[tuple[re.Pattern[str], _Said]]:
    """Return the compiled patterns of a language's time expressions with their translations."""
    return [(_whole(name, pattern), said) for pattern, said in _forms(name)]


def _forms(name: str) -> list[tuple[str, _Said]]:
    """Return the patterns of a language's time expressions with their translations, longer ones before their parts."""
    number = _number(name)
    found: list[tuple[str, _Said]] = []
    if name in DATES:
        found += _in_figures(name, number)
    else:
        for month, of in zip(MONTHS, OF_MONTH[name], strict=True):
            found.append((rf"(?P<day>\d\d?)\.? {of}(?: (?P<year>\d{{4}}))?", _in_month(month)))
    form, seasons = IN_SEASON[name]
    for season, word in zip(SEASONS, seasons, strict=True):
        found.append((form.format(season=word), _always(f"in {season} of last year")))
    found += [(pattern, _always(said)) for pattern, said in FIXED[name].items()]
    ago, units = AGO[name]
    for form, said in ((ago, "ago"), (AHEAD[name], "from now")):
        found += [
            (form.format(counted=_counted(name, number, at, word)), _distance(name, UNITS[at], said))
            for at, word in enumerate(units)
        ]
    for form, said in WEEKDAY_OF[name]:
        found += [
            (form.format(day=f"(?:{word})"), _always(said.format(day=day)))
            for day, word in zip(WEEKDAYS, DAY_NAMES[name], strict=True)
        ]
    for which, words in (("last", LAST), ("this", THIS), ("next", NEXT)):
        found += [(word, _always(f"{which} {unit}")) for unit, word in zip(UNITS[1:], words[name], strict=True)]
    found += [(word, _always(said)) for word, said in zip(DAYS[name].split(" | "), DAYS_IN_ENGLISH, strict=True)]
    found += [(word, _always(f"on {day}")) for day, word in zip(WEEKDAYS, ON[name], strict=True)]
    in_months = zip(MONTHS, IN_MONTH.get(name, ()), strict=False)
    return found + [(rf"{word}(?: (?P<year>\d{{4}}))?", _in_month(month)) for month, word in in_months]


def _number(name: str) -> str:
    """Return the pattern of a number in digits or words, in the group `n`; long runs of digits do not match."""
    if name not in NUMBERS:
        signs = f"{HAN}两兩十"
        return rf"(?<![\d{signs}])(?P<n>\d{{1,4}}|[{signs}]{{1,4}})"
    ones = "|".join(NUMBERS[name])
    tens = "|".join(filter(None, TENS.get(name, ())))
    words = rf"(?:{tens}) ?(?:{ones})|{tens}|{ones}" if tens else ones
    return rf"(?<!\d)(?P<n>\d{{1,4}}|{words})"


def _counted(name: str, number: str, unit: int, word: str) -> str:
    """Return the pattern of a number of units, or of a single unit in languages that leave out its number."""
    if name in DATES:
        return f"{number} ?{word}"
    return f"(?:{number} {word}|{ONE[name][unit]})" if name in ONE else f"{number} {word}"


def _whole(name: str, pattern: str) -> re.Pattern[str]:
    if name in DATES:
        return re.compile(rf"(?:{pattern}){_PARTICLES[name]}")
    return re.compile(_WORD.format(pattern), re.IGNORECASE)


def _in_figures(name: str, number: str) -> list[tuple[str, _Said]]:
    """Return the patterns of dates in digits, each number followed by the character of its unit."""
    year, month, day = DATES[name]
    count = number if name != "korean" else r"(?<!\d)(?P<n>\d{1,2})"
    of_month = r"\d\d?" if name == "korean" else rf"\d\d?|[{HAN}十]{{1,3}}"

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
    if name not in NUMBERS:
        before, ten, behind = said.replace("两", "二").replace("兩", "二").rpartition("十")
        return 10 * (HAN.find(before) + 1 if before else len(ten)) + (HAN.find(behind) + 1 if behind else 0)
    for tens, word in enumerate(TENS.get(name, ()), 1):
        if word and (found := re.match(word, said, re.IGNORECASE)):
            ones = said[found.end() :].strip()
            return 10 * tens + (_value(name, ones) if ones else 0)
    return next(at for at, word in enumerate(NUMBERS[name], 1) if re.fullmatch(word, said, re.IGNORECASE))
