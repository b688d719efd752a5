"""Who runs Lyra on a database: a lock that lasts as long as a connection, taken again when the connection is lost.

A server that is started anew has forgotten its locks. Until this one is held again nothing is written; where somebody else has
taken it meanwhile, nothing is written any more.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import psycopg

from localization.sentences import lazy
from memory.errors import HomeInUse
from memory.store.cancellation import end_if_asked
from memory.store.postgresql.address import LOCK, DatabaseAddress
from memory.store.postgresql.connecting import PATIENCE_SECONDS, connect
from memory.store.postgresql.error_translation import away
from memory.store.postgresql.peers.calls import CHANNEL
from memory.store.postgresql.pipelined_connection import PipelinedConnection

_PAUSE_SECONDS = 0.1


class Reservation:
    """The lock of one process. Close it."""

    def __init__(self, address: DatabaseAddress, hear: Callable[[str], None]) -> None:
        """Take nothing yet; `hear` is told what others call where this one is beside them, '' after it may have missed something."""
        self._address = address
        self._hear = hear
        self._settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._is_mine = self._beside = False

    async def take(self, *, beside: bool = False) -> bool:
        """Take the lock, or wait until it is held again; return whether it is. Those who are `beside` others share it.

        Raises the library's errors, DatabaseAway.
        """
        if self._keeper is None:
            self._beside = beside
            connection = await self._taken()
            if connection is None:
                return False
            self._is_mine = True
            self._settled.set()
            self._keeper = asyncio.create_task(self._keep(connection))
        await self._settle()
        return self._is_mine

    async def require(self) -> None:
        """Return at once where the lock is held or was never asked for. Raises DatabaseAway, and HomeInUse where it is another's by now."""
        if self._keeper is None:
            return
        await self._settle()
        if not self._is_mine:
            raise HomeInUse(
                lazy(
                    "Another Lyra has taken over {address} while it was out of reach. One `lyra run` is enough; end one of them.",
                    address=self._address,
                )
            )

    async def close(self) -> None:
        """Let go of it."""
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper

    async def _settle(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._settled.wait()
        except TimeoutError:
            raise away(self._address) from None

    async def _keep(self, connection: PipelinedConnection | None) -> None:
        while connection is not None:
            try:
                with suppress(psycopg.Error):
                    # This ends when the connection does; who runs alone is called nothing.
                    async for call in connection.notifies():
                        self._hear(call.payload)
            finally:
                self._settled.clear()
                await connection.close()
            end_if_asked()
            connection = await self._again()
            self._is_mine = connection is not None
            self._settled.set()
            self._hear("")

    async def _again(self) -> PipelinedConnection | None:
        while True:
            with suppress(psycopg.Error):
                return await self._taken()
            end_if_asked()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _taken(self) -> PipelinedConnection | None:
        """Return a connection that holds the lock, None where another one does."""
        connection = await connect(self._address)
        try:
            how = "pg_try_advisory_lock_shared" if self._beside else "pg_try_advisory_lock"
            (row,) = await connection.rows(f"SELECT {how}({LOCK}, 1) AS mine")
            mine = bool(row["mine"])
            if mine and self._beside:
                await connection.execute(f"LISTEN {CHANNEL}")
        except BaseException:
            await connection.close()
            raise
        if mine:
            return connection
        await connection.close()
        return None
