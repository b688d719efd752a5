"""Which transactions of this process go on side by side: those that do not meet, each of the others as soon as nobody before it is in the way."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from memory.store.bounds import Bounds, Key


@dataclass(slots=True)
class _Taken:
    """What some hold together; None as bounds is everything."""

    writes: Counter[Key] = field(default_factory=Counter)
    rests_on: Counter[Key] = field(default_factory=Counter)
    some: int = 0
    alone: int = 0

    def admits(self, bounds: Bounds | None) -> bool:
        if self.alone or bounds is None:
            return not self.some
        return not bounds.meets(self.writes.keys(), self.rests_on.keys())

    def add(self, bounds: Bounds | None) -> None:
        self.some += 1
        if bounds is None:
            self.alone += 1
        else:
            self.writes.update(bounds.writes)
            self.rests_on.update(bounds.rests_on)

    def drop(self, bounds: Bounds | None) -> None:
        self.some -= 1
        if bounds is None:
            self.alone -= 1
            return
        for held, keys in ((self.writes, bounds.writes), (self.rests_on, bounds.rests_on)):
            for key in keys:
                held[key] -= 1
                if not held[key]:
                    del held[key]

    def copy(self) -> "_Taken":
        return _Taken(Counter(self.writes), Counter(self.rests_on), self.some, self.alone)


Waiting = deque[tuple[Bounds | None, asyncio.Future[None]]]


class TransactionGate:
    """A lock of many parts, for so many at once as there are connections to write on.

    Whoever waits goes in its order among those it meets, those who come `first` before the others.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = _Taken()
        self._first: Waiting = deque()
        self._others: Waiting = deque()

    @asynccontextmanager
    async def turn(self, bounds: Bounds | None = None, *, first: bool = False) -> AsyncIterator[None]:
        """Be inside for the block, alone with what these bounds write; alone altogether where there are none."""
        if self._first or self._others or self._inside.some >= self._most or not self._inside.admits(bounds):
            await self._wait(bounds, self._first if first else self._others)
        else:
            self._inside.add(bounds)
        try:
            yield
        finally:
            self._leave(bounds)

    async def _wait(self, bounds: Bounds | None, waiting: Waiting) -> None:
        mine = asyncio.get_running_loop().create_future()
        waiting.append((bounds, mine))
        self._let_in()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._leave(bounds)
            else:
                # Whoever stands behind may be in nobody's way now.
                self._let_in()
            raise

    def _leave(self, bounds: Bounds | None) -> None:
        self._inside.drop(bounds)
        self._let_in()

    def _let_in(self) -> None:
        """Let in whoever meets nobody inside, and nobody who waits before them."""
        ahead = self._inside.copy()
        for waiting in (self._first, self._others):
            stay: Waiting = deque()
            while waiting and self._inside.some < self._most and not ahead.alone:
                bounds, mine = waiting.popleft()
                if mine.done():
                    continue
                if ahead.admits(bounds):
                    self._inside.add(bounds)
                    mine.set_result(None)
                else:
                    stay.append((bounds, mine))
                ahead.add(bounds)
            waiting.extendleft(reversed(stay))
