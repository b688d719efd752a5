"""A priority queue before a server with limited concurrency: people's questions preempt background work."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")
_Waiting = deque[asyncio.Future[None]]
_PATIENCE = 600.0
"""Seconds for which interrupted work waits at most until nobody asks any more: somewhere somebody may always be talking."""

_LEAST_WASTED = 0.5
"""Seconds that interrupted work counts at least: a server may read the whole prompt before it notices that nobody waits."""


class RequestQueue:
    """Admits a limited number of concurrent calls. Questions go before background work, and interrupt it."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._asking = 0
        self._asked_at = 0.0
        self._unasked = asyncio.Event()
        self._people: _Waiting = deque()
        self._others: _Waiting = deque()
        self._interruptible: list[asyncio.Task[Any]] = []

    @asynccontextmanager
    async def first(self) -> AsyncGenerator[None, None]:
        """Hold a place until the block ends, ahead of everything that only `runs`. A holder must not wait for another place."""
        if not self._free and self._interruptible:
            self._interruptible.pop().cancel()
        self._asking += 1
        self._unasked.clear()
        try:
            await self._enter(self._people)
            try:
                yield
            finally:
                self._leave()
        finally:
            self._asking -= 1
            self._asked_at = asyncio.get_running_loop().time()
            if not self._asking:
                self._unasked.set()

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run work behind all questions, and return its result.

        When interrupted, it is restarted from its beginning, once nobody has asked anything for as long as was spent in vain: in
        a burst of questions it would be thrown away after each of them.
        """
        loop, wasted = asyncio.get_running_loop(), 0.0
        while True:
            await self._enter(self._others)
            begun = loop.time()
            task = asyncio.create_task(work())
            self._interruptible.append(task)
            try:
                return await task
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if task in self._interruptible or (current and current.cancelling()):
                    raise
                wasted += max(_LEAST_WASTED, loop.time() - begun)
            finally:
                if task in self._interruptible:
                    self._interruptible.remove(task)
                self._leave()
            await self._silence(wasted)

    async def _silence(self, seconds: float) -> None:
        """Wait until nobody has asked anything for so long, but not for longer than the patience."""
        loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while self._asking or (left := self._asked_at + seconds - loop.time()) > 0:
                    await (self._unasked.wait() if self._asking else asyncio.sleep(left))

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
