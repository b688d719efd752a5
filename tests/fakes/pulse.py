"""Lets a test wait for what it expects, instead of sleeping."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 120.0
"""How many seconds a test waits for what has to come: so long that only a fault takes longer, however busy the machine is."""


class Pulse:
    """Beats whenever anything has changed."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        """How many seconds a test waits before it fails."""
        self._waiting: set[asyncio.Future[None]] = set()

    def beat(self) -> None:
        """Let everyone who waits look again."""
        for one in self._waiting:
            if not one.done():
                one.set_result(None)
        self._waiting.clear()

    async def until(self, look: Callable[[], T], what: str) -> T:
        """Wait until the look finds something true, and give it. Raises AssertionError when it takes too long."""
        try:
            async with asyncio.timeout(self.patience):
                while not (found := look()):
                    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                    self._waiting.add(future)
                    await future
        except TimeoutError:
            raise AssertionError(f"{what}: not within {self.patience} s") from None
        return found
