"""Display names: what people are called where their words are shown, and which names could be taken for each other."""

import re

from memory.sanitize import sanitized

LYRA = "Lyra"
NOBODY = "someone"
LONGEST = 40
"""The most characters of a name, its tag included."""
COLONS = ":：﹕︓︰꞉∶ː˸⁚׃։᛬"
"""What looks like the colon between a speaker and what was said."""

_SEPARATORS = re.compile(rf"[{COLONS}<>|｜`·\s\u2800]+")
_BRACKETS = str.maketrans('[]{}"', "()()’")


def display_name(name: str, longest: int = LONGEST) -> str:
    """Return a name on one line, of at most `longest` characters, without what separates a name from what was said.

    A name that cannot be seen is "someone".
    """
    seen = " ".join(_SEPARATORS.sub(" ", sanitized(name).translate(_BRACKETS)).split())
    short = seen if len(seen) <= longest else seen[: longest - 1].rstrip() + "…"
    return short or NOBODY
