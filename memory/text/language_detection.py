"""Language detection by script and function words, among the languages that can be stemmed; and by script alone.

Languages go by their Snowball names. Their function words are in language_detection.txt, a language a line after its script; they are
folded like tokens: NFKC, case-folded, without joiners.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from memory.text.lazy_patterns import lazy_pattern


def _read_languages() -> Mapping[str, Mapping[str, str]]:
    """Return the function words of each language, by the script in which it is written."""
    found: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        of, _, words = line.partition(": ")
        script, name = of.split()
        found.setdefault(script, {})[name] = words
    return found


_WORDS_BY_SCRIPT = _read_languages()
# Hebrew has no stemmer, and would be mistaken for Yiddish.
_HEBREW = frozenset("של את לא על הוא היא אני זה זאת עם מה אתה כי גם יש אין איפה אבל רק הם שלי שלך לי די".split())

SCRIPTS: Mapping[str, str] = {
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u052f",
    "armenian": "\u0530-\u058f",
    "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff",
    "devanagari": "\u0900-\u097f",
    "tamil": "\u0b80-\u0bff",
    "kana": "\u3040-\u30ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "hangul": "\uac00-\ud7af",
}
"""The letters of each script, as ranges within the brackets of a regular expression."""
_SCRIPT_OF = {
    block: script
    for script, ranges in SCRIPTS.items()
    for first, last in re.findall("(.)-(.)", ranges)
    for block in range(ord(first) >> 4, (ord(last) >> 4) + 1)
}
"""The script of a code point divided by sixteen."""
_SURENESS = ("hangul", "kana", "han", "cyrillic", "arabic", "greek", "hebrew", "devanagari")
"""Scripts by how surely a text is in their language: Japanese is written in Han as well as in kana, and texts in all of East Asia quote
words of other alphabets."""
_SPOKEN_IN = {"hangul": "korean", "kana": "japanese", "han": "chinese", "cyrillic": "russian", "arabic": "arabic"}
"""The language for which each of these scripts stands where no words tell it."""
_LETTER_OF = {script: lazy_pattern(f"[{SCRIPTS[script]}]") for script in _SURENESS}
_SERBIAN = frozenset("ђјљњћџ")
_PERSIAN = "پچژگکی"
_ARABIC = "ةىيكأإؤئ"
_URDU = frozenset("ٹڈڑےںہھ")
_NEPALI = ("हरू", "हरु", "लाई", "न्छ", "छन्", "एको", "होस्")  # written as suffixes in Nepali, as separate words in Hindi

# Letters specific to few of the languages in Latin script.
_LETTERS = {
    "basque": "ñ", "catalan": "çàèòï", "czech": "řěůďťňčšžýáíúé", "danish": "åøæ", "dutch": "ëï", "esperanto": "ĉĝĥĵŝŭ",
    "estonian": "õäöü", "finnish": "äö", "french": "çàèêëîïôûùâœé", "german": "äöü", "hungarian": "őűöüáíóúé", "irish": "áíóúé",
    "italian": "àèìòù", "lithuanian": "ėųįūąęčšž", "norwegian": "åøæ", "polish": "łżźśńęąćó", "portuguese": "ãõçàâêôáíóúé",
    "romanian": "țșăâîşţ", "serbian": "đćčšž", "spanish": "ñáíóúé", "swedish": "åäö", "turkish": "ğışçöü",
}  # fmt: skip

# Languages often typed without accents.
_UNACCENTED = "catalan czech french italian lithuanian polish portuguese romanian serbian spanish turkish".split()
# First names tell nothing about the language around them and must be found in any.
_NAMES = frozenset(
    """ali al ann ben dan dina don ela ella elle han jen jim jo jos kai kim lei lia lui mai mia mina min mo nik noa ole ona per sam
    sen sina son tai ty uma una van via""".split()
)

_WHOLE = 27720  # the weight of a word of one language; divisible by many numbers
_ENOUGH = _WHOLE * 5 // 4
_LONG = 5
_UNDECIDED = 0.75  # English wins with this share of the best score


def _folded(words: str) -> list[str]:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", words).casefold()).split()


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).replace("ı", "i").replace("ł", "l")


@cache
def _listed() -> Mapping[str, frozenset[str]]:
    listed = {name: _folded(words) for name, words in _WORDS_BY_SCRIPT["latin"].items()}
    for name in _UNACCENTED:
        listed[name] += [plain for word in listed[name] if not word.isascii() and len(plain := _plain(word)) > 2]
    for script in _WORDS_BY_SCRIPT.keys() - {"latin"}:
        for name, words in _WORDS_BY_SCRIPT[script].items():
            listed[name] = listed.get(name, []) + _folded(words)
    return {name: frozenset(words) for name, words in listed.items()}


@cache
def function_words() -> Mapping[str, frozenset[str]]:
    """Return the function words of each language."""
    return {name: words - _NAMES for name, words in _listed().items()}


def first_names(words: Iterable[str], spoken: str) -> frozenset[str]:
    """Return those of some words that are first names, and function words only in other languages than the one spoken."""
    return _NAMES.intersection(words) - _listed().get(spoken, frozenset())


def _votes(said: Mapping[str, Iterable[str]]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return a mapping from each word or letter to its weight and the languages that have it."""
    having: dict[str, list[str]] = {}
    for name, words in said.items():
        for word in words:
            having.setdefault(word, []).append(name)
    return {word: (_weight(word, len(names)), tuple(names)) for word, names in having.items()}


def _weight(word: str, languages: int) -> int:
    telling = languages == 1 and (len(word) >= _LONG or not word.isascii()) and len(word) > 1
    return _WHOLE * (1 if word in _NAMES else 4 if telling else 2) // (languages + 1)


@cache
def _word_votes() -> dict[str, tuple[int, tuple[str, ...]]]:
    return _votes({name: _listed()[name] for name in _WORDS_BY_SCRIPT["latin"]})


_LETTER_VOTES = _votes(_LETTERS)
_LETTERS_TOLD = frozenset(_LETTER_VOTES)
_SCRIPT_OF_LANGUAGE = {name: script for script, languages in _WORDS_BY_SCRIPT.items() for name in languages}


def language(words: Sequence[str]) -> str | None:
    """Return the language of a text given as `lexical.tokens`, None if it cannot be told.

    Ties go to English, then to the first language by name.
    """
    distinct = dict.fromkeys(words)
    votes: dict[str, int] = {}
    known = _word_votes()
    for word in distinct:
        if vote := known.get(word):
            weight, names = vote
            for name in names:
                votes[name] = votes.get(name, 0) + weight
    letters = "".join(distinct)
    if not letters.isascii():
        _by_letters(letters, votes)
        _by_scripts(distinct, votes)
    most = max(votes.values(), default=0)
    if most < _ENOUGH:
        return None
    if votes.get("english", 0) >= _UNDECIDED * most:
        return "english"
    return min(name for name, vote in votes.items() if vote == most)


def _by_letters(letters: str, votes: dict[str, int]) -> None:
    """Add votes for letters, capped at the weight of one word, so that a name alone decides nothing."""
    seen: dict[str, int] = {}
    for letter in _LETTERS_TOLD.intersection(letters):
        weight, names = _LETTER_VOTES[letter]
        for name in names:
            seen[name] = min(_WHOLE, seen.get(name, 0) + weight)
    for name, weight in seen.items():
        votes[name] = votes.get(name, 0) + weight


def _by_scripts(words: Collection[str], votes: dict[str, int]) -> None:
    written: dict[str, list[str]] = {}
    for word in words:
        if word >= "\u0370" and (script := _SCRIPT_OF.get(ord(word[0]) >> 4, "")) in _WORDS_BY_SCRIPT:
            written.setdefault(script, []).append(word)
    for script, some in written.items():
        # A single word among others may be a name.
        if (len(some) > 1 or len(words) == 1) and (told := _of_script(script, some)):
            votes[told] = votes.get(told, 0) + 2 * _WHOLE * len(some)


def _of_script(script: str, words: Sequence[str]) -> str | None:
    """Return the language of words in a script; None if it is more likely one without a stemmer."""
    told = {name: sum(map(_listed()[name].__contains__, words)) for name in _WORDS_BY_SCRIPT[script]}
    letters = "".join(words)
    if script == "hebrew":
        return "yiddish" if told["yiddish"] > sum(map(_HEBREW.__contains__, words)) else None
    if script == "cyrillic":
        return "serbian" if not _SERBIAN.isdisjoint(letters) or told["serbian"] > told["russian"] else "russian"
    if script == "arabic":
        if not _URDU.isdisjoint(letters):
            return None
        told["arabic"] += sum(map(letters.count, _ARABIC))
        told["persian"] += sum(map(letters.count, _PERSIAN))
    if script == "devanagari":
        told["nepali"] += sum(word.endswith(_NEPALI) for word in words)
    return min(told, key=lambda name: (-told[name], name))


def scripts_of(text: str) -> list[str]:
    """Return of which of Hangul, kana, Han, Cyrillic, Arabic, Greek, Hebrew and Devanagari a text has letters, as `SCRIPTS` names them.

    A text with several is most likely in a language of the first.
    """
    return [] if text.isascii() else [script for script, letter in _LETTER_OF.items() if letter.search(text)]


def languages_by_script(text: str) -> list[str]:
    """Return which of Korean, Japanese, Chinese, Russian and Arabic a text has letters of; a text with several is most likely in the first."""
    return [_SPOKEN_IN[script] for script in scripts_of(text) if script in _SPOKEN_IN]


def stemmed_as(word: str, name: str) -> str:
    """Return the language to stem a word in within a text: the text's, or English for a word in another script.

    So a number or foreign word is the same term in every text.
    """
    script = _SCRIPT_OF.get(ord(word[0]) >> 4) if word else None
    own = _SCRIPT_OF_LANGUAGE.get(name)
    if script:
        return name if own == script else "english"
    latin = bool(word) and word[0].isalpha() and (word < "\u0370" or "\u1e00" <= word < "\u1f00")
    return name if latin and name in _WORDS_BY_SCRIPT["latin"] else "english"
