"""One turn at a time in a conversation that several processes may show at once: a terminal, another, and the memory page.

A place of a platform needs no such thing: it is one process's, which holds the connection that it is heard on. The system lets the lock
go when a process ends, however it ends.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.base import Adapter
from bot.conversation.alone import lock_of

_LOOK_SECONDS = 0.05


class OneAtATime:
    """Has the turns of one conversation wait for each other, in whichever process of a home they are."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @asynccontextmanager
    async def turn(self, adapter: Adapter, place: str) -> AsyncIterator[None]:
        """Take a turn at a place for the block, once nobody else does."""
        if not adapter.shares_places:
            yield
            return
        lock = lock_of(self._home, place, "turn")
        try:
            while True:
                if lock.take():
                    break
                await asyncio.sleep(_LOOK_SECONDS)
            yield
        finally:
            lock.release()
