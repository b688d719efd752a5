"""What Lyra said, and how far people's words bear it out.

A small model answers what memory does not answer with something made up. Such a reply holds every word of the question, so it comes
up first when it is asked again. A reply is borne out where, sentence by sentence, one message of a person holds most of what it adds
to the question and of what it repeats of it, and where no name or number in it is in nobody's message.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from localization.sentences import marked
from memory.index.hits import Certainty, Hit
from memory.index.recall.query import asks_for_hers
from memory.text import lexical
from memory.text.display_names import LYRA
from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import language
from memory.text.passages import only_asks
from memory.text.sentence_splitting import sentences
from memory.types import Exchange

_ONLY_HERS = marked("only in my own words")
_LEAST = 0.5
_TALK = frozenset(
    map(
        lexical.stem,
        """say said tell told mention mentioned remember remembered recall know known name named call called yes today yesterday
        sagen gesagt erzählt erwähnt weiß heißt heiße heißen genannt heute gestern""".split(),
    )
)
_ALIKE = 5
"""Longer words with so many first letters in common are forms of one word."""
_NAME = re.compile(r"(?<=[\w,;] )[A-ZÀ-Þ][\w’'-]+")
_CAPITALIZING = "german"
"""Its nouns are written like names."""


class PeoplesWords:
    """What people told in some messages: not what they asked, and nothing that she said."""

    def __init__(self, messages: Iterable[Exchange]) -> None:
        told = {one.key: one.text for one in messages if not is_hers(one) and not only_asks(one.text)}
        self._told = [_with_beginnings(lexical.key_words(text).values()) for text in told.values()]
        self._words = frozenset[str]().union(*self._told)

    def bear_out(self, reply: str, asked: str) -> bool:
        """Return whether they hold what a reply says in answer to what was asked."""
        if any(not _is_in(stem, self._words) for stem in _exact(reply)):
            return False
        question = set(lexical.key_words(asked).values())
        told = [stems for one in sentences(reply) if not only_asks(one) and (stems := lexical.query_stems(one) - _TALK)]
        return 2 * sum(self._holds_one(stems - question, stems & question) for stems in told) >= max(1, len(told))

    def _holds_one(self, added: set[str], repeated: set[str]) -> bool:
        return any(
            all(sum(_is_in(stem, words) for stem in some) >= _LEAST * len(some) for some in (added, repeated))
            for words in self._told
        )

    def leave_open(self, reply: Exchange, question: Exchange | None) -> bool:
        """Return whether a message of hers answers a question, and they do not bear it out."""
        return question is not None and answers(reply, question) and not self.bear_out(reply.text, question.text)


def answers(reply: Exchange, question: Exchange) -> bool:
    """Return whether a message is of hers, and tells something where a person only asked."""
    return is_hers(reply) and not is_hers(question) and only_asks(question.text) and not only_asks(reply.text)


def _with_beginnings(stems: Iterable[str]) -> frozenset[str]:
    some = frozenset(stems)
    return some | {f"{stem[:_ALIKE]}…" for stem in some if len(stem) > _ALIKE}


def _is_in(stem: str, words: frozenset[str]) -> bool:
    return stem in words or (len(stem) > _ALIKE and f"{stem[:_ALIKE]}…" in words)


def _exact(reply: str) -> set[str]:
    """Return the stems of the numbers of a reply, and of its names where these can be told from nouns."""
    words = lexical.tokens(reply)
    found = {lexical.stem(word) for word in words if any(map(str.isdigit, word))}
    if language(words) != _CAPITALIZING:
        named = {name.casefold().replace("’", "'").removesuffix("'s") for name in _NAME.findall(reply)} - FUNCTION_WORDS
        found |= {lexical.stem(word) for name in named for word in lexical.tokens(name)} - _TALK
    return found


def is_hers(said: Exchange) -> bool:
    """Return whether Lyra said something herself; what another assistant said was imported with its name."""
    return said.role == "assistant" and said.speaker == LYRA


def as_borne_out(asked: str, hits: Mapping[int, Hit]) -> Mapping[int, Hit]:
    """Return hits with hers no more certain than people's words make them: likely where these bear them out, else weak.

    Answers that are not borne out are marked. What she said is left as it is where that is asked for. The very hits are returned if
    none changes.
    """
    hers = {key: hit for key, hit in hits.items() if is_hers(hit.exchange)}
    if not hers or asks_for_hers(asked):
        return hits
    words = PeoplesWords(with_neighbours(hits.values()))
    return {**hits, **{key: _graded(hit, asked, words) for key, hit in hers.items()}}


def with_neighbours(hits: Iterable[Hit]) -> Iterator[Exchange]:
    """Yield the messages of hits and their neighbours."""
    return (one for hit in hits for one in (hit.exchange, hit.before, hit.after) if one is not None)


def _graded(hit: Hit, asked: str, words: PeoplesWords) -> Hit:
    if words.leave_open(hit.exchange, hit.before):
        hit = hit._replace(only_hers=True, why=(*hit.why, _ONLY_HERS))
    if not words.bear_out(hit.exchange.text, asked):
        return hit._replace(certainty=Certainty.WEAK)
    return hit._replace(certainty=Certainty.LIKELY) if hit.certainty is Certainty.SURE else hit
