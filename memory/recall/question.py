"""What a question asks for: which words, whose, of what time."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory import lexical, when
from memory.findable import ENGLISH, MESSAGES
from memory.recall.shards import Loaded
from memory.when import Asked, Window

_MINE = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|myself|ich|mich|mir|mein\w*|je|j'ai|moi|yo|mi|mis|io|mio|mia|eu|meu|minha|ik|mij|mijn)\b",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\b(?:you|your|yours|you've|you'd)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its text, how many hits, of what kinds, of which session, without which items.

    `asker` is the name of who asks among others, '' where nobody but Lyra is talked with. `now` and `time_zone` say what
    "yesterday" means.
    """

    text: str
    k: int
    kinds: tuple[int, ...] = (MESSAGES,)
    session: int | None = None
    exclude: Collection[int] = ()
    asker: str = ""
    now: int = 0
    time_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood.

    `words` are its words, as they are written, with their terms in every language in view; `text` is what is embedded. `voices`
    are the speakers whose words it asks for (`alone`: and nothing else), `of_people` says that it asks for those of anybody but
    Lyra, `of_lyra` for hers.
    """

    words: Mapping[str, Sequence[int]]
    text: str
    voices: frozenset[str]
    alone: bool
    of_people: bool
    of_lyra: bool
    asked: Asked
    window: Window | None = None


def understood(query: Query, loaded: Sequence[Loaded]) -> Question:
    """Read a query with what is in view.

    The names of those who speak here are left out of its meaning where anything else is left: a vector is drawn by a name to
    every message that has one. (On conversations between friends this took the evidence that vectors alone find among ten from
    25 to 64 in a hundred.)
    """
    asked = when.asked(query.text, query.now, query.time_zone)
    words = lexical.query_terms(query.text, sorted({ENGLISH}.union(*(one.languages for one in loaded))))
    called = _called(query, words, loaded)
    voices = _fullest(called)
    mine = _MINE.search(query.text) is not None
    if mine and query.asker:
        voices |= {query.asker}
    alone = bool(called) and len(called) == len(words)
    text = query.text if alone else _without(query.text, called)
    yours = _YOURS.search(query.text) is not None and not mine
    return Question(words, text, voices, alone, mine and not query.asker, yours, asked, asked.window)


def _called(query: Query, words: Iterable[str], loaded: Sequence[Loaded]) -> dict[str, set[str]]:
    """Return those of these words that are part of the name of somebody who speaks here, with whose."""
    found: dict[str, set[str]] = {}
    for called in (one.shards[kind].documents.called for one in loaded for kind in query.kinds):
        for word in words:
            found.setdefault(word, set()).update(called.get(_plain(word), ()))
    return {word: speakers for word, speakers in found.items() if speakers}


def _fullest(called: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the speakers that words name: of those who share a word the ones of whom most words are there."""
    named = Counter(speaker for speakers in called.values() for speaker in speakers)
    return frozenset(
        speaker
        for speakers in called.values()
        for speaker in speakers
        if named[speaker] == max(named[other] for other in speakers)
    )


def _plain(word: str) -> str:
    return word.removesuffix("'s")


def _without(text: str, words: Collection[str]) -> str:
    """Return a text without some of its words and what makes them possessive."""
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(_plain(word))}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())
