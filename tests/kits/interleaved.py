"""A memory file with which something else happens between two accesses of a process, as another process may do it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from memory.store.bounds import Bounds
from memory.store.database import Parameters, Row, Transaction
from memory.store.sqlite.database import SqliteDatabase

_PATIENCE = 2.0
"""Seconds for what happens in between; where it waits for the one that it interrupts, both go on from then on."""


class Interleaved(SqliteDatabase):
    """A file before whose access number `before`, a read or a transaction, something `happens`."""

    accesses = before = 0
    happens: Callable[[], Awaitable[object]]
    happening: asyncio.Future[object] | None = None

    def interrupt(self, before: int, happens: Callable[[], Awaitable[object]]) -> None:
        """Have something happen before an access, counted from now on from 1."""
        self.accesses, self.before, self.happens = 0, before, happens

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Return all rows of one statement."""
        await self._access()
        return await super().all(sql, parameters)

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
        """Open a write transaction."""
        await self._access()
        async with super().transaction(first=first, bounds=bounds) as tx:
            yield tx

    async def _access(self) -> None:
        self.accesses += 1
        if self.accesses == self.before:
            self.happening = asyncio.ensure_future(self.happens())
            await asyncio.wait({self.happening}, timeout=_PATIENCE)
