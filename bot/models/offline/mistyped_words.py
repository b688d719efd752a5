"""Reads mistyped words of a question as what was said in the messages that were found for it."""

import re
from collections.abc import Sequence

from memory.text.lexical import stem, tokens
from memory.text.spellings import may_be_mistyped, slips


def as_meant(question: str, said: Sequence[str]) -> str:
    """Return a question in which each word that none of these statements holds is replaced by one of theirs a slip away."""
    words = list(dict.fromkeys(word for text in said for word in tokens(text)))
    known = {stem(word) for word in words}
    for word in dict.fromkeys(tokens(question)):
        if may_be_mistyped(word) and stem(word) not in known:
            near = slips(word)
            if meant := next((one for one in words if one in near), None):
                question = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", meant, question, flags=re.IGNORECASE)
    return question
