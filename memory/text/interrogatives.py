"""Sentences that ask although no question mark says so, in ten languages: by question words, particles and endings.

Italian, Portuguese, Dutch, Polish, Russian and Arabic put the question word first, or behind the subject ("e mio fratello cosa
studia"); Turkish, Chinese, Japanese and Korean leave it where the answer stands, or close with a particle. Everywhere the same words
also open clauses ("quando ero piccola"), and stand for anybody and anything ("什么都没有", "누군가"): those state.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LONGEST = 80
"""Characters. A longer sentence without a question mark is a story."""
_LATIN = ("italian", "portuguese", "dutch", "polish", "turkish")
_SCRIPTS = (
    (re.compile(r"[\u3040-\u30ff]"), "japanese"),
    (re.compile(r"[\uac00-\ud7af]"), "korean"),
    (re.compile(r"[\u4e00-\u9fff]"), "chinese"),
    (re.compile(r"[\u0400-\u04ff]"), "russian"),
    (re.compile(r"[\u0600-\u06ff]"), "arabic"),
)
_LEAD = re.compile(
    r"(?i)^(?:(?:ciao|ehi|senti|scusa|allora|e|ma|oi|olá|olha|então|mas|hoi|hallo|hé|hey|en|maar|dus|hej|cześć|no|ale|a|i|selam|merhaba|peki|ya"
    r"|привет|слушай|ну|а|и|но|مرحبا|طيب|lyra)[,،\s]+){1,2}|^(?:你好|嗨|那|おはよう|こんにちは|ねえ|ところで|안녕|저기|그런데)[,，、\s]*"
)
"""Greetings and conjunctions before the question."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a sentence of one language holds when it asks, and what it holds when it states all the same."""

    asks: re.Pattern[str]
    states: re.Pattern[str]

    def holds(self, sentence: str) -> bool:
        return bool(self.asks.search(sentence)) and not self.states.search(sentence)


def asks_by_its_words(sentence: str) -> bool:
    """Return whether a sentence of one of the ten languages asks; one of more than 80 characters or with a comma does not."""
    if len(sentence) > _LONGEST:
        return False
    sentence = _LEAD.sub("", " ".join(sentence.split()).rstrip(".。…"))
    if re.search("[,，、،]", sentence):
        return False
    for letters, name in _SCRIPTS:
        if letters.search(sentence):
            return _asking(name).holds(sentence)
    return any(_asking(name).holds(sentence) for name in _LATIN)


@cache
def _asking(name: str) -> _Asking:
    patterns = _listed()[name]
    return _Asking(*(re.compile(patterns[key], re.IGNORECASE | re.VERBOSE) for key in ("asks", "states")))


@cache
def _listed() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
