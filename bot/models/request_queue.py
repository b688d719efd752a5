"""A priority queue before a server with limited concurrency: people's questions preempt background work."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_Waiting = deque[asyncio.Future[None]]


class RequestQueue:
    """Admits a limited number of concurrent calls. Questions go before background work, and interrupt it."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._people: _Waiting = deque()
        self._others: _Waiting = deque()
        self._interruptible: list[asyncio.Task[Any]] = []

    @asynccontextmanager
    async def first(self) -> AsyncGenerator[None, None]:
        """Hold a place until the block ends, ahead of everything that only `runs`. A holder must not wait for another place."""
        if not self._free and self._interruptible:
            self._interruptible.pop().cancel()
        await self._enter(self._people)
        try:
            yield
        finally:
            self._leave()

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run work behind all questions, and return its result; when interrupted, it is restarted from its beginning."""
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
        """Pass the place on to the next in line."""
        for waiting in (self._people, self._others):
            while waiting:
                if not (turn := waiting.popleft()).done():
                    turn.set_result(None)
                    return
        self._free += 1
