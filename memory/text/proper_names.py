"""Names in a text, as far as spelling tells: words that are written large though no sentence begins with them."""

import re

_WITHIN = re.compile(r"(?<=[\w,;:'’\"(]\s)\w[\w'’-]*")


def names(text: str) -> set[str]:
    """Return the words of a text that may be names, in lower case, without the genitive."""
    found = (word for word in _WITHIN.findall(text) if word[0].isupper())
    return {word.casefold().replace("’", "'").removesuffix("'s") for word in found}
