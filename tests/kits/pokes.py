"""What platform processes of given ids leave to a worker, counted as anybody hears it who listens at the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from memory.journal.chores import CHORE
from memory.store.postgresql.database_server import CHANNEL, DatabaseAddress
from tests.kits.given_time import GivenIds
from tests.kits.postgres import unguarded


class Pokes:
    """How often these processes left something to the worker, as the server calls it to everybody, and how often they are to."""

    def __init__(self, *processes: str) -> None:
        self.heard = self.due = 0
        self._callers = {GivenIds(process).new() for process in processes}

    @asynccontextmanager
    async def counted(self, address: DatabaseAddress) -> AsyncIterator[None]:
        """Count for the block."""
        async with await psycopg.AsyncConnection.connect(unguarded(address), autocommit=True) as connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            counting = asyncio.create_task(self._count(connection))
            try:
                yield
            finally:
                counting.cancel()
                await asyncio.gather(counting, return_exceptions=True)

    async def _count(self, connection: psycopg.AsyncConnection[Any]) -> None:
        async for call in connection.notifies():
            caller, *words = call.payload.split("\n")
            self.heard += caller in self._callers and CHORE in words
