"""Parsing of a thought: one JSON object with few fields, alone or in a fence, and nothing else."""

import json
import re
from dataclasses import dataclass
from typing import Any

from localization.sentences import lazy
from memory.errors import WriterRefused
from memory.text.storable import clean

MOST_CHARACTERS = 600
_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought, the labels of its sources, whether she wants to post it, and how what she heard felt (-1 to 1)."""

    text: str
    cites: tuple[str, ...]
    post: bool
    feeling: float


def read_thought(answer: str) -> Thought:
    """Return the thought in an answer: one JSON object, alone or in a fence. Raises WriterRefused for anything else."""
    answer = clean(answer)
    bare = _THINKING.sub("", answer).strip()
    fenced = _FENCED.match(bare)
    try:
        found = json.loads(fenced[1] if fenced else bare)
    except (ValueError, RecursionError):
        raise WriterRefused(lazy("The answer is no JSON object."), answer) from None
    if not isinstance(found, dict):
        raise WriterRefused(lazy("The answer is no JSON object."), answer)
    return _thought(found, answer)


def _thought(found: dict[str, Any], answer: str) -> Thought:
    text, cites, post, feeling = (found.get(name) for name in ("text", "cites", "post", "feeling"))
    if text is None or text == "":
        return Thought("", (), post=False, feeling=_feeling(feeling))
    if not isinstance(text, str) or not isinstance(cites, list) or not all(isinstance(label, str) for label in cites):
        raise WriterRefused(lazy("The answer's text or its citations are not what they should be."), answer)
    if len(text) > MOST_CHARACTERS:
        raise WriterRefused(lazy("The answer's text is longer than {most} characters.", most=MOST_CHARACTERS), answer)
    # Only a literal true permits posting: "yes", 1 and a missing field do not.
    return Thought(" ".join(clean(text).split()), tuple(dict.fromkeys(cites)), post is True, _feeling(feeling))


def _feeling(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0.0
    # Clamped first: an integer may be too large for a float.
    return float(max(-1, min(1, value)))
