"""Signs that people put under what she says, as reactions, and the commands that they stand for."""

import re

STOP = "stop"
"""The command that ends an answer which is being made."""
OFFERS = {"🔁": "again", "👎": "dislike", "🛑": STOP}
"""What may be asked of anything she says."""
TAKEN_BACK = {"👎": "like"}
"""What it stands for to take such a sign away again."""
# How a sign is drawn: in colour, or with which skin.
_LOOKS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


def plain(sign: str) -> str:
    """Return a sign however it is drawn."""
    return _LOOKS.sub("", sign)
