"""Names in a text by spelling: capitalized words that do not start a sentence."""

import re

_WITHIN = re.compile(r"(?<=[\w,;:'’\"(]\s)\w[\w'’-]*")


def names(text: str) -> set[str]:
    """Return the words that may be names, in lower case, without possessive endings."""
    found = (word for word in _WITHIN.findall(text) if word[0].isupper())
    return {word.casefold().replace("’", "'").removesuffix("'s") for word in found}
