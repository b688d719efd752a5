"""Translatable sentences: written in English in the code, translated when they are read.

Placeholders in {braces} are filled in. `_` and `ngettext` translate now; `lazy` and `lazy_plural` defer that to the reader, as
a list of commands needs, and so does an error with the sentence that it is given.
"""

import gettext
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from localization import current_language
from localization.numerals import number

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "lyra"
VOICE = "voice"
"""The catalogue of the offline voice, which speaks more languages than the program."""


@cache
def catalogue(language: str, domain: str = DOMAIN) -> gettext.NullTranslations:
    """Return the translations for a language code; without any, the English of the code."""
    return gettext.translation(domain, LOCALE, [language], fallback=True)


@dataclass(frozen=True, slots=True)
class Sentence:
    """An untranslated sentence: its English singular and plural, and the values of its placeholders."""

    text: str
    plural: str = ""
    n: int = 1
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.read_in(current_language.current())

    def unfilled(self, language: str) -> str:
        """Return the translation with its placeholders unfilled."""
        found = catalogue(language)
        return found.ngettext(self.text, self.plural, self.n) if self.plural else found.gettext(self.text)

    def read_in(self, language: str) -> str:
        """Return the translation with its placeholders filled in."""
        text = self.unfilled(language)
        gaps = {name: explained(value, language) for name, value in self.values.items()}
        if self.plural:
            gaps["n"] = number(self.n, language)
        return text.format_map(gaps) if gaps else text


Said = Sentence | str


class Explained(Exception):
    """An error with a sentence for people. `str` gives English, for logs; `explained` gives the reader's language."""

    def __init__(self, sentence: Said = "", /, **values: object) -> None:
        self.sentence = Sentence(sentence, values=values) if sentence and isinstance(sentence, str) else sentence
        super().__init__(self.sentence)

    def __str__(self) -> str:
        return str(explained(self.sentence, current_language.ENGLISH))


def explained(value: object, language: str = "") -> object:
    """Translate a sentence or an error's text, by default into the current language; return anything else unchanged."""
    sentence = value.sentence if isinstance(value, Explained) else value
    return sentence.read_in(language or current_language.current()) if isinstance(sentence, Sentence) else sentence


def told(error: Exception) -> str:
    """Return an error's text in the current language."""
    return str(explained(error.sentence)) if isinstance(error, Explained) else str(error)


def _(sentence: str, /, **values: object) -> str:
    """Translate a sentence into the current language."""
    return str(Sentence(sentence, values=values))


def ngettext(sentence: str, plural: str, n: int, /, **values: object) -> str:
    """Translate a sentence about {n} things into the current language."""
    return str(Sentence(sentence, plural, n, values))


def lazy(sentence: str, /, **values: object) -> Sentence:
    """Defer the translation of a sentence to its reader."""
    return Sentence(sentence, values=values)


def marked(sentence: str) -> str:
    """Mark a sentence for translation and return it in English, as it is stored; `_` translates it later."""
    return sentence


def lazy_plural(sentence: str, plural: str, n: int, /, **values: object) -> Sentence:
    """Defer the translation of a sentence about {n} things to its reader."""
    return Sentence(sentence, plural, n, values)
