"""The line before a server that answers only so many at once: people's questions first, and for them others make room."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_Waiting = deque[asyncio.Future[None]]


class Line:
    """Lets so many calls through at once. Whoever waits for an answer goes before what nobody waits for, and cuts it off."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._people: _Waiting = deque()
        self._others: _Waiting = deque()
        self._interruptible: list[asyncio.Task[Any]] = []

    @asynccontextmanager
    async def first(self) -> AsyncGenerator[None, None]:
        """Have a place until the block ends, before everything that only `runs`. Who has one must not wait for another."""
        if not self._free and self._interruptible:
            self._interruptible.pop().cancel()
        await self._enter(self._people)
        try:
            yield
        finally:
            self._leave()

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do this behind everybody, and return what it returns; where it is cut off, it is done again from its beginning."""
        while True:
            await self._enter(self._others)
            task = asyncio.create_task(work())
            self._interruptible.append(task)
            try:
                return await task
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if task in self._interruptible or (current and current.cancelling()):
                    raise
            finally:
                if task in self._interruptible:
                    self._interruptible.remove(task)
                self._leave()

    async def _enter(self, waiting: _Waiting) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        """Hand the place over to whoever is next."""
        for waiting in (self._people, self._others):
            while waiting:
                if not (turn := waiting.popleft()).done():
                    turn.set_result(None)
                    return
        self._free += 1
