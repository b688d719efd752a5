"""Work on long texts, off the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_SHORT = 1_000
"""Characters that are processed inline; more would block the event loop."""


async def off_loop(length: int, work: Callable[[], T]) -> T:
    """Run work on a text of `length` characters, in a thread if it would block the event loop."""
    return await asyncio.to_thread(work) if length > _SHORT and _is_on_loop() else work()


def _is_on_loop() -> bool:
    """Return whether this runs on an event loop, and not in the thread of a database."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
