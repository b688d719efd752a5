"""Secrets that are announced: what a request for discretion is about that names nothing, told next or in one breath before it."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Protocol, TypeVar

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import key_words
from memory.text.questions import is_question
from memory.text.told.discretion import FILLERS, discreet, without_request
from memory.text.told.plain_writing import plainly
from memory.text.told.topics import count_held
from memory.text.wordings import read_wordings
from memory.types import MINUTE, SECOND, Discretion

LATELY = 6
"""How many of somebody's last messages are read for what they announce or told."""
BURST = 20 * SECOND
"""Within what time, in microseconds, one message goes on with the one before."""
_MOST_OF_A_BURST = MINUTE
"""Within what time, in microseconds, all messages of a burst follow its first."""
_SOON = 10 * MINUTE
_LONGEST = 300
"""Characters. A longer message tells something itself."""


class SaidMessage(Protocol):
    """A message that somebody said, stored or not, and when (microseconds UTC)."""

    @property
    def text(self) -> str: ...
    @property
    def said_at(self) -> int: ...


T = TypeVar("T", bound=SaidMessage)


@lru_cache(maxsize=1_000)
def announces(text: str) -> bool:
    """Return whether a text says itself that it asks for discretion about what its speaker says next, and tells nothing of it."""
    said = _patterns()
    if len(text) > _LONGEST or not (said["all"].search(plain := plainly(text)) or said["opens"].search(plain)):
        return False
    ask = discreet(text)
    if ask is None or ask.talk:
        return False
    # A request may begin within what announces it, or the other way round.
    left = (said["all"].sub(" ", without_request(text)), without_request(said["all"].sub(" ", plain)))
    return any(_NOTHING.issuperset(key_words(one)) for one in left) and (ask.back or said["all"].search(plain) is not None)


def waits(text: str, at: int, before: Sequence[SaidMessage]) -> bool:
    """Return whether a request made at an instant is about what its speaker says next: it announces it, or names nothing and follows nothing.

    `before` are the speaker's last messages, the latest first.
    """
    return announces(text) or (_names_nothing(text) and not any(tells(one.text) and at - one.said_at < _SOON for one in before))


def announced_by(at: int, before: Sequence[T]) -> T | None:
    """Return which of a speaker's last messages, the latest first, asks to keep what is said at an instant.

    It holds until something is told, and a minute long while no message is later than the one before by more than a breath.
    """
    burst, told, said_at = True, False, at
    for n, one in enumerate(before):
        text, then = one.text, one.said_at
        burst = burst and at - then <= BURST and said_at - then <= _MOST_OF_A_BURST
        if told and not burst:
            return None
        if waits(text, then, before[n + 1 :]) or (burst and _names_nothing(text) and not _patterns()["back"].search(text)):
            return one
        told, at = told or tells(text), then
    return None


def in_one_breath(latest: Sequence[T], ask: Discretion) -> list[T]:
    """Return what a request means of its speaker's messages directly before it, the latest first: the last, and what was told in one breath
    with it; only the last where the request names its topic.
    """
    latest = latest[:1] if ask.topic else latest
    end = next((n for n in range(1, len(latest)) if latest[n - 1].said_at - latest[n].said_at > BURST), len(latest))
    return [one for n, one in enumerate(latest[:end]) if n == 0 or tells(one.text)]


def tells_what_was_named(later: str, request: str) -> bool:
    """Return whether a text tells what an earlier request by the same person named before it was told: "don't tell Ben about my locker"."""
    topic = _named_ahead(request)
    return bool(topic) and not is_question(later) and count_held(topic, later, alike=True) == len(topic)


@lru_cache(maxsize=1_000)
def tells(text: str) -> bool:
    """Return whether a text tells anything: it has a figure, or words besides those of a greeting or a request; a question does not."""
    told = key_words(without_request(text))
    return not is_question(text) and (any(map(str.isdigit, "".join(told))) or len(told.keys() - _NOTHING - _small()) > 1)


_NOTHING = FILLERS.union(FUNCTION_WORDS)


@lru_cache(maxsize=2_000)
def _named_ahead(text: str) -> frozenset[str]:
    ask = discreet(text)
    return ask.topic if ask and not (ask.told or ask.every or ask.talk) else frozenset()


@lru_cache(maxsize=1_000)
def _names_nothing(text: str) -> bool:
    ask = discreet(text)
    return ask is not None and ask.back and not (ask.topic or ask.every or ask.talk)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(said, re.IGNORECASE) for name, said in read_wordings(__file__)["announces"].items()}


@cache
def _small() -> frozenset[str]:
    return frozenset(read_wordings(__file__)["words"]["small"].split())
