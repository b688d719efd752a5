"""One process at a time in a conversation that several may show at once: a terminal, another, and the memory page.

A place of a platform needs no such thing: it is one process's, which holds the connection that it is heard on. The system lets the lock
go when a process ends, however it ends.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.base import Adapter
from memory.store.file_locks import FileLock

_LOOK_SECONDS = 0.05


def lock_of(home: Path, place: str, what: str) -> FileLock:
    """Return the lock of a home on something that one process at a time does at a place."""
    name = hashlib.blake2b(place.encode(), digest_size=12).hexdigest()
    return FileLock(home / "chats" / f"{name}.{what}")


class SoleProcess:
    """Whether this is the only process at a place; only then may it resume what another one left unanswered.

    A `with` block gets the answer of that moment; `held` has it from then on.
    """

    def __init__(self, home: Path, place: str) -> None:
        self._lock = lock_of(home, place, "lock")
        self.held = False

    def __enter__(self) -> bool:
        self.held = self._lock.take()
        return self.held

    def __exit__(self, *_: object) -> None:
        self.held = False
        self._lock.release()


@asynccontextmanager
async def turn_in(home: Path, adapter: Adapter, place: str) -> AsyncIterator[None]:
    """Take a turn in a conversation for the block, once nobody else does, in whichever process of a home they are."""
    if not adapter.shares_places:
        yield
        return
    lock = lock_of(home, place, "turn")
    try:
        while True:
            if lock.take():
                break
            await asyncio.sleep(_LOOK_SECONDS)
        yield
    finally:
        lock.release()
