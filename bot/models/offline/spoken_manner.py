"""A person's manner, as far as the offline voice can follow it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.types import Statement

_NAME = re.compile(r' wants to be called "(?P<name>[^"]+)"\.$')
_LANGUAGE = re.compile(r" wants answers in (?P<language>\w+)\.$")


@dataclass(frozen=True, slots=True)
class Manner:
    """A person's name ('': the speaker's), the language around quotes ('': the question's), short answers, formal address.

    `rests_on` are the manners that it follows.
    """

    name: str = ""
    language: str = ""
    brief: bool = False
    formal: bool = False
    rests_on: Sequence[Statement] = ()

    def followed_in(self, answer: str) -> Sequence[Statement]:
        """Return the manners without which an answer might be another: the name is said, or makes no difference."""
        return [one for one in self.rests_on if self.name in answer or not _NAME.search(one.text)]


def manner(wanted: Sequence[Statement]) -> Manner:
    """Return the manner that one person's wishes amount to."""
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
