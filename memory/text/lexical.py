"""Index terms of texts.

A term is the 64-bit hash of a stem and its language, so the index holds no words. A number, or a word in another script than
the text's language, is stemmed as English and so is the same term in every text. Queries go through the same function and have
no syntax. Scripts without spaces are split into overlapping character pairs.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import pairwise

import Stemmer

from memory.text.language_detection import function_words, languages_by_script, stemmed_as
from memory.text.language_detection import language as language_of
from memory.text.lazy_patterns import lazy_pattern
from memory.text.word_forms.spellings import PLAIN_LETTERS, other_spellings

# `\w` does not cover combining marks.
_SIGNS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Latin, Greek, Cyrillic, Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08ff"  # Syriac to Mandaic
    "\u0900-\u0963\u0966-\u096f\u0971-\u0df3"  # Devanagari to Sinhala, including letters, without full stops
    "\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece"  # Thai, Lao
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86-\u0fbc\u0fc6"  # Tibetan
    "\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u1773\u17b4-\u17d3\u17dd"  # Myanmar to Khmer
    "\u1885\u1886\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b4c\u1b6b-\u1b73\u1b80-\u1bf3\u1c00-\u1c37"
    "\u1cd0-\u1cfa\u1dc0-\u1dff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f\ua674-\ua67d\ua69e-\ua6f1"
    "\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\ua980-\ua9c0\ua9e5\uaa29-\uaa4d\uaa7b-\uaac1"
    "\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f\U00011000-\U00011c3f"
)
_UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003134f"
)
_WORD = lazy_pattern(rf"[^\W_]+(?:(?:[{_SIGNS}]+|'(?=[^\W_]))[^\W_]*)*")
_ASCII_WORD = lazy_pattern(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_RUN = lazy_pattern(f"[{_UNSPACED}]+|[\uac00-\ud7a3]+")
_UNSPACED_SIGNS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd\u3099\u309a"
)
_CHARACTER = lazy_pattern(f"[^{_UNSPACED_SIGNS}][{_UNSPACED_SIGNS}]*")
_UNSEEN = lazy_pattern("[\u00ad\u034f\u0640\u200c\u200d\u2060]")  # soft hyphen, joiners, and the Arabic kashida
_LIGATURES = lazy_pattern("([\ufdf0-\ufdfc])[\ufdf0-\ufdfc]+")  # each stands for a word or a whole sentence, of up to 18 letters
_DOTS = lazy_pattern("i\u0307+")  # what case folding makes of the Turkish İ

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being below between
    both but by can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself hey hi him himself
    his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not
    of off oh ok okay on once only or other our ours ourselves out over own really same shall she she'd she'll she's
    should shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up us very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom whose why why's will with won't would
    wouldn't yeah yes you you'd you'll you're you've your yours yourself yourselves
    """.split()
)

# Their stemmers handle elided words; other languages get words without apostrophes.
_ELIDING = frozenset({"french", "irish", "italian", "turkish"})


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text with their counts, ascending: the order of its words is not kept. `language` is that of the stems."""

    counts: Mapping[int, int]
    language: str


def tokens(text: str) -> list[str]:
    """Split text into lower-case words and, in scripts without spaces, into characters and character pairs.

    A Korean word yields itself and its pairs, so that a noun is found with a particle attached.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    lowered = _UNSEEN.sub("", compatible(text)).casefold().replace("’", "'")
    if "\u0307" in lowered:
        lowered = _DOTS.sub("i", lowered)
    folded = unicodedata.normalize("NFKC", lowered)
    words: list[str] = _WORD.findall(folded)
    return [piece for word in words for piece in _pieces(word)] if _RUN.search(folded) else words


def compatible(text: str) -> str:
    """Return a text in compatibility form (NFKC); of a run of ligatures that stand for whole words only the first is kept.

    So a text of up to 60,000 characters stays short enough to be split into words without holding up other threads.
    """
    return unicodedata.normalize("NFKC", _LIGATURES.sub(r"\1", text))


def unspaced(word: str) -> str:
    """Return the part of a word in a script without spaces (Han, kana, Hangul, Thai and the like); '' if there is none."""
    found = _RUN.search(word)
    return found.group() if found else ""


def unspaced_spans(text: str) -> list[tuple[int, int]]:
    """Return where the parts of a text in such scripts begin and end."""
    return [run.span() for run in _RUN.finditer(text)]


def _pieces(word: str) -> list[str]:
    if word.isascii():
        return [word]
    pieces: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        pieces.extend(_WORD.findall(word[at : run.start()]))
        pieces.extend(_in_korean(run.group()) if "\uac00" <= run.group() < "\ud7a4" else _in_pairs(run.group()))
        at = run.end()
    pieces.extend(_WORD.findall(word[at:]))
    return pieces


def _in_pairs(run: str) -> list[str]:
    characters: list[str] = _CHARACTER.findall(run)
    return [first + second for first, second in pairwise(characters)] + characters


def _in_korean(word: str) -> list[str]:
    # A word of two syllables may be a noun of one and its particle.
    return [word, word[0]] if len(word) == 2 else [word, *(word[i : i + 2] for i in range(len(word) - 1))]


@lru_cache(maxsize=50_000)
def stem(word: str, language: str = "english") -> str:
    """Return the stem of a lower-case word, without possessive ending and accents.

    A word in another script, or in a language unknown to Snowball, is stemmed as English.
    """
    own = stemmed_as(word, language)
    bare = word.removesuffix("'s")
    if own not in _ELIDING:
        bare = bare.replace("'", "") if own != "catalan" else bare.rpartition("'")[2]
    if own == "english":
        return _snowball(unaccented(bare), own)
    return unaccented(_snowball(bare, own).replace("'", "")).translate(PLAIN_LETTERS)


def _snowball(word: str, language: str) -> str:
    try:
        return str(_stemmer(language).stemWord(word))
    except UnicodeEncodeError:  # a lone surrogate
        return word


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


def plain(text: str) -> str:
    """Return a text with its letters and digits in their plain forms."""
    # dotless and dotted i match "i" case-insensitively, but are not in the lookup tables
    composed = compatible(text).replace("ı", "i").replace("İ", "I")
    return "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in composed)


def unaccented(word: str) -> str:
    """Return a word without accents; vowel signs stay."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c) or _vowel(c))


def _vowel(sign: str) -> bool:
    """Return whether a combining mark is a vowel sign: from Devanagari to Tai Tham all are, except the nukta."""
    return "\u0900" <= sign <= "\u1a7f" and unicodedata.combining(sign) != 7


@lru_cache(maxsize=10_000)
def term(stemmed: str, language: str = "english") -> int:
    """Return the 64-bit hash of a stem in a language."""
    own = stemmed_as(stemmed, language)
    told = stemmed if own == "english" else f"{own}\0{stemmed}"
    return int.from_bytes(blake2b(told.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@lru_cache(maxsize=100_000)
def _hash(word: str, language: str) -> int:
    return term(stem(word, language), language)


def key_words(text: str) -> dict[str, str]:
    """Return the content words of a text, in order: {word in lower case: its stem}."""
    return {word: _stem_by_script(word) for word in tokens(text) if word not in STOP_WORDS}


def _stem_by_script(word: str) -> str:
    """Return the stem of a lower-case word whose language is known by its script, if at all."""
    if word.isascii():
        return stem(word)
    written = next(iter(languages_by_script(word[:1])), "english")
    if written == "arabic" and len(word) > 4:
        word = word.removeprefix("و")  # "and" is written onto its word
    return stem(word, written)


def spelled_stems(text: str) -> dict[str, frozenset[str]]:
    """Return the content words of a text as stems, each with the stems of its other spellings."""
    words = key_words(text)
    others = other_spellings(text, words)
    found: dict[str, frozenset[str]] = {}
    for word, stemmed in words.items():
        found[stemmed] = found.get(stemmed, frozenset()) | {_stem_by_script(form) for form in others.get(word, ())}
    return found


def all_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words in all their spellings."""
    found = spelled_stems(text)
    return frozenset(found).union(*found.values())


def query_terms(text: str, languages: Sequence[str]) -> dict[str, list[int]]:
    """Return the terms of a question, in order: {word in lower case: its distinct terms in these languages}.

    Stop words of English and of the question's own language are left out, unless there is nothing else.
    """
    words = tokens(text)
    asked = _without_stop_words(words) or words
    return {word: list(dict.fromkeys(_hash(word, name) for name in languages)) for word in asked}


def forms_in(word: str, languages: Iterable[str]) -> set[int]:
    """Return the terms of a lower-case word in these languages, also of its stem and, with letters beyond ASCII, of its beginnings."""
    forms = {
        word,
        stem(word),
        *([] if word.isascii() or unspaced(word) else (word[:end] for end in range(max(4, len(word) - 2), len(word)))),
    }
    return {_hash(form, name) for form in forms for name in languages}


def query_stems(text: str) -> set[str]:
    """Return the stems of a question without stop words, as `key_words` does."""
    return {_stem_by_script(word) for word in _without_stop_words(tokens(text))}


def _without_stop_words(words: Sequence[str]) -> list[str]:
    empty = _stop_words(language_of(words) or "english")
    return [word for word in words if word not in STOP_WORDS and word not in empty]


def _stop_words(language: str) -> frozenset[str]:
    return STOP_WORDS if language == "english" else function_words().get(language, STOP_WORDS)


def indexed(words: Sequence[str], fallback: str = "english") -> Terms:
    """Return the index terms of a tokenized text, in its language or, if that is unknown, in the fallback."""
    language = language_of(words) or fallback
    empty = _stop_words(language)
    counted = Counter([_hash(word, language) for word in words if word not in empty])
    return Terms(dict(sorted(counted.items())), language)
