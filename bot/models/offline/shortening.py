"""Shortening at sentence borders."""

from collections.abc import Callable
from textwrap import wrap

from memory.text.quotations import one_line
from memory.text.sentence_splitting import sentences


def shortened(text: str, limit: int, weight: Callable[[str], int] = lambda _: 0) -> str:
    """Return at most `limit` characters of a text: whole sentences around the weightiest, with … for omissions.

    A sentence that is too long by itself is cut between words, around its part of greatest weight.
    """
    line = one_line(text)
    if len(line) <= limit:
        return line
    pieces, spare = sentences(text), limit - 4  # room for "… " and " …"
    best = max(range(len(pieces)), key=lambda at: (weight(pieces[at]), -at))
    if len(pieces[best]) > spare:
        pieces = wrap(pieces[best], spare, break_on_hyphens=False)
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
