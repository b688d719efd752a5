"""The floor: who talks with Lyra goes first; what she does unasked waits until nobody does, but not for ever."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Priority:
    """Counts the turns under way. Who waits for it waits so many seconds at most: somewhere somebody may always talk."""

    def __init__(self, patience: float = 60.0) -> None:
        self._patience = patience
        self._talking = 0
        self._free = asyncio.Event()
        self._free.set()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Have the floor until the block ends."""
        self._talking += 1
        self._free.clear()
        try:
            yield
        finally:
            self._talking -= 1
            if not self._talking:
                self._free.set()

    async def free(self) -> None:
        """Wait until nobody has the floor, or patience ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while self._talking:
                    await self._free.wait()
