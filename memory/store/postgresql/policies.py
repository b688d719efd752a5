"""Row level security: policies by which a transaction can only read and write rows of the domains in its scope.

They are forced, so that they also apply to the owner of the tables; they do not apply to superusers and roles with BYPASSRLS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.store.postgresql.address import SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.scope import ALL, READABLE, WRITABLE

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


async def are_forced(connection: PipelinedConnection) -> bool:
    """Return whether the policies of all tables are up to date."""
    return all(table.guarded for table in await _tables(connection))


async def force(connection: PipelinedConnection) -> None:
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
