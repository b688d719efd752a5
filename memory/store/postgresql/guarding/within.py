"""A database as it is for some domains alone: whoever holds it is shown nothing else, but what is asked of `everywhere`."""

from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Parameters, Reader, Row, Transaction
from memory.store.postgresql.guarding.scope import Scope


class GuardedDatabase(DatabaseAccess, Protocol):
    """A database that is told with each statement which domains it is for."""

    async def read(self, scope: Scope, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Read all rows of one statement, from the last committed state."""
        ...

    def write(self, scope: Scope, bounds: Bounds | None, *, first: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """Write in one transaction."""
        ...


class ScopedDatabase(Reader):
    """What `DatabaseAccess` asks for, in some domains."""

    def __init__(self, server: GuardedDatabase, domains: Collection[int]) -> None:
        self._server = server
        self._domains = domains
        self._reading = Scope.reading(domains)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Read all rows of one statement that are of these domains."""
        return await self._server.read(self._reading, sql, parameters)

    def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Write in one transaction what it is bound to, and read these domains beside that; unbound it is for the whole memory."""
        return self._server.write(Scope.writing(bounds, self._domains), bounds, first=first)

    def within(self, domains: Collection[int]) -> "ScopedDatabase":
        """Return the database as it is for some of these domains."""
        return ScopedDatabase(self._server, [*{*domains} & {*self._domains}])

    @property
    def everywhere(self) -> Reader:
        """It for what is asked of the whole memory."""
        return self._server

    async def commits(self) -> int:
        """Return a number that is another one once anything was committed, here or in another process; it counts as no read."""
        return await self._server.commits()

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Bring it about that erased bytes are gone from the disk; return whether they are."""
        return await self._server.checkpoint(patience)


@dataclass(frozen=True, slots=True)
class Everywhere(Reader):
    """A transaction of some domains, for what it asks of the whole memory, by what runs one statement for all of them."""

    ask: Callable[[str, Parameters], Awaitable[list[Row]]]

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await self.ask(sql, parameters or {})
