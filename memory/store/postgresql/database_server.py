"""A PostgreSQL server: its address, shown without user name and password, and its status: settings, standbys and privileges."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

from memory.store.database import Reader

SCHEMA = "lyra"
"""The schema of a memory within its database; other schemas are left alone."""
LOCK = 1_819_898_465
"""The first key of all advisory locks."""
CHANNEL = "lyra"
"""The channel of notifications between processes."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A database by its URL, "postgresql://name@host/database".

    The password may be in the URL, given separately, or in a file that is read for each connection; it is never shown.
    """

    url: str = field(repr=False)
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = None

    def current_password(self) -> str | None:
        """Return the password for the next connection, None if there is none."""
        if self.password_file is not None:
            with suppress(OSError, UnicodeDecodeError):
                return self.password_file.read_text("utf-8").strip()
        return self.password

    def __str__(self) -> str:
        """Return the address without user name and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The version of a server, whether commits wait for a standby, and how many of its connections are in use.

    `fsync`, `full_page_writes` and `synchronous_commit` are the settings of these names on Lyra's connections.
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
    """A standby: its name, and its lag in bytes, None if Lyra may not see it."""

    name: str
    behind: int | None


class RowGuard(Enum):
    """Whether row level security limits Lyra to the domains of each transaction."""

    FORCED = "forced"
    OWN = "own"
    """It does, but her role owns the tables and could disable it."""
    PASSED = "passed"
    """It does not: her role is a superuser or has BYPASSRLS."""


async def server_status(db: Reader) -> ServerStatus:
    """Return the status of the server."""
    row = await db.one(
        "SELECT split_part(current_setting('server_version'), ' ', 1) AS version, "
        "CASE WHEN current_setting('synchronous_standby_names') <> '' THEN 1 ELSE 0 END AS copies, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used, "
        "CAST(current_setting('max_connections') AS BIGINT) AS most, current_setting('fsync') AS fsync, "
        "current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS waits"
    )
    assert row is not None
    return ServerStatus(row["version"], bool(row["copies"]), row["used"], row["most"], row["fsync"], row["pages"], row["waits"])


async def standbys(db: Reader) -> Sequence[Standby]:
    """Return the standbys of the server."""
    rows = await db.all(
        "SELECT coalesce(application_name, '') AS name, CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), "
        "coalesce(replay_lsn, flush_lsn, write_lsn, sent_lsn)) AS BIGINT) AS behind FROM pg_stat_replication ORDER BY pid"
    )
    return [Standby(row["name"], row["behind"]) for row in rows]


async def row_guard(db: Reader) -> RowGuard:
    """Return whether the policies of the tables apply to Lyra's role."""
    row = await db.one(
        "SELECT CASE WHEN r.rolsuper OR r.rolbypassrls THEN 1 ELSE 0 END AS passes, CASE WHEN EXISTS (SELECT 1 FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relowner = r.oid) THEN 1 ELSE 0 END AS owns "
        "FROM pg_roles r WHERE r.rolname = current_user"
    )
    assert row is not None
    return RowGuard.PASSED if row["passes"] else RowGuard.OWN if row["owns"] else RowGuard.FORCED


async def unwritable(db: Reader) -> Sequence[str]:
    """Return the names of tables and sequences for which Lyra's role lacks a privilege that it needs."""
    rows = await db.all(
        "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND "
        "CASE WHEN c.relkind = 'S' THEN NOT (has_sequence_privilege(c.oid, 'USAGE') AND has_sequence_privilege(c.oid, 'SELECT')) "
        "ELSE c.relkind = 'r' AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') "
        "AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) END ORDER BY c.relname"
    )
    return [row["name"] for row in rows]
