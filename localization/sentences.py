"""Sentences: written in English where they are said, and put into the reader's language when they are read.

What stands in {braces} is filled in. `_` and `ngettext` say a sentence now; `lazy` and `lazy_plural` keep it for whoever reads
it later, as an error or a list of commands does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from localization import languages
from localization.catalogues import catalogue
from localization.numerals import number


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence before it is read: the English words, for another number than one as well, and what stands in its gaps."""

    text: str
    plural: str = ""
    n: int = 1
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.read_in(languages.current())

    def unfilled(self, language: str) -> str:
        """Return the sentence in a language, its gaps as they are."""
        found = catalogue(language)
        return found.ngettext(self.text, self.plural, self.n) if self.plural else found.gettext(self.text)

    def read_in(self, language: str) -> str:
        """Return the sentence as it is read in a language."""
        said = self.unfilled(language)
        gaps = {name: explained(value, language) for name, value in self.values.items()}
        if self.plural:
            gaps["n"] = number(self.n, language)
        return said.format_map(gaps) if gaps else said


Said = Sentence | str


class Explained(Exception):
    """An error whose text is for people. As a string it is English, for logs; `explained` says it as its reader reads it."""

    def __init__(self, sentence: Said = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence

    def __str__(self) -> str:
        return str(explained(self.sentence, languages.ENGLISH))


def explained(value: object, language: str = "") -> object:
    """Return a sentence, or an error's, in a language, by default in the one that is read; anything else as it is."""
    sentence = value.sentence if isinstance(value, Explained) else value
    return sentence.read_in(language or languages.current()) if isinstance(sentence, Sentence) else sentence


def told(error: Exception) -> str:
    """Return what an error says, in the language that is read."""
    return str(explained(error.sentence)) if isinstance(error, Explained) else str(error)


def _(sentence: str, /, **values: object) -> str:
    """Say a sentence in the language that is read."""
    return str(Sentence(sentence, values=values))


def ngettext(sentence: str, plural: str, n: int, /, **values: object) -> str:
    """Say a sentence about a number of things, {n}, in the language that is read."""
    return str(Sentence(sentence, plural, n, values))


def lazy(sentence: str, /, **values: object) -> Sentence:
    """Keep a sentence for whoever reads it."""
    return Sentence(sentence, values=values)


def marked(sentence: str) -> str:
    """Return a sentence that is kept in English, as what is stored is; `_` says it in the language that is read."""
    return sentence


def lazy_plural(sentence: str, plural: str, n: int, /, **values: object) -> Sentence:
    """Keep a sentence about a number of things, {n}, for whoever reads it."""
    return Sentence(sentence, plural, n, values)
