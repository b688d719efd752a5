"""Requests for discretion that only what the same person said just before makes understood: "wait no", "Cleo neither"."""

import re
from functools import cache

from memory.text.told.discretion import request_in
from memory.text.wordings import any_of, read_wordings
from memory.types import Discretion

LONGEST = 60
"""Characters. A longer text tells something of its own."""


def follow_up(text: str, before: str, source_id: str) -> Discretion | None:
    """Return what a text asks for by what its speaker said just before, with this platform id: to take back a permission, or to tell others
    neither; None if it asks for nothing.
    """
    if len(text) > LONGEST:
        return None
    ask = request_in(before)
    if ask is None:
        return None
    if ask.ends:
        return Discretion(ask.names, back=True) if _takes_back().fullmatch(text.strip(" .,;!…")) else None
    both = request_in(f"{before}. {text}") if ask.names else None
    added = [name for name in both.names if name not in ask.names] if both else []
    return Discretion(tuple(added), back=True, about=source_id) if added else None


@cache
def _takes_back() -> re.Pattern[str]:
    said = read_wordings(__file__)
    return re.compile(
        rf"(?i)(?:(?:{any_of(said['small'])})\b[\s,.!…–-]*)*(?:{any_of(said['takes_back'])})(?:[\s,.!…–-]+(?:{any_of(said['small'])}))*"
    )
