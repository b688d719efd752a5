"""Priority of live conversations: background work waits until nobody talks with Lyra, up to a limit."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_MOMENT, _MOST_OF_MOMENTS = 0.02, 1.0
"""Seconds without a new turn that count as a pause, and the limit to waiting for one."""


class Priority:
    """Counts the running turns. Waiting is limited in time, since somewhere somebody may always be talking."""

    def __init__(self, patience: float = 60.0) -> None:
        self._patience = patience
        self._talking = self._begun = 0
        self._free = asyncio.Event()
        self._free.set()
        self._hurried = asyncio.Event()

    @contextmanager
    def running_turn(self) -> Iterator[None]:
        """Count a turn as running during the block."""
        self._talking += 1
        self._begun += 1
        self._free.clear()
        try:
            yield
        finally:
            self._talking -= 1
            if not self._talking:
                self._free.set()

    async def free(self) -> None:
        """Wait until no turn is running, or the time limit is reached."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while self._talking:
                    await self._free.wait()

    async def pause(self) -> None:
        """Wait for a moment without new turns, so that the background work of several turns is done together.

        It ends after a second, and at once within `without_pause`.
        """
        waits = [asyncio.ensure_future(self._silence()), asyncio.ensure_future(self._hurried.wait())]
        try:
            await asyncio.wait(waits, timeout=_MOST_OF_MOMENTS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _silence(self) -> None:
        begun = None
        while self._talking or begun != self._begun:
            await self._free.wait()
            begun = self._begun
            await asyncio.sleep(_MOMENT)

    @contextmanager
    def without_pause(self) -> Iterator[None]:
        """Let `pause` return at once during the block: somebody waits for background work."""
        self._hurried.set()
        try:
            yield
        finally:
            self._hurried.clear()
