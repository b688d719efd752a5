"""How patient a connection is, whatever the platform."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits in seconds. `look` is what lies between two looks into histories that nobody waits for."""

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    look: float = 1.0

    async def retry(self, failures: int) -> None:
        """Wait before trying again: 1 s after the first failure, twice as long after each more, at most 60 s, less some chance."""
        await self.pause(min(_LONGEST_WAIT, 2.0 ** min(failures - 1, 10)) * (0.75 + self.chance() / 4))
