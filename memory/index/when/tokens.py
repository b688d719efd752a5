"""The tokenizer of questions: each word gets a code and a value."""

import re
import unicodedata
from dataclasses import dataclass

from memory.index.when.codes import Code
from memory.index.when.vocabulary import LEXICON, PHRASES, WEEKDAYS_OR_WORDS
from memory.text.lazy_patterns import lazy_pattern

LONGEST = 2_000
"""The number of characters read; a longer text asks about what it tells, not about a time."""

_PHRASES = "|".join(re.escape(phrase).replace("_", r"\s+").replace("'", "['’]") for phrase in PHRASES)
_TOKEN = lazy_pattern(
    rf"(?:{_PHRASES})(?!\w)"
    r"|q[1-4](?!\w)|['’]\d\d(?![\w'’])|\d+(?:[-./:,]\d+)+|\d+[^\W\d_]*"
    r"|[^\W\d_]+(?:['’](?=[^\W\d_]{3})|['’][^\W\d_]{1,2}(?!\w))?"
    r"|[^\w\s]|_"
)
_QUOTED = lazy_pattern(r"\"[^\"\n]+\"|“[^“”\n]+”|„[^„“\n]+“|«[^«»\n]+»")
_ORDINAL = lazy_pattern(r"(\d\d?)(?:st|nd|rd|th|er|º|ª)")
_DATE = lazy_pattern(r"\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4}")
_SHORT_DATE = lazy_pattern(r"\d\d?([./])\d\d?\1\d\d|\d\d?[./]\d\d?")
_YEARS = lazy_pattern(r"((?:19|20)\d\d)(?:[-/]\d\d|-(?:19|20)\d\d)?")
_DAYS = lazy_pattern(r"(\d\d?)-(\d\d?)")
_PART_OF_MORE = frozenset("/\\#@_=&$€£%+")

_MORNINGS = frozenset(("morgen", "mañana", "manana"))
_BEFORE_MORNING = frozenset((Code.DAY_FROM_TODAY, Code.THIS, Code.WEEKDAY, Code.THE, Code.ON, Code.IN, Code.OF, Code.LAST))
_WHOSE_MORNING = frozenset("guten goede goeden jeden elke cada por".split())
_ONLY_BEHIND = {
    "pro": frozenset("lundi mardi mercredi jeudi vendredi samedi dimanche semaine mois année week-end weekend".split()),
    "finde": frozenset("el este ese próximo proximo pasado último ultimo un al del de cada".split()),
}
"""What is short for a time in French or Spanish only behind these words: "das finde ich" and "pro Person" are German."""
_FRENCH = frozenset("je tu il elle on nous vous j'ai qu' que qui quoi est ai as a le la les ce soir matin avec l' d'".split())


@dataclass(frozen=True, slots=True)
class TimeTokens:
    """The words of `text` in lower case, their spans and values, and a string with the code letter of each."""

    text: str
    words: list[str]
    spans: list[tuple[int, int]]
    values: list[int]
    codes: str

    def has(self, words: frozenset[str]) -> bool:
        """Return whether any of these words occurs."""
        return not words.isdisjoint(self.words)


def cut(text: str) -> TimeTokens:
    """Return the tokens of a text's beginning, normalized to NFC."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    lower = text[:LONGEST].lower()
    if len(lower) != len(text[:LONGEST]):
        lower = "".join(c if len(c.lower()) > 1 else c.lower() for c in text[:LONGEST])
    if not text.isascii() or '"' in text:
        lower = _unquoted(lower)
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    values: list[int] = []
    codes: list[Code] = []
    for m in _TOKEN.finditer(lower):
        word, start = m.group(), m.start()
        found = LEXICON.get(word)
        if found is None:
            found = _unlisted(word, text, start, m.end())
        code = found[0]
        if word in _MORNINGS and codes and (codes[-1] in _BEFORE_MORNING or words[-1] in _WHOSE_MORNING):
            found, code = (Code.PART_OF_DAY, 0), Code.PART_OF_DAY
        elif (code == Code.SHORT_WEEKDAY and word in WEEKDAYS_OR_WORDS and not text[start].isupper()) or (
            words and words[-1] not in _ONLY_BEHIND.get(word, words)
        ):
            code = Code.OTHER
        words.append(str(found[1]) if code == Code.YEAR and not word[0].isdecimal() else word)
        spans.append((start, m.end()))
        values.append(found[1])
        codes.append(code)
    if "hier" in words and len(words) > 2 and _FRENCH.isdisjoint(words):
        codes = [Code.OTHER if word == "hier" else code for word, code in zip(words, codes, strict=True)]
    return TimeTokens(text, words, spans, values, "".join(codes))


def _unquoted(text: str) -> str:
    """Return a text with quotations blanked, unless it is quoted as a whole: titles tell no time."""
    bare = len(text.strip())
    return _QUOTED.sub(lambda m: m[0] if len(m[0]) >= bare - 1 else f"{m[0][0]}{' ' * (len(m[0]) - 2)}{m[0][-1]}", text)


def _unlisted(word: str, text: str, start: int, end: int) -> tuple[Code, int]:
    """Return the code and value of a word that is not in the lexicon in this form."""
    if word.isalpha():
        return _unknown(text, start)
    first = word[0]
    if first.isdecimal():
        apart = (start == 0 or not (text[start - 1].isalnum() or text[start - 1] in _PART_OF_MORE)) and (
            end == len(text) or text[end] not in _PART_OF_MORE
        )
        return _number(word) if apart else (Code.OTHER, 0)
    if word[1:].isdecimal():
        year = int(word[1:])
        return (Code.OTHER if start and text[start - 1].isalnum() else Code.YEAR), year + (2000 if year < 50 else 1900)
    if not first.isalpha():
        return (Code.PERIOD if word == "." else Code.HYPHEN if word in "-–—" else Code.MARK), 0
    key = "_".join(word.split()).replace("’", "'")
    return LEXICON.get(key) or LEXICON.get(key.removesuffix("'s")) or _unknown(text, start)


def _unknown(text: str, start: int) -> tuple[Code, int]:
    return (Code.CAPITALIZED if text[start].isupper() else Code.OTHER), 0


def _number(word: str) -> tuple[Code, int]:
    if word.isdecimal():
        if len(word) > 4:
            return Code.OTHER, 0
        number = int(word)
        return (Code.YEAR if len(word) == 4 and 1900 <= number < 2100 else Code.DIGITS), number
    if m := _ORDINAL.fullmatch(word):
        return Code.ORDINAL, int(m[1])
    if m := _YEARS.fullmatch(word):
        return Code.YEAR, int(m[1])
    if _DATE.fullmatch(word):
        return Code.DATE, 0
    if m := _DAYS.fullmatch(word):
        return Code.DAYS, int(m[2])
    return (Code.SHORT_DATE if _SHORT_DATE.fullmatch(word) else Code.OTHER), 0
