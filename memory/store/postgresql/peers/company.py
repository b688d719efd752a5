"""This process among those that share a memory: that it is alive, and what they call to each other."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager

from memory.store.bounds import Bounds
from memory.store.database import Transaction
from memory.store.peers import EVERYTHING, WRITTEN, Heard, Lease
from memory.store.postgresql.peers import leases, paces
from memory.store.postgresql.peers.calls import Calls
from memory.store.postgresql.peers.presence import Presence

Write = Callable[[Bounds], AbstractAsyncContextManager[Transaction]]


class Company:
    """What `Peers` asks for, on a server."""

    def __init__(self, presence: Presence, calls: Calls, write: Write) -> None:
        """Take part in nothing yet; `write` begins a transaction of what it is bound to."""
        self.presence = presence
        self.calls = calls
        self._write = write
        self._takes_part = False

    @property
    def lapsed(self) -> asyncio.Event:
        """Set once others go on with the work of this process."""
        return self.presence.lapsed

    async def join(self, role: str) -> None:
        """Be one of them in a role from now on. Raises DatabaseAway, DatabaseRefused."""
        self.presence.plays(role)
        await self.presence.join()
        self._takes_part = True

    async def lease(self, name: str, units: int) -> Lease | None:
        """Have one of so many units of a name until this process ends."""
        await self.presence.join()
        async with self._write(Bounds.of(f"leases {name}")) as tx:
            return await leases.take(tx, self.presence.own, name, units)

    async def slot(self, name: str, a_second: float) -> float:
        """Take the next of so many turns a second that all processes have together; return in how many seconds it is."""
        async with self._write(Bounds()) as tx:
            return await paces.take(tx, name, 1 / a_second)

    def call(self, *words: str) -> None:
        """Call words to the others soon."""
        if self._takes_part:
            self.calls.call(words)

    def listen(self, heard: Heard) -> None:
        """Have something told what the others call."""
        self.calls.listen(heard)

    def committed(self, bounds: Bounds | None) -> None:
        """Call which domains were written."""
        self.call(*([EVERYTHING] if bounds is None else [f"{WRITTEN}{key}" for key in bounds.writes if isinstance(key, int)]))

    def hear(self, payload: str) -> None:
        """Tell what was called; '' says that something may have been missed."""
        if payload:
            self.calls.hear(payload)
        else:
            self.calls.tell(_MISSED)


_MISSED: Collection[str] = (EVERYTHING,)
