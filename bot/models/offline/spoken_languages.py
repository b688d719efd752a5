"""Which language a text is in, and which of them the offline voice speaks."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from memory.text.language_detection import SCRIPTS, first_names, function_words, language, languages_by_script
from memory.text.lexical import STOP_WORDS, tokens

SPOKEN: Mapping[str, str] = {
    "english": "en", "german": "de", "spanish": "es", "french": "fr", "italian": "it", "portuguese": "pt", "dutch": "nl",
    "polish": "pl", "russian": "ru", "turkish": "tr", "arabic": "ar", "chinese": "zh", "japanese": "ja", "korean": "ko",
    "swedish": "sv", "czech": "cs", "ukrainian": "uk",
}  # fmt: skip
"""The languages of the voice: name to code."""
_APART = frozenset({"swedish", "danish", "norwegian", "czech", "finnish", "hungarian", "romanian"})
"""Languages for which words that English has as well ("for", "are") and single letters count nothing."""
_LOOKED_AT = 2_000
"""How many characters of a text are examined; more add nothing."""
_EAST_ASIAN = SCRIPTS["hangul"] + SCRIPTS["kana"] + SCRIPTS["han"]
_UNSPACED, _SPACED = re.compile(f"[{_EAST_ASIAN}]"), re.compile(rf"[^\W\d_{_EAST_ASIAN}]+")
_CHINESE = re.compile(
    "[你您妳她吗呢很吧啊哪嗎麼們這說誰還沒給]|我(?![慢々儘])|[晚早]安|[今明昨]天|真[好的是]|好的|了(?:[一。，！]|$)|在(?![宅庫住籍職任来日中])"
)
_JAPANESE = "cp932"
"""The encoding of the characters that Japanese writes."""
_SURELY_CHINESE = 12
"""From how many characters on a text without kana is not Japanese."""
_OTHER_CYRILLIC = re.compile(
    r"[іїєґўјљњћџђѓќѕәғқңөұүһ]|\b(?:съм|това|какво|къде|аз|ще|беше|няма|много|защо|кога|благодаря|здравей|той|тя|имам)\b"
)
_CYRILLIC = frozenset({"russian", "serbian"})
_UKRAINIAN = re.compile(
    r"[їєґ]|\w'(?=[яюєї])|\w*і|\b(?:де|як|що|хто|хтось|щось|теж|немає|коли|чому|який|яка|яке|мене|мені|звати|гарн\w+|дуже|добрий|доброго|дякую|зараз|тебе звати|коштува\w+)\b"
)
_NO_UKRAINIAN = re.compile(r"[ўәғқңөұүһјљњћџђѓќѕыэёъ]|\b(?:што|съм|какво|къде|няма|ще|той|тя)\b")
_LETTERS = {
    name: re.compile(rf"\b[^\W\d_A-ZÇĞİÖŞÜŁŚŻŹĆÓÉÁÍ]*[{letters}]\w*")
    for name, letters in {"polish": "łżźśńęą", "portuguese": "ãõ", "german": "ß"}.items()
} | {
    "spanish": re.compile(r"[¿¡]|\b[a-záéíóú]*ñ\w*"),
    "turkish": re.compile(r"\b[a-zçöü]*(?:[ğış]|[iuü]yor(?:um|sun|uz|lar)?\b|[iuü]d[iuü]m\b)\w*"),
}
"""Words, written small as names are not, with letters that few other languages have."""
_FEW, _SHORT = 3, 0.5
"""The most letters of a short word, and its lower weight, as it may stand in any text."""
_LETTER, _SURER = 0.5, 1.5
"""The weight of a word with such a letter, and the factor by which other words must outweigh the language of the function words."""
_TIED = 1e-6
_TOLD = 0.6
"""The least total weight of the words of a language in _APART."""


@cache
def _telling() -> Mapping[str, frozenset[str]]:
    """Return words that tell the language of texts too short for function words alone; spoken_languages.txt has a language a line."""
    lines = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    return {
        name: frozenset(token for one in words.split() for token in tokens(one))
        for name, _, words in (line.partition(": ") for line in lines)
    }


@cache
def _votes() -> Mapping[str, Sequence[str]]:
    """Return the languages that each word votes for; its vote is divided among them."""
    having: dict[str, list[str]] = {}
    english = STOP_WORDS | function_words()["english"]
    for name, telling in _telling().items():
        words = telling | function_words()[name]
        for word in [one for one in words if len(one) > 1 and one not in english] if name in _APART else words:
            having.setdefault(word, []).append(name)
    return having


def detect_language(text: str) -> str:
    """Return the language of a text by its words; '' if unclear."""
    looked_at = text[:_LOOKED_AT]
    words = tokens(looked_at)
    if unspaced := _unspaced_language(looked_at):
        return unspaced
    found = language(words)
    if found in _CYRILLIC and _UKRAINIAN.search(looked_at.casefold()) and not _NO_UKRAINIAN.search(looked_at.casefold()):
        return "ukrainian"
    if found == "russian" and _OTHER_CYRILLIC.search(looked_at.casefold()):
        return ""
    votes = dict.fromkeys(_telling(), 0.0)
    told_by = dict.fromkeys(words) if len(words) > 1 else set(words) - first_names(words, "")
    for word in told_by:
        short = len(words) > 1 and len(word) <= _FEW and word.isascii()
        told = _votes().get(word, ())
        others = sum(name not in _APART for name in told)
        for name in told:
            votes[name] += (_SHORT if short else 1) / (len(told) if name in _APART else others)
    for name, letters in _LETTERS.items():
        votes[name] += _LETTER * len(set(letters.findall(looked_at)))
    if found in _APART and votes[found] < _TOLD:
        return ""
    (first, most), (_, second) = sorted(votes.items(), key=lambda vote: -vote[1])[:2]
    overruled = found in _telling() and first not in ("english", found) and most >= _SURER * max(votes[found or first], _LETTER)
    if found and not overruled:
        return "" if found != "english" and len(words) <= _FEW and votes["english"] >= votes.get(found, _LETTER) else found
    return first if most - second > _TIED and (first not in _APART or most >= _TOLD) else ""


def _unspaced_language(text: str) -> str:
    """Return the language of a text that is mostly Chinese, Japanese or Korean; '' for any other, and where it may be either."""
    unspaced = _UNSPACED.findall(text)
    if not unspaced or len(unspaced) < 2 * len(_SPACED.findall(text)):
        return ""
    if (name := languages_by_script(text)[0]) != "chinese":
        return name
    written = "".join(unspaced)
    foreign = written != written.encode(_JAPANESE, "ignore").decode(_JAPANESE)
    return "chinese" if foreign or len(unspaced) >= _SURELY_CHINESE or _CHINESE.search(text) else ""


def spoken_language(text: str) -> str:
    """Return the language of a text if she speaks it; '' if not, or if it is unclear: a short text is easily taken for another."""
    found = detect_language(text)
    return found if found in SPOKEN else ""


def newest_language(texts: Sequence[str]) -> str:
    """Return the language of a person's newest identifiable message, given oldest first, if she speaks it; else ''."""
    return next((name for text in reversed(texts) if (name := spoken_language(text))), "")
