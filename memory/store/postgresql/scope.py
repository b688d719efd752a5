"""Row level security: the scope of a transaction, its locks, and the policies that hold it to the domains in its scope.

Policies are forced, so that they also apply to the owner of the tables; they do not apply to superusers and roles with BYPASSRLS.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

from memory.store.bounds import Bounds, Key
from memory.store.database import Parameters, Reader, Row, Transaction
from memory.store.postgresql.database_server import LOCK, SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step

if TYPE_CHECKING:
    from memory.store.postgresql.database import PostgresDatabase

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
    return (await connection.round_trip([(SET_SCOPE, scope.parameters), (sql, given)]))[-1]


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


class ScopedDatabase(Reader):
    """A database limited to some domains."""

    def __init__(self, server: "PostgresDatabase", domains: Collection[int]) -> None:
        self._server = server
        self._domains = domains
        self._reading = Scope.reading(domains)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        return await self._server.read(self._reading, sql, parameters)

    def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open a write transaction that writes its bounds and also reads these domains; without bounds, the whole memory."""
        return self._server.write(Scope.writing(bounds, self._domains), bounds, first=first)

    def within(self, domains: Collection[int]) -> "ScopedDatabase":
        """Return the database limited to those of these domains that it has already."""
        return ScopedDatabase(self._server, [*{*domains} & {*self._domains}])

    @property
    def everywhere(self) -> Reader:
        return self._server

    async def commits(self) -> int:
        return await self._server.commits()

    async def checkpoint(self, patience: float = 2.0) -> bool:
        return await self._server.checkpoint(patience)


@dataclass(frozen=True, slots=True)
class Everywhere(Reader):
    """A reader of the whole memory; `ask` runs a statement for all domains."""

    ask: Callable[[str, Parameters], Awaitable[list[Row]]]

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        return await self.ask(sql, parameters or {})


UNGUARDED: Mapping[str, str] = {
    "migrations": "the migrations applied, read before anything is known of the memory",
    "sealings": "which columns are encrypted, read before that as well",
    "processes": "living processes; no content of the memory",
    "leases": "leases of processes; no content of the memory",
    "kept_commits": "the numbers of confirmed commits; no content of the memory",
    "paces": "shared rate limits; no content of the memory",
}
"""The tables without policies, and why."""
_OWNED: Mapping[str, Sequence[str]] = {
    "domains": ["id"],
    # Views leave out items by these. They hold only numbers, and a view that did not see them would show too much.
    "abroad": [],
    "confidences": [],
    "confided": [],
    "heeded": [],
    "data_keys": [],
}
"""The columns with the domain of a row, if it is not `domain`; empty: any transaction with a scope may read it."""
_NAME = "lyra_1_"
"""The prefix of policies of the present version."""
_TABLES = (
    "SELECT c.relname AS name, CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'domain' "
    "AND NOT a.attisdropped) THEN 1 ELSE 0 END AS of_domain, CASE WHEN c.relrowsecurity AND c.relforcerowsecurity AND "
    "(SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND starts_with(p.polname, $2)) = 4 "
    "AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND NOT starts_with(p.polname, $2)) THEN 1 ELSE 0 END AS guarded "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') ORDER BY c.relname"
)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table, the columns with the domain of a row, and whether its policies are up to date."""

    name: str
    columns: Sequence[str]
    guarded: bool


async def are_policies_forced(connection: PipelinedConnection) -> bool:
    """Return whether the policies of all tables are up to date."""
    return all(table.guarded for table in await _tables(connection))


async def force_policies(connection: PipelinedConnection) -> None:
    """Create missing policies, replacing those of earlier versions."""
    for table in await _tables(connection):
        if not table.guarded:
            old = await connection.rows(
                "SELECT quote_ident(polname) AS name FROM pg_policy WHERE polrelid = CAST($1 AS regclass)",
                [f"{SCHEMA}.{table.name}"],
            )
            dropped = [f"DROP POLICY {policy['name']} ON {table.name}" for policy in old]
            await connection.execute("; ".join([*dropped, *_policy_statements(table)]))


async def _tables(connection: PipelinedConnection) -> list[_Table]:
    """Return the tables that need policies."""
    rows = await connection.rows(_TABLES, [SCHEMA, _NAME])
    return [
        _Table(row["name"], _OWNED.get(row["name"], ["domain"] if row["of_domain"] else []), bool(row["guarded"]))
        for row in rows
        if row["name"] not in UNGUARDED
    ]


def _policy_statements(table: _Table) -> list[str]:
    columns = table.columns
    may_read, may_write = _among(columns, READABLE), _among(columns, WRITABLE if columns else READABLE)
    conditions = {
        "SELECT": f"USING ({may_read})",
        "INSERT": f"WITH CHECK ({may_write})",
        # Updating a row that may only be read is an error, not a no-op.
        "UPDATE": f"USING ({may_read}) WITH CHECK ({may_write})",
        "DELETE": f"USING ({may_write})",
    }
    return [
        f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        *(f"CREATE POLICY {_NAME}{command.lower()} ON {table.name} FOR {command} {told}" for command, told in conditions.items()),
    ]


def _among(columns: Sequence[str], setting: str) -> str:
    """Return the condition that a setting contains the domain of a row; its subselects are evaluated once per statement."""
    value = f"NULLIF(current_setting('{setting}', true), '')"
    if not columns:
        return f"(SELECT {value} IS NOT NULL)"
    domains = f"(SELECT CAST(NULLIF({value}, '{ALL}') AS BIGINT[]))"
    return " OR ".join([f"(SELECT {value} = '{ALL}')", *(f"{column} = ANY (CAST({domains} AS BIGINT[]))" for column in columns)])
