"""Forms of words that no stemmer finds: in English "broke" of "break", in German "singt" and "gesungen" of "singen", "Omas" of "Oma"."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from memory.text.lexical import stem
from memory.text.wordings import read_wordings

GERMAN = "german"
"""The language whose verbs `verb_forms` reads, as the stemmer calls it."""


def _listed(language: str) -> Iterator[list[str]]:
    """Yield the verbs of a language with unusual forms, each behind its forms."""
    for line in read_wordings(__file__)[language].splitlines():
        yield from (verb.split() for verb in line.split("|"))


PAST_FORMS: Mapping[str, Sequence[str]] = {verb: forms for verb, *forms in _listed("english")}
"""The past forms of each verb."""
_PASTS = frozenset(form for forms in PAST_FORMS.values() for form in forms)


def is_past(word: str) -> bool:
    """Return whether a lower-case word looks like a past form of an English verb, irregular or in -ed."""
    return word in _PASTS or word.endswith("ed")


def past_stems(stemmed: str) -> frozenset[str]:
    """Return the stems of the past forms of a verb, given its stem; none for another word."""
    return _stems().get(stemmed, frozenset())


@cache
def _stems() -> Mapping[str, frozenset[str]]:
    return {stem(verb): frozenset(map(stem, forms)) for verb, forms in PAST_FORMS.items()}


_ENDINGS = ("test", "ten", "est", "et", "te", "en", "st", "t", "e")
_SHORTEST = 3
_T = ("d", "t")
_VOWELS = "aiouy"


@cache
def _strong() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for forms in map(frozenset, _listed(GERMAN)):
        for form in forms:
            found[form] = found.get(form, frozenset()) | forms
    return found


def verb_forms(word: str) -> frozenset[str]:
    """Return the other forms that a lower-case word may have, if it is a German verb; many that are no words are among them."""
    forms = {form for bare in _bare(word) for form in _regular(bare)}
    strong = [_strong()[form] for form in (word, *sorted(forms)) if form in _strong()]
    return frozenset(forms).union(*strong) - {word}


def with_s(word: str) -> list[str]:
    """Return a lower-case word that ends in a vowel with an s, or one that ends in a vowel and an s without it; else none.

    After a vowel the stemmer leaves the s of genitives and plurals: "Omas", "Autos".
    """
    if len(word) > _SHORTEST and word[-1] == "s" and word[-2] in _VOWELS:
        return [word[:-1]]
    return [f"{word}s"] if len(word) >= _SHORTEST and word[-1] in _VOWELS else []


def _bare(word: str) -> Iterator[str]:
    """Yield what may be left of a word without its ending, and without the "ge" of a participle."""
    for ending in _ENDINGS:
        bare = word.removesuffix(ending)
        if len(bare) >= _SHORTEST and bare != word:
            yield bare
            if ending in ("t", "et", "en") and bare.startswith("ge") and len(bare) > _SHORTEST + 1:
                yield bare[2:]


def _regular(bare: str) -> Iterator[str]:
    link = "e" if bare.endswith(_T) else ""
    yield from (f"{bare}en", f"{bare}{link}t", f"{bare}{link}st", f"ge{bare}{link}t", f"ge{bare}en")
