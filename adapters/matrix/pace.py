"""How patient the connection is. Tests bring their own."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits in seconds. `poll` is how long the homeserver may keep a request that has nothing to tell, `stale` how long after
    its last answer places count as unknown, `keys` how long the key to a message may take, `look` what lies between
    two looks into histories that nobody waits for."""

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    elapsed: Callable[[], float] = time.monotonic
    poll: float = 30.0
    stale: float = 90.0
    keys: float = 20.0
    look: float = 1.0

    async def retry(self, failures: int) -> None:
        """Wait before trying again: 1 s after the first failure, twice as long after each more, at most 60 s, less some chance."""
        await self.pause(min(LONGEST_WAIT, 2.0 ** min(failures - 1, 10)) * (0.75 + self.chance() / 4))
