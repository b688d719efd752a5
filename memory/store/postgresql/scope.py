"""Scopes: the domains that a transaction may read and write, enforced by the server's policies, and the locks on them."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, Self

from memory.store.bounds import Bounds, Key
from memory.store.database import DatabaseAccess, Parameters, Reader, Row, Transaction
from memory.store.postgresql.address import LOCK, SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step

READABLE, WRITABLE = "lyra.domains", "lyra.writes"
"""The settings that hold the domains until the end of a transaction."""
ALL = "*"
"""Their value for the whole memory: for the journal, forgetting and maintenance."""
SETTINGS = f"set_config('{READABLE}', $1, true), set_config('{WRITABLE}', $2, true)"
SET_SCOPE = f"SELECT {SETTINGS}"
"""Sets the scope for the rest of a transaction; its parameters are `Scope.parameters`."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Domains as array literals, '' for none."""

    reads: str
    writes: str

    @classmethod
    def reading(cls, domains: Collection[int]) -> Self:
        """Return the scope that reads these domains and writes nothing."""
        return cls(_array(domains), "")

    @classmethod
    def writing(cls, bounds: Bounds | None, beside: Collection[int] | None = None) -> Self:
        """Return the scope of a transaction with these bounds that also reads the domains `beside`.

        It is the whole memory if there are no bounds, or if they write no domain and `beside` is None.
        """
        writes, rests_on = (_domains(bounds.writes), _domains(bounds.rests_on)) if bounds else ([], [])
        if bounds is None or (beside is None and not writes):
            return cls(ALL, ALL)
        return cls(_array({*writes, *rests_on, *(beside or ())}), _array(writes))

    @property
    def parameters(self) -> Sequence[str]:
        """The parameters of `SET_SCOPE`: the domains to read, and those to write."""
        return (self.reads, self.writes)


WHOLE = Scope(ALL, ALL)
"""Reads and writes the whole memory."""
READING_ALL = Scope(ALL, "")
"""Reads the whole memory, and writes no domain."""


async def query(connection: PipelinedConnection, scope: Scope, sql: str, given: Sequence[object] = ()) -> list[Row]:
    """Run one statement within a scope and return all its rows.

    Both go in one trip, which is a transaction of its own unless one is open.
    """
    return (await connection.trip([(SET_SCOPE, scope.parameters), (sql, given)]))[-1]


def _domains(keys: Collection[Key]) -> list[int]:
    return [key for key in keys if isinstance(key, int)]


def _array(domains: Collection[int]) -> str:
    return f"{{{','.join(map(str, sorted(domains)))}}}" if domains else ""


_LOCK = "SELECT pg_advisory_xact_lock(CAST($1 AS BIGINT))"
_SHARED = "SELECT pg_advisory_xact_lock_shared(CAST($1 AS BIGINT))"
_ALONE, _BESIDE = (f"SELECT pg_advisory_xact_lock{how}({LOCK}, 0), {SETTINGS}" for how in ("", "_shared"))
"""The lock on the memory and the scope, in one statement."""


def beginning(bounds: Bounds | None, scope: Scope) -> list[Step]:
    """Return the statements that begin a transaction within a scope and lock what it is bound to.

    Locks are taken in one order everywhere, so that there are no deadlocks.
    """
    if bounds is None:
        return [("BEGIN", ()), (_ALONE, scope.parameters)]
    locks = {_number(key): _SHARED for key in bounds.rests_on} | {_number(key): _LOCK for key in bounds.writes}
    return [("BEGIN", ()), (_BESIDE, scope.parameters), *((locks[number], (number,)) for number in sorted(locks))]


def _number(key: Key) -> int:
    """Return the key of the advisory lock for a domain or name; on a collision, both share a lock."""
    return int.from_bytes(blake2b(f"{SCHEMA} {key!r}".encode(), digest_size=8).digest(), signed=True)


class GuardedDatabase(DatabaseAccess, Protocol):
    """A database that takes a scope with each statement."""

    async def read(self, scope: Scope, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement on the last committed state and return all its rows."""
        ...

    def write(self, scope: Scope, bounds: Bounds | None, *, first: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """Open a write transaction."""
        ...


class ScopedDatabase(Reader):
    """A database limited to some domains."""

    def __init__(self, server: GuardedDatabase, domains: Collection[int]) -> None:
        self._server = server
        self._domains = domains
        self._reading = Scope.reading(domains)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows of these domains."""
        return await self._server.read(self._reading, sql, parameters)

    def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open a write transaction that writes its bounds and also reads these domains; without bounds, the whole memory."""
        return self._server.write(Scope.writing(bounds, self._domains), bounds, first=first)

    def within(self, domains: Collection[int]) -> "ScopedDatabase":
        """Return the database limited to those of these domains that it has already."""
        return ScopedDatabase(self._server, [*{*domains} & {*self._domains}])

    @property
    def everywhere(self) -> Reader:
        """The database for questions about the whole memory."""
        return self._server

    async def commits(self) -> int:
        """Return a number that changes with every commit, here or in another process; it is not counted as a read."""
        return await self._server.commits()

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Make sure that erased bytes are gone from the disk; return whether they are."""
        return await self._server.checkpoint(patience)


@dataclass(frozen=True, slots=True)
class Everywhere(Reader):
    """A transaction for questions about the whole memory; `ask` runs a statement for all domains."""

    ask: Callable[[str, Parameters], Awaitable[list[Row]]]

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement for all domains and return all its rows."""
        return await self.ask(sql, parameters or {})
