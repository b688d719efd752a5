"""One at a time on each of many things, in this process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

K = TypeVar("K")


class Locks(Generic[K]):
    """A lock for each key, which is held only while somebody wants it."""

    def __init__(self) -> None:
        self._locks: dict[K, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, key: K) -> AsyncIterator[None]:
        """Let nobody else be at this for the block; who waits for it is let in in order."""
        lock, waiting = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)
