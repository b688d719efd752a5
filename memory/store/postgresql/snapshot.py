"""One state of a database, read while others go on."""

from typing import Self

from memory.store.database import Parameters, Row
from memory.store.postgresql.batching import fetched
from memory.store.postgresql.guarding.scope import READING_ALL
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.sealing.border import Border


class Snapshot:
    """What reads one state of the whole memory, on a connection of its own. Use `Snapshot.taken`."""

    def __init__(self, connection: PipelinedConnection, border: Border) -> None:
        self._connection = connection
        self._border = border

    @classmethod
    async def taken(cls, connection: PipelinedConnection, border: Border) -> Self:
        """Return the state as it is now; the connection is this one's from now on."""
        await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # It holds nobody up, and whoever takes what is read may take long over a page.
        await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        return cls(connection, border)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await fetched(self._connection, READING_ALL, sql, parameters or {}, self._border)

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        rows = await self.all(sql, parameters)
        return rows[0] if rows else None
