"""That a process is alive: a row that it renews every second, and that another removes once it was not renewed for four.

A transaction of a process that is alive locks that row until it is committed, so that none is committed once the row is gone; what
the process holds is anybody's from then on, and it never comes back under its name. Nobody removes a row who has not been renewing his own
for as long: after a server was away, everybody first has the time to come back.
"""

import asyncio
from contextlib import suppress

import psycopg

from memory.errors import MemoryFailure
from memory.store.cancellation import end_if_asked, to_the_end
from memory.store.database import Reader
from memory.store.file_locks import FileHolders
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.connecting import connect
from memory.store.postgresql.error_translation import explained
from memory.store.postgresql.pipelined_connection import PipelinedConnection

BEAT_SECONDS = 1.0
EXPIRY_SECONDS = 4.0
_BEAT = (
    "WITH gone AS (DELETE FROM processes WHERE CAST($2 AS BIGINT) = 1 AND name IN "
    "(SELECT name FROM processes WHERE until < clock_timestamp() AND name <> $1 FOR UPDATE SKIP LOCKED) RETURNING name) "
    "UPDATE processes SET until = clock_timestamp() + make_interval(secs => $3) WHERE name = $1 "
    "RETURNING (SELECT count(*) FROM gone) AS gone"
)
"""Renews the row of a process, and removes those that were not renewed, in one statement."""


class ProcessPresence:
    """This process among those that share a memory. Leave, to be gone at once."""

    def __init__(self, address: DatabaseAddress, files: FileHolders) -> None:
        self._address = address
        self._files = files
        self._connection: PipelinedConnection | None = None
        self._joining = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None
        self._last = self._since = 0.0
        self.joined = False
        self.lapsed = asyncio.Event()
        """Set once others were told that this process is gone: nothing that it writes is kept any more."""

    @property
    def own(self) -> str:
        """The name of this process."""
        return self._files.own

    def mark(self) -> None:
        """Be known in the home from now on. Raises NotWritable."""
        self._files.mark()

    async def join(self, role: str = "") -> None:
        """Be alive from now on, in a role; the second call does nothing. Raises DatabaseAway, DatabaseRefused."""
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
        """Be gone: what this process held is free."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        if self._connection is not None:
            with suppress(psycopg.Error):
                await self._connection.execute("DELETE FROM processes WHERE name = $1", [self.own])
            await self._connection.close()
        await self._files.leave()

    async def living(self, reader: Reader, name: str) -> bool:
        """Say whether a process is alive. Of those of this home the system knows at once."""
        if name != self.own and self._files.seen(name) is False:
            return False
        return await reader.one("SELECT 1 AS yes FROM processes WHERE name = :name", {"name": name}) is not None

    async def _clear(self, connection: PipelinedConnection) -> None:
        """Remove the rows of processes of this home that ended, however they did."""
        rows = await connection.rows("SELECT name FROM processes")
        gone = [name for row in rows if (name := row["name"]) != self.own and self._files.seen(name) is False]
        if gone:
            await connection.execute("DELETE FROM processes WHERE name = ANY ($1)", [gone])

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                # To its end, also where it is left meanwhile: a connection that is half made is nobody's to close.
                if not await to_the_end(self._renewed()):
                    self.lapsed.set()
                    return
            except (psycopg.Error, TimeoutError, MemoryFailure):
                if self._connection is not None:
                    await self._connection.close()
                end_if_asked()

    async def _renewed(self) -> bool:
        """Renew the row, and remove those that were not renewed; False where it was removed itself. Raises the library's errors."""
        async with asyncio.timeout(EXPIRY_SECONDS):
            if self._connection is None or self._connection.closed:
                self._connection = await connect(self._address)
            # Whoever leaves a trip waits for nothing more of it: a server that stands still does not answer that it was called off, either.
            (alive,) = await self._connection.trip([(_BEAT, [self.own, int(self._may_judge()), EXPIRY_SECONDS])])
            self._last = self._now()
            await self._clear(self._connection)
            return bool(alive)

    def _may_judge(self) -> bool:
        """Say whether this process was alive itself for so long, without a gap, that whoever was not is gone."""
        if self._now() - self._last > EXPIRY_SECONDS:
            self._since = self._now()
        return self._now() - self._since >= EXPIRY_SECONDS

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
