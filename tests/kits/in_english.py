"""Sentences that stayed English in what somebody reads in another language."""

import re
from collections.abc import Sequence
from functools import cache
from string import Formatter

from tests.kits.catalogue import messages, read


@cache
def english() -> Sequence[str]:
    """Return what stands in English sentences between their gaps, three words and more, that are otherwise in German."""
    found = []
    for one in messages(read("de")):
        ids, strings = ([text] if isinstance(text, str) else list(text or ()) for text in (one.id, one.string))
        for id in ids:
            pieces = [piece for piece, *_gap in Formatter().parse(id)] if "{" in id else [id]
            longest = max((" ".join(piece.split()) for piece in pieces), key=len)
            if len(re.findall(r"[^\W\d_]{2,}", longest)) > 2 and not any(
                longest in " ".join(string.split()) for string in strings
            ):
                found.append(longest)
    return found


def said_in_english(text: str) -> list[str]:
    """Return the sentences of a text that are in English, though there is a German one."""
    line = " ".join(text.split())
    return [sentence for sentence in english() if sentence in line]
