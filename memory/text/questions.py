"""Which texts are questions: by the marks of all scripts and, in twenty-three languages, by question words, particles and endings.

French, Spanish, Italian, Portuguese, Dutch, Polish, Russian and Arabic put the question word first, or behind the subject ("e mio
fratello cosa studia"), and French as often last ("tu habites où"); Turkish, Chinese, Japanese and Korean leave it where the answer
stands, or close with a particle. Everywhere the same words also open clauses ("quando ero piccola") and exclamations ("qué calor"),
and stand for anybody and anything ("什么都没有", "누군가"): those state. English and German are read in `unmarked_questions`, the
languages of further sections (the Scandinavian ones, Czech, Greek and others) as those that put the question word first.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from memory.text.language_detection import scripts_of
from memory.text.lexical import unaccented
from memory.text.word_forms.spellings import PLAIN_LETTERS
from memory.text.wordings import read_wordings

_MARKS = ("?", "？", "؟", "՞")
_GREEK_MARKS = (";", "\u037e")
_LOOKED_AT = 40
"""The characters before a semicolon that show whether it ends a Greek sentence."""
_LONGEST = 80
"""Characters. A longer sentence without a question mark is a story."""
_LONGEST_FRENCH, _MOST_WORDS = 200, 12
"""The same for French, whose patterns take the square of its length; and the most words before a question word at the end."""
_PLAIN = frozenset({"polish", "turkish"})
_TOKEN = re.compile(r"[啥咋]|(?:(?![啥咋])[\w’'])+")
_STOPS = ".。…"
_COMMA = re.compile("[,，、،]")
_ENDS = " .…?!¿¡？！。،؟"
"""What stands around a sentence."""


def is_question(text: str) -> bool:
    """Return whether a text ends with a question mark, which in Greek is a semicolon."""
    end = text.rstrip()
    return end.endswith(_MARKS) or (end.endswith(_GREEK_MARKS) and any("\u0370" <= char < "\u0400" for char in end[-_LOOKED_AT:]))


def asks(text: str) -> bool:
    """Return whether a text contains a question anywhere; a semicolon in Greek counts as one."""
    return any(mark in text for mark in (*_MARKS, "¿")) or any(is_question(line) for line in text.splitlines())


def asks_by_its_words(sentence: str) -> bool:
    """Return whether a sentence of one of these languages asks.

    One of more than 80 characters or with a comma does not; in French one of more than 200.
    """
    sentence = " ".join(sentence.split())
    return bool(asked_about(sentence)) or _asks_in_french(sentence) or _asks_otherwise(sentence)


def asked_about(sentence: str) -> str:
    """Return about whom or what a sentence asks for all that is known ("Elena", in Polish and Russian "o Elenie"); '' if it does not."""
    if len(sentence) > _LONGEST:
        return ""
    plain = _wordings("further")["lead"].sub("", " ".join(sentence.split()).strip(_ENDS)).strip(_ENDS)
    return next((found["whom"] for way in _asking_about() if (found := way.fullmatch(plain))), "")


@cache
def _asking_about() -> list[re.Pattern[str]]:
    return [re.compile(one, re.IGNORECASE) for wordings in _read()["about"].values() for one in wordings]


def _asks_in_french(sentence: str) -> bool:
    """Return whether a sentence asks by its question word, wherever that stands, or by the order of verb and pronoun."""
    if len(sentence) > _LONGEST_FRENCH:
        return False
    wordings = _wordings("french")
    sentence = _as_typed("french", wordings["lead"].sub("", sentence))
    if opened := wordings["asks"].match(sentence):
        return not wordings["known"].search(sentence[: opened.end()]) or bool(wordings["known_asks"].match(sentence))
    words = wordings["trails"].sub("", sentence)
    ends = wordings["ends"].search(words) and len(words.split()) <= _MOST_WORDS and "," not in words
    return bool(ends) and not wordings["known"].search(words)


def _asks_otherwise(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    further = _wordings("further")
    sentence = further["trails"].sub("", sentence.rstrip(_STOPS)).rstrip(_STOPS)
    script = next(iter(scripts_of(sentence)), "latin")
    plain = further["lead"].sub("", sentence)
    ways = dict.fromkeys((plain, further["reminds"].sub("", plain)))
    return any(_holds(name, sentence, ways) for name in _read()["script"].get(script, "").split())


def _holds(name: str, sentence: str, plain: Iterable[str]) -> bool:
    """Return whether a sentence asks in a language, of which it is `plain` without what most of them may have before it."""
    wordings = _wordings(name)
    ways = [wordings["lead"].sub("", sentence)] if "lead" in wordings else plain
    typed = [_as_typed(name, one) for one in ways if not _COMMA.search(one)]
    return any(wordings["asks"].search(one) and not wordings["states"].search(one) for one in typed)


def _as_typed(name: str, sentence: str) -> str:
    """Return a sentence with what is typed in a hurry written out, in Polish and Turkish without accents."""
    typed = _typed(name)
    sentence = _TOKEN.sub(lambda word: typed.get(word[0].casefold(), word[0]), sentence)
    return _plain(sentence) if name in _PLAIN else sentence


@cache
def _typed(name: str) -> Mapping[str, str]:
    pairs = (pair.split(":") for pair in _read()["typed"].get(name, "").split())
    return {short: whole.replace("+", " ") for short, whole in pairs}


def _plain(text: str) -> str:
    return unaccented(text).translate(PLAIN_LETTERS)


@cache
def _wordings(name: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a language by their meaning, as questions.toml has and explains them."""
    return {
        purpose: re.compile(_plain(one) if name in _PLAIN else one, re.IGNORECASE | re.VERBOSE)
        for purpose, one in _read()[name].items()
    }


def _read() -> Mapping[str, Mapping[str, Any]]:
    return read_wordings(__file__)
