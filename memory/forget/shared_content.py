"""What words tell of a text: its content, whether a reply shares that, and whom it speaks of."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import language
from memory.text.lexical import key_words, stem, tokens
from memory.text.numbers import COUNT_WORDS
from memory.text.sentence_splitting import sentences

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d(?:[\d\s.,:'’/-]*\d)?")
_MOST, _TOGETHER = 64, 5
_MOODS = ("FACE", "HEART", "HAND", "THUMBS", "SPARKLE", "PARTY")
"""What stands in the Unicode names of emoji that go with any text."""
Passage = list[str]
"""Consecutive sentences."""
READ = 300
"""How much of a view a reply is compared with: its newest characters, as many as the views of the sets have."""
_RETOLD = 0.925
"""The bound from which a passage may retell: as with `NEAR`, 2 % of the paraphrases lie below, and 41.8 % of the innocent go."""
_SAID_TO = {
    "english": "you your yours yourself yourselves",
    "german": "du dich dir dein deine deinem deinen deiner deines euch euer eure eurem euren eurer eures ihr",
    "french": "tu te toi ton ta tes vous votre vos",
    "dutch": "je jij jou jouw jullie u uw",
}
_OF_OTHERS = {
    "english": "he him his himself she her hers herself they them their theirs themselves",
    "german": "er ihn ihm sie ihnen sein seine seinem seinen seiner seines",
    "french": "il ils elle elles lui leur leurs eux son sa ses",
    "dutch": "hij hem zijn zij ze haar hun hen",
}


def spoken_of(sentences: Sequence[str]) -> tuple[float, float]:
    """Return how often a sentence addresses its listener, and how often it refers to others, on average."""
    text = " ".join(sentences)
    name = language(tokens(text))
    if name not in _SAID_TO:
        return 1.0, 0.0
    words = _WORD.findall(text.casefold())
    to, of = (frozenset(some[name].split()) for some in (_SAID_TO, _OF_OTHERS))
    return sum(word in to for word in words) / len(sentences), sum(word in of for word in words) / len(sentences)


def retelling(reply: str, others: Iterable[str]) -> list[str]:
    """Return the sentences of a reply that, by words alone, may say in other words what is not among `others`, newest last.

    A passage may if most of its content is not in what was said last in its view, the more so if it speaks of people, as
    paraphrases do.
    """
    known = content("\n".join(others)[-READ:])
    return [one for passage in passages(reply) if _new(passage, known) >= _RETOLD for one in passage]


def _new(passage: Passage, known: frozenset[str]) -> float:
    told, (to, of) = content(" ".join(passage)), spoken_of(passage)
    return (len(told - known) / len(told) if told else 1) + 0.3 * to + 0.15 * of


def content(text: str) -> frozenset[str]:
    """Return what identifies a text: the stems of its content words and names, its numbers in any notation, and its pictures."""
    words = {stemmed for word, stemmed in key_words(text).items() if len(word) > 1 and word not in FUNCTION_WORDS}
    counted = {f"#{COUNT_WORDS[word]}" for word in key_words(text) if word in COUNT_WORDS}
    return frozenset((words - ORDINARY) | counted | _numbers(text) | _pictures(text))


def _numbers(text: str) -> set[str]:
    found: set[str] = set()
    for match in _NUMBER.finditer(text):
        parts = re.findall(r"\d+", match[0])
        found |= {f"#{part.lstrip('0') or '0'}" for part in (*parts, "".join(parts))}
    return found


def _pictures(text: str) -> set[str]:
    """Return the emoji of a text but those that show a mood: a peanut tells as much as its name."""
    signs = {char for char in text if unicodedata.category(char) == "So"} if not text.isascii() else ()
    return {sign for sign in signs if not any(mood in unicodedata.name(sign, "") for mood in _MOODS)}


def shares(reply: str, gone: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether a reply shares content with what is gone that nothing else in its view holds."""
    return bool(_shared(reply, gone, others))


def holding(reply: str, gone: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the sentences of a reply with content of what is gone that nothing else in its view holds; none if it shares none.

    All of the reply if its sentences hold that together only.
    """
    shared = _shared(reply, gone, others)
    return ([one for one in pieces(reply) if shared & content(one)] or [reply]) if shared else []


def _shared(reply: str, gone: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    lost = frozenset().union(*(content(text) for text in gone)) & content(reply)
    return lost.difference(*(content(text) for text in others)) if lost else lost


def passages(text: str) -> list[Passage]:
    """Return the sentences of a text in groups of five, as many as the sets have; in a longer passage one counts too little."""
    found = pieces(text)
    return [found[at : at + _TOGETHER] for at in range(0, len(found), _TOGETHER)]


def pieces(text: str) -> list[str]:
    """Return the sentences of a text for comparing meaning; of more than 64, several are joined so as to make 64."""
    found = [one for one in sentences(text) if any(c.isalnum() for c in one)]
    together = -(-len(found) // _MOST) or 1
    return [" ".join(found[at : at + together]) for at in range(0, len(found), together)]


ORDINARY = frozenset(
    stem(word)
    for word in """
    go goes going gone get gets getting got make makes making made take takes taking took know knows known think thinks thought
    want wants wanted need needs say says said tell tells told talk ask asked see seen look looks like likes good great nice well
    sure thing things something anything everything nothing time today day days now back bit lot much many please thanks thank
    sorry maybe still always never ever way one two glad happy hope feel feels find found give help let come keep put right
    """.split()
)
"""Stems of words that occur everywhere and tell nothing."""
