"""How many steps of Python some work takes: what a text costs, counted and not timed, so that it is the same on every machine.

What one call of a C function does inside, a regular expression above all, is a single step: `make bench` times that.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], object], *, warm: bool = False) -> int:
    """Return how many instructions of Python some work takes once everything that it loads or remembers is there.

    It is done once before for that, unless the same was done with something shorter: `warm`.
    """
    if not warm:
        work()
    count = 0

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        frame.f_trace_opcodes = True
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
