"""The tables by which processes share a memory. They hold nothing of it, and do not move with it."""

from memory.store.postgresql.address import SCHEMA
from memory.store.postgresql.connection import Connection

_TABLES = (
    'CREATE TABLE IF NOT EXISTS processes (name TEXT COLLATE "C" PRIMARY KEY, role TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)',
    'CREATE TABLE IF NOT EXISTS leases (name TEXT COLLATE "C" NOT NULL, unit BIGINT NOT NULL, units BIGINT NOT NULL, '
    'holder TEXT COLLATE "C" NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (name, unit))',
    'CREATE TABLE IF NOT EXISTS paces (name TEXT COLLATE "C" PRIMARY KEY, next DOUBLE PRECISION NOT NULL)',
)
_LAST = "paces"


async def make(connection: Connection) -> None:
    """Make them where they are not there yet."""
    await connection.execute(";\n".join(_TABLES))


async def are_there(connection: Connection) -> bool:
    """Say whether they were made."""
    row = await (await connection.execute("SELECT to_regclass($1) AS there", [f"{SCHEMA}.{_LAST}"])).fetchone()
    return row is not None and row["there"] is not None
