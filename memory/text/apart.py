"""Work on long texts, beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_SHORT = 1_000
"""Characters that are looked at at once; more would hold up the event loop."""


async def apart(length: int, work: Callable[[], T]) -> T:
    """Do work on a text of so many characters: in a thread, where it would hold up the event loop."""
    return await asyncio.to_thread(work) if length > _SHORT else work()
