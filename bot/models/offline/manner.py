"""How somebody wants to be talked to, as far as the voice that speaks without a model can follow it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.types import Statement

_NAME = re.compile(r' wants to be called "(?P<name>[^"]+)"\.$')
_LANGUAGE = re.compile(r" wants answers in (?P<language>\w+)\.$")


@dataclass(frozen=True, slots=True)
class Manner:
    """What somebody is called ('': their own name), the language of what frames a quote ('': that of the question), whether
    answers are short, and whether they are addressed formally.

    `rests_on` are the wishes that this follows.
    """

    name: str = ""
    language: str = ""
    brief: bool = False
    formal: bool = False
    rests_on: Sequence[Statement] = ()


def manner(wanted: Sequence[Statement]) -> Manner:
    """Return what the wishes of one person come to."""
    name = next((match["name"] for one in wanted if (match := _NAME.search(one.text))), "")
    language = next((match["language"].lower() for one in wanted if (match := _LANGUAGE.search(one.text))), "")
    texts = [one.text for one in wanted]
    return Manner(
        name,
        language,
        any(text.endswith(" wants short answers.") for text in texts),
        any(text.endswith(' wants to be addressed with "Sie".') for text in texts),
        wanted,
    )
