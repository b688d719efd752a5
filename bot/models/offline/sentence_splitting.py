"""Sentence splitting, and shortening at sentence borders."""

import re
from collections.abc import Callable

from memory.text.questions import is_question
from memory.text.quotations import one_line

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]+[”」』)]*|\n+")
_NOT_AN_END = re.compile(
    r"(?:^|[\s(\"])(?:\w|\d{1,2}|mr|mrs|ms|dr|prof|st|vs|etc|approx|nr|ca|bzw|usw|e\.g|i\.e|z\.b|d\.h|u\.a|p\.m|a\.m)\.$",
    re.IGNORECASE,
)
_CLOSING = "\"'”’»)] \n"


def split(text: str) -> list[str]:
    """Split a text into sentences, each on one line; text between double quotes is not split."""
    found: list[str] = []
    start = seen = quotes = 0
    paired = text.count('"') % 2 == 0
    for end in _END.finditer(text):
        quotes += text.count('"', seen, end.end())
        seen = end.end()
        if (paired and quotes % 2) or _goes_on(text, end):
            continue
        found.append(text[start:seen])
        start = seen
    found.append(text[start:])
    return [line for line in map(one_line, found) if line]


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """Return whether an apparent end is none: the full stop of an abbreviation, or of speech within a sentence."""
    if end.group() == ".":
        return bool(_NOT_AN_END.search(text[max(0, end.end() - 12) : end.end()]))
    return end.group()[-1] in "\"'”’»" and text[end.end() : end.end() + 9].lstrip()[:1].islower()


def is_marked_question(sentence: str) -> bool:
    """Return whether a sentence ends with a question mark."""
    return is_question(sentence.rstrip(_CLOSING))


def shortened(text: str, limit: int, weight: Callable[[str], int] = lambda _: 0) -> str:
    """Return at most `limit` characters of a text: whole sentences around the weightiest, with … for omissions.

    A sentence that is too long by itself is cut between words, around its part of greatest weight.
    """
    line = one_line(text)
    if len(line) <= limit:
        return line
    pieces, spare = split(text), limit - 4  # room for "… " and " …"
    best = max(range(len(pieces)), key=lambda at: (weight(pieces[at]), -at))
    if len(pieces[best]) > spare:
        pieces = _word_groups(pieces[best], spare)
        best = max(range(len(pieces)), key=lambda at: (weight(pieces[at]), -at))
        first, last = best, best + 1
    else:
        first, last = _grown(pieces, best, spare)
    kept = " ".join(pieces[first:last])
    before = "… " if first or not line.startswith(kept) else ""
    after = " …" if not line.endswith(kept) else ""
    return before + kept + after


def _grown(pieces: list[str], best: int, spare: int) -> tuple[int, int]:
    """Extend the range around the best piece, forwards first, while it fits."""
    first, last, size = best, best + 1, len(pieces[best])
    while last < len(pieces) and size + 1 + len(pieces[last]) <= spare:
        size += 1 + len(pieces[last])
        last += 1
    while first and size + 1 + len(pieces[first - 1]) <= spare:
        first -= 1
        size += 1 + len(pieces[first])
    return first, last


def _word_groups(sentence: str, limit: int) -> list[str]:
    """Split a sentence between words into pieces of at most `limit` characters; a longer word is split itself."""
    return re.findall(rf"\S.{{0,{limit - 1}}}(?=\s|$)|\S{{{limit}}}", sentence)
