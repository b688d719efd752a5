"""What is written to a PostgreSQL, and the way there, which a test can cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from memory.store.bounds import Bounds
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from tests.kits.fresh import server as shared
from tests.kits.postgres import Postgres

_TERMINATE = b"X\x00\x00\x00\x04"
"""The message by which a client says that it closes its connection."""
INSERT = "INSERT INTO settings (scope, key, value) VALUES (:scope, '', '')"


@pytest.fixture
def server() -> Postgres:
    """The server of the run."""
    return shared()


async def scopes(db: PostgresDatabase) -> list[str]:
    """Return what was written."""
    return [row["scope"] for row in await db.all("SELECT scope FROM settings ORDER BY scope")]


async def write(db: PostgresDatabase, scope: str, bounds: Bounds | None = None) -> None:
    """Write one row; where that is bound, it goes there with the commit."""
    async with db.transaction(bounds=bounds) as tx:
        if bounds:
            await tx.one("SELECT 1 AS one")
        await tx.run(INSERT, {"scope": scope})


class Between:
    """A way to a server, which can be cut: at once, or in the place of an answer that holds something."""

    def __init__(self, server: Postgres, folder: Path) -> None:
        self._server = server
        self.folder = folder
        self._writers: set[asyncio.StreamWriter] = set()
        self.cuts_before = b""
        self.keeps_ends_back = False
        """Whether the server is not told that a client closed its connection."""

    def cut(self) -> None:
        """Cut every connection."""
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Lead one client to the server."""
        there, to_server = await asyncio.open_unix_connection(self._server.folder / ".s.PGSQL.5432")
        self._writers |= {writer, to_server}
        with suppress(ConnectionError):
            await asyncio.gather(self._lead(reader, to_server, out=True), self._lead(there, writer, out=False))
        for one in (writer, to_server):
            one.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, out: bool) -> None:
        while data := await reader.read(65536):
            if out and self.keeps_ends_back and data == _TERMINATE:
                return
            if not out and self.cuts_before and self.cuts_before in data:
                self.cuts_before = b""
                self.cut()
                return
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def between(server: Postgres, folder: Path) -> AsyncIterator[Between]:
    """Make a way to a server."""
    way = Between(server, folder)
    listening = await asyncio.start_unix_server(way.serve, folder / ".s.PGSQL.5432")
    try:
        yield way
    finally:
        way.cut()
        listening.close()


def by_way(address: DatabaseAddress, way: Between) -> DatabaseAddress:
    """Return an address that leads by a way."""
    return DatabaseAddress(f"{address.url.partition('host=')[0]}host={way.folder}")
