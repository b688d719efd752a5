"""How patient the connection is. Tests bring their own."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits in seconds. `ready` is how long the last server may be late after a start; `patience` is how long a connection
    that was lost may take to come back before a new one is made; `files` is how long reading a message's files may take, `look`
    what lies between two looks into histories that nobody waits for."""

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    ready: float = 2.0
    patience: float = 180.0
    files: float = 10.0
    look: float = 1.0

    async def retry(self, failures: int) -> None:
        """Wait before trying again: 1 s after the first failure, twice as long after each more, at most 60 s, less some chance."""
        await self.pause(min(LONGEST_WAIT, 2.0 ** min(failures - 1, 10)) * (0.75 + self.chance() / 4))
