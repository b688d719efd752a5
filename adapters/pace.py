"""How patiently a connection waits and retries, on any platform."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_LONGEST_WAIT = 60.0
_LONG_ENOUGH = 60.0
"""A connection that lasted so many seconds was a good one: the next failure is a first one again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits, in seconds.

    `look` is the pause between two looks into history that nobody waits for, `files` how long reading the files of one
    message may take.
    """

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    elapsed: Callable[[], float] = time.monotonic
    look: float = 1.0
    files: float = 10.0

    async def through_failures(self, connect: Callable[[], Awaitable[None]]) -> None:
        """Reconnect whenever a connection has ended, after ever longer waits, until cancelled or `connect` raises."""
        failures = 0
        while True:
            began = self.elapsed()
            await connect()
            failures = 1 if self.elapsed() - began > _LONG_ENOUGH else failures + 1
            await self.retry(failures)

    async def retry(self, failures: int) -> None:
        """Back off before a retry: 1 s after the first failure, doubling up to 60 s, with up to a quarter off as jitter."""
        await self.pause(min(_LONGEST_WAIT, 2.0 ** min(failures - 1, 10)) * (0.75 + self.chance() / 4))
