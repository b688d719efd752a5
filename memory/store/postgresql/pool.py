"""The pool of connections, and how long to wait for one while the server is out of reach."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from memory.store.cancellation import uncancelled
from memory.store.postgresql.connecting import OPTIONS, PATIENCE_SECONDS, conninfo
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.pipelined_connection import PipelinedConnection

_LAST_SECONDS = 0.1
"""How long to wait for a connection once the process is to end, before it is asked whether the server is there at all."""
_THERE_SECONDS = 1.0
"""How long that question may take then."""
_IN_USE = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class Pool(AsyncConnectionPool[PipelinedConnection]):
    """A pool of connections to one database."""

    def __init__(self, address: DatabaseAddress, configure: Callable[[PipelinedConnection], Awaitable[None]], size: int) -> None:
        """Prepare for at most `size` connections, each configured when it is made."""
        self._waits: dict[asyncio.Timeout, float] = {}
        self._lent: set[PipelinedConnection] = set()
        self._is_given_up = False
        self.hurried = asyncio.Event()
        self._address = address
        super().__init__(
            partial(conninfo, address), connection_class=PipelinedConnection, kwargs=OPTIONS, configure=configure, min_size=1,
            max_size=size, open=False, timeout=PATIENCE_SECONDS, name="lyra",
            # Else it tries ever more rarely while the server is away, and she would notice late that it is back.
            reconnect_timeout=PATIENCE_SECONDS,
        )  # fmt: skip

    def hurry(self) -> None:
        """Let nobody wait any longer for a server that cannot be reached."""
        self.hurried.set()
        for wait, seconds in self._waits.items():
            if not wait.expired():
                wait.reschedule(asyncio.get_running_loop().time() + seconds)
        for connection in self._lent:
            connection.hurry()

    async def acquire(self) -> PipelinedConnection:
        """Return a connection, to be released. Raises PoolTimeout, caused by the error of a connection if none can be made now."""
        connection = await self._acquired()
        self._lent.add(connection)
        if self.hurried.is_set():
            connection.hurry()
        return connection

    async def _acquired(self) -> PipelinedConnection:
        """Return a connection. Raises PoolTimeout, caused by the error of a connection if none can be made now."""
        if self._is_given_up:
            raise PoolTimeout("the server was not there when the process was to end")
        try:
            async with self._limited(_LAST_SECONDS):
                return await self.getconn()
        except (PoolTimeout, TimeoutError) as error:
            # The pool does not tell why.
            try:
                async with self._limited(_THERE_SECONDS):
                    await (await PipelinedConnection.connect(conninfo(self._address), **OPTIONS)).close()
            except (psycopg.Error, TimeoutError) as reason:
                self._is_given_up = self.hurried.is_set()
                raise PoolTimeout(str(error)) from reason
            if isinstance(error, PoolTimeout):
                raise
        # The server is there, and only slow.
        return await self.getconn()

    @asynccontextmanager
    async def _limited(self, seconds: float) -> AsyncIterator[None]:
        """Limit how long the block takes once the process is to end. Raises TimeoutError."""
        async with asyncio.timeout(seconds if self.hurried.is_set() else None) as wait:
            self._waits[wait] = seconds
            try:
                yield
            finally:
                del self._waits[wait]

    @asynccontextmanager
    async def borrowed(self) -> AsyncIterator[PipelinedConnection]:
        """Yield a connection, and take it back even if the task is cancelled meanwhile. Raises like `acquire`."""
        connection = await self.acquire()
        try:
            yield connection
        finally:
            await uncancelled(self.release(connection))

    async def release(self, connection: PipelinedConnection) -> None:
        """Take a connection back without an open transaction; close it if that cannot be ensured."""
        if connection.info.transaction_status in _IN_USE:
            try:
                await connection.round_trip([("ROLLBACK", ())])
            except psycopg.Error:
                await connection.close()
        if connection.info.transaction_status != TransactionStatus.IDLE:
            await connection.close()
        self._lent.discard(connection)
        await self.putconn(connection)
