"""Announcements of a secret: "I'll tell you a secret, don't tell Ben" asks for discretion about what its speaker says next."""

import re

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import key_words
from memory.text.told.discretion import FILLERS, discreet, without_request
from memory.text.wordings import read_wordings

_LONGEST = 300
"""Characters. A longer message tells something itself."""


def announces(text: str) -> bool:
    """Return whether a text asks for discretion about what its speaker says next, and tells nothing of it."""
    announcing = re.compile(read_wordings(__file__)["announces"]["all"], re.IGNORECASE)
    if len(text) > _LONGEST or not announcing.search(text) or discreet(text) is None:
        return False
    left = announcing.sub(" ", without_request(text))
    return FILLERS.union(FUNCTION_WORDS).issuperset(key_words(left))
