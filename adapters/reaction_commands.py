"""Reactions that people put on Lyra's messages, and the commands they stand for."""

import re

STOP = "stop"
"""The command that stops an answer being made."""
OFFERS = {"🔁": "again", "👎": "dislike", "🛑": STOP}
"""What reactions to any of her messages ask for."""
TAKEN_BACK = {"👎": "like"}
"""What removing such a reaction stands for."""
# Presentation selectors: emoji style and skin tones.
_LOOKS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


def plain(sign: str) -> str:
    """Return a reaction without its presentation."""
    return _LOOKS.sub("", sign)
