"""How patiently a connection waits and retries, on any platform."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits, in seconds. `look` is the pause between two looks into history that nobody waits for."""

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    look: float = 1.0

    async def retry(self, failures: int) -> None:
        """Back off before a retry: 1 s after the first failure, doubling up to 60 s, with up to a quarter off as jitter."""
        await self.pause(min(_LONGEST_WAIT, 2.0 ** min(failures - 1, 10)) * (0.75 + self.chance() / 4))
