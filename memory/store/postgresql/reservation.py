"""The reservation of a database for the process that runs Lyra: an advisory lock on a connection of its own.

A restarted server has forgotten its locks. The lock is then taken again; until it is, nothing is written, and if another process has
taken it meanwhile, nothing is written any more.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import psycopg

from localization.sentences import lazy
from memory.errors import DatabaseAway, HomeInUse
from memory.store.cancellation import end_if_asked
from memory.store.postgresql.address import LOCK, DatabaseAddress
from memory.store.postgresql.connecting import PATIENCE_SECONDS, connect
from memory.store.postgresql.error_translation import away, meaning
from memory.store.postgresql.peers.processes import CHANNEL
from memory.store.postgresql.pipelined_connection import PipelinedConnection

_PAUSE_SECONDS = 0.1
_LAST_SECONDS = 0.5
"""How long to wait for the lock once the process is to end: enough for a server that is there again."""


class Reservation:
    """The lock of one process; it must be closed."""

    def __init__(self, address: DatabaseAddress, hear: Callable[[str], None], hurried: asyncio.Event) -> None:
        """Prepare; `hurried` is set once nobody is to wait any longer.

        `hear` gets notifications of other processes if the lock is shared, '' after some may have been missed.
        """
        self._address = address
        self._hear = hear
        self._hurried = hurried
        self._settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._is_mine = self._beside = False
        self._failure: psycopg.Error | None = None

    async def take(self, *, beside: bool = False) -> bool:
        """Take the lock, or wait until it is held again; return whether it is. Processes `beside` each other share it.

        Raises psycopg.Error, DatabaseAway.
        """
        if self._keeper is None:
            self._beside = beside
            connection = await self._locked_connection()
            if connection is None:
                return False
            self._is_mine = True
            self._settled.set()
            self._keeper = asyncio.create_task(self._keep(connection))
        await self._settle()
        return self._is_mine

    async def require(self) -> None:
        """Require that the lock is held, if it ever was taken. Raises DatabaseAway, HomeInUse if another process has it now."""
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
        """Release the lock."""
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper

    async def _settle(self) -> None:
        if self._settled.is_set():
            return
        settled, hurried = (asyncio.create_task(event.wait()) for event in (self._settled, self._hurried))
        try:
            await asyncio.wait((settled, hurried), timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if not settled.done() and hurried.done():
                await asyncio.wait((settled,), timeout=_LAST_SECONDS)
            if not settled.done():
                raise self._why()
        finally:
            settled.cancel()
            hurried.cancel()

    def _why(self) -> DatabaseAway:
        """Return why the lock could not be taken again yet."""
        told = meaning(self._failure, self._address) if self._failure else None
        return told if isinstance(told, DatabaseAway) else away(self._address)

    async def _keep(self, connection: PipelinedConnection | None) -> None:
        while connection is not None:
            try:
                with suppress(psycopg.Error):
                    # Ends with the connection; without LISTEN there are no notifications.
                    async for call in connection.notifies():
                        self._hear(call.payload)
            finally:
                self._settled.clear()
                await _release(connection)
            end_if_asked()
            connection = await self._again()
            self._is_mine = connection is not None
            self._settled.set()
            self._hear("")

    async def _again(self) -> PipelinedConnection | None:
        while True:
            try:
                return await self._locked_connection()
            except psycopg.Error as error:
                self._failure = error
            end_if_asked()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _locked_connection(self) -> PipelinedConnection | None:
        """Return a connection that holds the lock, None if another process does."""
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


async def _release(connection: PipelinedConnection) -> None:
    """Give the locks of a connection back and close it: a busy server notices the end of a connection late."""
    try:
        with suppress(psycopg.Error, TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await connection.round_trip([("SELECT pg_advisory_unlock_all()", ())])
    finally:
        await connection.close()
