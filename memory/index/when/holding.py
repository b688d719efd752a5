"""From when to when a fact holds, as far as its words tell: "Ada moved to Graz in October 2025" is of that month.

Facts have absolute dates. One without a year tells no time, and what is told with several times holds as they do together.
"""

import re
from dataclasses import dataclass

from memory.index.when.question import asked
from memory.types import MINUTE

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY, _MONTH = 26 * 60 * MINUTE, 32 * 24 * 60 * MINUTE


@dataclass(frozen=True, slots=True)
class Holding:
    """From when to when something holds, in microseconds UTC, and how exactly that is told: to the day, month or year."""

    start: int
    end: int
    to: str


def holding(text: str, told_at: int, time_zone: str) -> Holding | None:
    """Return the time that a fact tells of, None where it tells none."""
    window = asked(text, told_at, time_zone).window if _YEAR.search(text) else None
    if window is None:
        return None
    length = window.end - window.start
    return Holding(window.start, window.end, "day" if length <= _DAY else "month" if length <= _MONTH else "year")
