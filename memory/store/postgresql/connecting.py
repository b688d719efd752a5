"""Connections to a server: how they are opened and configured, and what a server must offer."""

from typing import Any

import psycopg
from psycopg import AsyncRawCursor
from psycopg.conninfo import make_conninfo

from memory.errors import DatabaseRefused
from memory.store.postgresql.database_server import SCHEMA, DatabaseAddress
from memory.store.postgresql.dialect import ADAPTERS, rows
from memory.store.postgresql.pipelined_connection import PipelinedConnection

OLDEST = 16
PATIENCE_SECONDS = 5.0
"""How long to wait for a lock, or for a server that is starting."""
_IDLE_SECONDS = 60
"""After how long the server ends the transaction of a stopped process, which would block others."""


def conninfo(address: DatabaseAddress) -> str:
    """Return the connection string for psycopg."""
    parameters: dict[str, str | int] = {
        "application_name": "lyra", "client_encoding": "utf8", "connect_timeout": int(PATIENCE_SECONDS),
        "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 30_000,
    }  # fmt: skip
    password = address.current_password()
    if password is not None:
        parameters["password"] = password
    if "target_session_attrs" not in address.url:
        # If the URL names several servers, use the primary.
        parameters["target_session_attrs"] = "read-write"
    return make_conninfo(address.url, **parameters)


OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "cursor_factory": AsyncRawCursor,
    "row_factory": rows,
    "context": ADAPTERS,
}
"""Arguments for psycopg, for every connection."""


async def connect(address: DatabaseAddress) -> PipelinedConnection:
    """Open and configure a connection. Raises psycopg.Error."""
    connection = await PipelinedConnection.connect(conninfo(address), **OPTIONS)
    try:
        await set_up(connection)
    except BaseException:
        await connection.close()
        raise
    return connection


async def set_up(connection: PipelinedConnection) -> None:
    """Set the session parameters that every statement relies on."""
    wait = int(PATIENCE_SECONDS * 1000)
    await connection.execute(
        f"SET search_path = {SCHEMA}; SET lock_timeout = {wait}; SET statement_timeout = 0; "
        f"SET idle_in_transaction_session_timeout = {_IDLE_SECONDS * 1000}; SET client_connection_check_interval = 1000; "
        "SET default_transaction_isolation = 'read committed'; SET client_min_messages = 'error'; "
        # Commits must be durable; stricter settings of the server stay.
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )


async def require_fit(connection: PipelinedConnection, address: DatabaseAddress) -> None:
    """Raise DatabaseRefused if a server is too old, or could lose commits."""
    if connection.info.server_version < OLDEST * 10_000:
        raise DatabaseRefused(
            "The server of {address} is PostgreSQL {version}, and a memory takes {oldest} or newer.",
            address=address,
            version=connection.info.server_version // 10_000,
            oldest=OLDEST,
        )
    (row,) = await connection.rows(
        "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, "
        "current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS copy"
    )
    if "off" in (row["fsync"], row["pages"]):
        raise DatabaseRefused(
            "The server of {address} loses what was written when power fails (fsync or full_page_writes is off). "
            "Turn both on, and try again.",
            address=address,
        )
    if row["encoding"] != "UTF8":
        raise DatabaseRefused(
            "The database {address} holds text as {encoding}. Make one that holds UTF8: createdb --encoding UTF8 --template template0",
            address=address,
            encoding=row["encoding"],
        )
    if row["copy"]:
        raise psycopg.errors.ReadOnlySqlTransaction("is in recovery")
