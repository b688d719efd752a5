"""Heartbeats: each process renews a row every second, and others remove it once it was not renewed for four.

Every transaction locks the row of its process until the commit, so that none commits once the row is gone. From then on others
may take what the process held; it never returns under that name. A process removes rows of others only after it has itself
renewed its own without a gap for four seconds: after an outage of the server, everybody has time to come back.
"""

import asyncio
from contextlib import suppress

import psycopg

from memory.errors import MemoryFailure
from memory.store.cancellation import end_if_asked, uncancelled
from memory.store.database import Reader
from memory.store.file_locks import FileHolders
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.connecting import connect
from memory.store.postgresql.error_translation import explained
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
