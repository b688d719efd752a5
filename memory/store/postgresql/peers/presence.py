"""Heartbeats: each process renews a row every second, and others remove it once it was not renewed for four; and the reservation.

Every transaction locks the row of its process until the commit, so that none commits once the row is gone. From then on others
may take what the process held; it never returns under that name. A process removes rows of others only after it has itself
renewed its own without a gap for four seconds: after an outage of the server, everybody has time to come back.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import psycopg

from memory.errors import DatabaseAway, HomeInUse, MemoryFailure
from memory.store.cancellation import end_if_asked, uncancelled
from memory.store.database import Reader
from memory.store.file_locks import FileHolders
from memory.store.postgresql.connecting import PATIENCE_SECONDS, connect
from memory.store.postgresql.database_server import CHANNEL, LOCK, DatabaseAddress
from memory.store.postgresql.error_translation import away, explained, meaning
from memory.store.postgresql.pipelined_connection import PipelinedConnection

BEAT_SECONDS = 1.0
EXPIRY_SECONDS = 4.0
_LAST_SECONDS = 1.0
"""How long to wait for a server that hangs once the process leaves: others then see its row expire."""
_BEAT = (
    "WITH gone AS (DELETE FROM processes WHERE CAST($2 AS BIGINT) = 1 AND name IN "
    "(SELECT name FROM processes WHERE until < clock_timestamp() AND name <> $1 FOR UPDATE SKIP LOCKED) RETURNING name) "
    "UPDATE processes SET until = clock_timestamp() + make_interval(secs => $3) WHERE name = $1 "
    "RETURNING (SELECT count(*) FROM gone) AS gone"
)
"""Renews the row of a process and removes expired ones, in one statement."""
_PAUSE_SECONDS = 0.1
_LAST_LOCK_SECONDS = 0.5
"""How long to wait for the lock once the process is to end: enough for a server that is there again."""


class ProcessPresence:
    """The registration of this process as alive, until it leaves."""

    def __init__(self, address: DatabaseAddress, files: FileHolders) -> None:
        self._address = address
        self._files = files
        self._connection: PipelinedConnection | None = None
        self._joining = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None
        self._renewal: asyncio.Timeout | None = None
        self._last = self._since = 0.0
        self.joined = False
        self.lapsed = asyncio.Event()
        """Set once others removed this process: nothing it writes can be committed any more."""

    @property
    def own(self) -> str:
        return self._files.own

    def mark(self) -> None:
        self._files.mark()

    async def join(self, role: str = "") -> None:
        """Register as alive, in a role (idempotent). Raises DatabaseAway, DatabaseRefused."""
        async with self._joining:
            if not self.joined:
                with explained(self._address):
                    await self._join(role)

    async def _join(self, role: str) -> None:
        self._connection = await connect(self._address)
        await self._clear(self._connection)
        await self._connection.execute(
            "INSERT INTO processes (name, role, until) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))",
            [self.own, role, EXPIRY_SECONDS],
        )
        self._last = self._since = self._now()
        self._beating = asyncio.create_task(self._beat())
        self.joined = True

    async def leave(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            if self._renewal is not None and not self._renewal.expired():
                self._renewal.reschedule(self._now() + _LAST_SECONDS)
            await asyncio.gather(self._beating, return_exceptions=True)
        if self._connection is not None:
            with suppress(psycopg.Error, TimeoutError):
                async with asyncio.timeout(_LAST_SECONDS):
                    await self._connection.round_trip([("DELETE FROM processes WHERE name = $1", [self.own])])
            await self._connection.close()
        await self._files.leave()

    async def living(self, reader: Reader, name: str) -> bool:
        """Return whether a process is alive; the end of one of this home is known at once, by its file lock."""
        if name != self.own and self._files.seen(name) is False:
            return False
        return await reader.one("SELECT 1 AS yes FROM processes WHERE name = :name", {"name": name}) is not None

    async def _clear(self, connection: PipelinedConnection) -> None:
        """Remove the rows of processes of this home that have ended."""
        rows = await connection.rows("SELECT name FROM processes")
        dead = [name for row in rows if (name := row["name"]) != self.own and self._files.seen(name) is False]
        if dead:
            await connection.execute("DELETE FROM processes WHERE name = ANY ($1)", [dead])

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                # Not cancellable: nobody would close a half-opened connection.
                if not await uncancelled(self._renewed()):
                    self.lapsed.set()
                    return
            except (psycopg.Error, TimeoutError, MemoryFailure):
                if self._connection is not None:
                    await self._connection.close()
                end_if_asked()

    async def _renewed(self) -> bool:
        """Renew the row and remove expired ones; return False if it was removed itself. Raises psycopg.Error."""
        try:
            async with asyncio.timeout(EXPIRY_SECONDS) as self._renewal:
                if self._connection is None or self._connection.closed:
                    self._connection = await connect(self._address)
                # A trip can be abandoned at once; a cancel request would wait for a server that hangs.
                (alive,) = await self._connection.round_trip([(_BEAT, [self.own, int(self._may_judge()), EXPIRY_SECONDS])])
                self._last = self._now()
                await self._clear(self._connection)
                return bool(alive)
        finally:
            self._renewal = None

    def _may_judge(self) -> bool:
        """Return whether this process renewed its row without a gap for long enough to remove others."""
        if self._now() - self._last > EXPIRY_SECONDS:
            self._since = self._now()
        return self._now() - self._since >= EXPIRY_SECONDS

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class Reservation:
    """The reservation of a database for the process that runs Lyra: an advisory lock on a connection of its own. It must be closed.

    A restarted server has forgotten its locks. The lock is then taken again; until it is, nothing is written, and if another process
    has taken it meanwhile, nothing is written any more.
    """

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
                "Another Lyra has taken over {address} while it was out of reach. One `lyra run` is enough; end one of them.",
                address=self._address,
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
                await asyncio.wait((settled,), timeout=_LAST_LOCK_SECONDS)
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
            async with asyncio.timeout(_LAST_LOCK_SECONDS):
                await connection.round_trip([("SELECT pg_advisory_unlock_all()", ())])
    finally:
        await connection.close()
