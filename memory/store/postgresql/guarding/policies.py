"""The policies by which the server shows, and lets write, the rows of the domains that a transaction is for, and no others.

They are forced: whoever the tables belong to is held to them as well. A role that is a superuser's, or is told to bypass them, is not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.store.postgresql.address import SCHEMA
from memory.store.postgresql.guarding.scope import ALL, READABLE, WRITABLE
from memory.store.postgresql.pipelined_connection import PipelinedConnection

UNGUARDED: Mapping[str, str] = {
    "migrations": "which steps made the schema, read before anything is known of the memory",
    "sealings": "which columns are sealed, read likewise",
    "processes": "which processes are alive; it holds nothing of a memory",
    "leases": "which process has what of several alike; it holds nothing of a memory",
    "kept_commits": "how far each process was told that it is kept; it holds nothing of a memory",
    "paces": "when the next turn of a name is; it holds nothing of a memory",
}
"""The tables that have no policy, and why."""
_OWNED: Mapping[str, Sequence[str]] = {
    "domains": ["id"],
    # By these a view leaves out what was told elsewhere. They hold numbers alone, and whoever could not see them would show too much.
    "abroad": [],
    "confidences": [],
    "confided": [],
    "data_keys": [],
}
"""The columns that say whose a row is, where that is not `domain` alone; none: whoever says what it is for may see it."""
_NAME = "lyra_1_"
"""How the policies are called that are made here; others are of an earlier version."""
_TABLES = (
    "SELECT c.relname AS name, CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'domain' "
    "AND NOT a.attisdropped) THEN 1 ELSE 0 END AS of_domain, CASE WHEN c.relrowsecurity AND c.relforcerowsecurity AND "
    "(SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND starts_with(p.polname, $2)) = 4 "
    "AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND NOT starts_with(p.polname, $2)) THEN 1 ELSE 0 END AS guarded "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') ORDER BY c.relname"
)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table, the columns that say whose a row of it is, and whether it is guarded as it is to be."""

    name: str
    columns: Sequence[str]
    guarded: bool


async def are_forced(connection: PipelinedConnection) -> bool:
    """Say whether every table that is to be guarded is."""
    return all(table.guarded for table in await _tables(connection))


async def force(connection: PipelinedConnection) -> None:
    """Guard every table that is to be and is not yet."""
    for table in await _tables(connection):
        if not table.guarded:
            old = await connection.rows(
                "SELECT quote_ident(polname) AS name FROM pg_policy WHERE polrelid = CAST($1 AS regclass)",
                [f"{SCHEMA}.{table.name}"],
            )
            dropped = [f"DROP POLICY {policy['name']} ON {table.name}" for policy in old]
            await connection.execute("; ".join([*dropped, *_made(table)]))


async def _tables(connection: PipelinedConnection) -> list[_Table]:
    """Return the tables that are to be guarded."""
    rows = await connection.rows(_TABLES, [SCHEMA, _NAME])
    return [
        _Table(row["name"], _OWNED.get(row["name"], ["domain"] if row["of_domain"] else []), bool(row["guarded"]))
        for row in rows
        if row["name"] not in UNGUARDED
    ]


def _made(table: _Table) -> list[str]:
    columns = table.columns
    may_read, may_write = _among(columns, READABLE), _among(columns, WRITABLE if columns else READABLE)
    conditions = {
        "SELECT": f"USING ({may_read})",
        "INSERT": f"WITH CHECK ({may_write})",
        # What may be read and not written is refused, and not passed over.
        "UPDATE": f"USING ({may_read}) WITH CHECK ({may_write})",
        "DELETE": f"USING ({may_write})",
    }
    return [
        f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        *(f"CREATE POLICY {_NAME}{command.lower()} ON {table.name} FOR {command} {told}" for command, told in conditions.items()),
    ]


def _among(columns: Sequence[str], setting: str) -> str:
    """Return the condition of a row that a setting names its domain; each part of it is found out once a statement."""
    told = f"NULLIF(current_setting('{setting}', true), '')"
    if not columns:
        return f"(SELECT {told} IS NOT NULL)"
    domains = f"(SELECT CAST(NULLIF({told}, '{ALL}') AS BIGINT[]))"
    return " OR ".join([f"(SELECT {told} = '{ALL}')", *(f"{column} = ANY (CAST({domains} AS BIGINT[]))" for column in columns)])
