"""A priority lock."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turnstile:
    """A fair lock with two queues: those who come `first` go before the others."""

    def __init__(self) -> None:
        self._taken = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def turn(self, *, first: bool = False) -> AsyncIterator[None]:
        """Hold the lock for the block."""
        if self._taken:
            await self._wait(self._first if first else self._others)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, waiting: deque[asyncio.Future[None]]) -> None:
        mine = asyncio.get_running_loop().create_future()
        waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Hand the lock to the next waiter directly, so that no newcomer gets in between."""
        for waiting in (self._first, self._others):
            while waiting:
                if not (mine := waiting.popleft()).done():
                    mine.set_result(None)
                    return
        self._taken = False
