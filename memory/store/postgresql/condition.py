"""How a server is that keeps a memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from memory.store.database import Reader


@dataclass(frozen=True, slots=True)
class ServerCondition:
    """The version of a server, whether a commit waits for a copy as well, and how many connections are used of how many.

    `fsync`, `full_page_writes` and `synchronous_commit` are what its settings of that name say, for connections of hers.
    """

    version: str
    has_copies: bool
    used: int
    most: int
    fsync: str
    full_page_writes: str
    synchronous_commit: str


@dataclass(frozen=True, slots=True)
class Standby:
    """A copy of a server that follows it: how it is called, and how many bytes it is behind, None where that is not hers to see."""

    name: str
    behind: int | None


class RowGuard(Enum):
    """Whether the server itself shows and takes only what is of the domains that something is for."""

    FORCED = "forced"
    OWN = "own"
    """It does; whoever she signs in as owns the tables, and so may take that away."""
    PASSED = "passed"
    """It does not: whoever she signs in as is a superuser, or told to bypass it."""


async def condition(db: Reader) -> ServerCondition:
    """Ask the server how it is."""
    row = await db.one(
        "SELECT split_part(current_setting('server_version'), ' ', 1) AS version, "
        "CASE WHEN current_setting('synchronous_standby_names') <> '' THEN 1 ELSE 0 END AS copies, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used, "
        "CAST(current_setting('max_connections') AS BIGINT) AS most, current_setting('fsync') AS fsync, "
        "current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS waits"
    )
    assert row is not None
    return ServerCondition(
        row["version"], bool(row["copies"]), row["used"], row["most"], row["fsync"], row["pages"], row["waits"]
    )


async def standbys(db: Reader) -> Sequence[Standby]:
    """Ask the server which copies follow it, and how far behind each is."""
    rows = await db.all(
        "SELECT coalesce(application_name, '') AS name, CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), "
        "coalesce(replay_lsn, flush_lsn, write_lsn, sent_lsn)) AS BIGINT) AS behind FROM pg_stat_replication ORDER BY pid"
    )
    return [Standby(row["name"], row["behind"]) for row in rows]


async def guard(db: Reader) -> RowGuard:
    """Ask the server whether it holds her to the policies of the tables."""
    row = await db.one(
        "SELECT CASE WHEN r.rolsuper OR r.rolbypassrls THEN 1 ELSE 0 END AS passes, CASE WHEN EXISTS (SELECT 1 FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relowner = r.oid) THEN 1 ELSE 0 END AS owns "
        "FROM pg_roles r WHERE r.rolname = current_user"
    )
    assert row is not None
    return RowGuard.PASSED if row["passes"] else RowGuard.OWN if row["owns"] else RowGuard.FORCED


async def unwritable(db: Reader) -> Sequence[str]:
    """Ask the server which tables and sequences she may not fully use, by name: what is written there would be refused."""
    rows = await db.all(
        "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND "
        "CASE WHEN c.relkind = 'S' THEN NOT (has_sequence_privilege(c.oid, 'USAGE') AND has_sequence_privilege(c.oid, 'SELECT')) "
        "ELSE c.relkind = 'r' AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') "
        "AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) END ORDER BY c.relname"
    )
    return [row["name"] for row in rows]
