"""Concurrency control for the transactions of this process: those whose bounds do not conflict run side by side."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from memory.store.bounds import Bounds, Key


@dataclass(slots=True)
class _Taken:
    """The combined bounds of several transactions; bounds of None cover everything."""

    writes: Counter[Key] = field(default_factory=Counter)
    rests_on: Counter[Key] = field(default_factory=Counter)
    some: int = 0
    alone: int = 0

    def admits(self, bounds: Bounds | None) -> bool:
        if self.alone or bounds is None:
            return not self.some
        return not bounds.conflict_with(self.writes.keys(), self.rests_on.keys())

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
        self.writes -= Counter(bounds.writes)
        self.rests_on -= Counter(bounds.rests_on)

    def copy(self) -> "_Taken":
        return _Taken(Counter(self.writes), Counter(self.rests_on), self.some, self.alone)


Waiting = deque[tuple[Bounds | None, asyncio.Future[None]]]


class TransactionGate:
    """Admits at most `most` transactions at a time, none of which conflict.

    Conflicting ones are admitted in order of arrival, those that come `first` before all others.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = _Taken()
        self._first: Waiting = deque()
        self._others: Waiting = deque()

    @property
    def is_free(self) -> bool:
        """Whether nobody is inside or waits."""
        return not (self._inside.some or self._first or self._others)

    @asynccontextmanager
    async def turn(self, bounds: Bounds | None = None, *, first: bool = False) -> AsyncIterator[None]:
        """Hold the bounds for the block; without bounds, exclude everybody else."""
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
                # Those after this one may be admitted now.
                self._let_in()
            raise

    def _leave(self, bounds: Bounds | None) -> None:
        self._inside.drop(bounds)
        self._let_in()

    def _let_in(self) -> None:
        """Admit those who conflict with nobody inside, and with nobody waiting before them."""
        if not (self._first or self._others):
            return
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
