"""Whether a sentence says anything at all: a date alone, "The words she said" or a line of the prompt is none to be kept."""

import re
from collections.abc import Sequence

from memory.ports import Source
from memory.text.languages import language
from memory.text.lexical import key_words, stem, tokens
from memory.text.time.dates import MONTHS, WEEKDAYS

_MOOD = frozenset("mood tone atmosphere stimmung ton ambiente humeur".split())
"""How a conversation was is asked for, and seldom said in it."""
_LEAST_WORDS = 2
_FEW = 3
"""A sentence of so few telling words has at least one of them from its sources, where both are in one language."""
_SPACED = re.compile(r"[^\W\d_]")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_OF_A_PROMPT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d|=== ?[0-9a-f]{16}|^[0-9a-f]{16} ?===")
"""What stands before the words of a source."""
_EMPTY = frozenset(
    (*MONTHS, *WEEKDAYS, *"say says said tell tells told write writes wrote ask asks asked word words date thing things".split())
)


def says_nothing(text: str, cited: Sequence[Source]) -> bool:
    """Say whether a sentence has no words that tell anything, or few of its own that nothing it rests on has.

    What stands in a prompt around the words of sources says nothing either.
    """
    if _OF_A_PROMPT.search(text) and not any(_OF_A_PROMPT.search(source.text) for source in cited):
        return True
    if _NO_SPACES.search(text) or any(text == source.text for source in cited):
        return False
    words = [word for word in tokens(text) if _SPACED.search(word)]
    telling = {stemmed for word, stemmed in key_words(text).items() if _SPACED.search(word) and word not in _EMPTY}
    if len(words) < _LEAST_WORDS or not telling:
        return True
    if len(telling) > _FEW or not _MOOD.isdisjoint(words):
        return False
    given = [word for source in cited for word in tokens(f"{source.speaker} {source.text}")]
    # What is too short to tell its language by counts as one of the sources'.
    if language(words) not in (None, language(given)):
        return False
    return telling.isdisjoint(map(stem, given))
