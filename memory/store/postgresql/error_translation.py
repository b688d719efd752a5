"""Translation of psycopg's errors into those of memory, each with a sentence that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from memory.errors import DatabaseAway, DatabaseBusy, DatabaseRefused, DiskFull, MemoryFailure, MemoryUnusable
from memory.store.postgresql.database_server import SCHEMA, DatabaseAddress

_DENIED = ("password authentication failed", "no password supplied", "pg_hba.conf", "authentication failed")
_MISWRITTEN = (
    "invalid URI",
    "invalid percent-encoded",
    "invalid connection option",
    "invalid port number",
    "invalid integer value",
)
_UNSEALED = ("sslmode", "does not support SSL", "certificate")
_FULL = ("too many clients", "too many connections", "remaining connection slots")
_AWAY = ("08", "57P01", "57P02", "57P03", "57P05", "25P03")
_BUSY = ("40001", "40P01", "55P03", "57014", "53")
_BY_A_POLICY = "ExecWithCheckOptions"
"""The function of the server that reports a policy violation; its messages may be in any language."""
_READ_ONLY = ("25006", "session is read-only", "is in recovery", "server is not primary")


@contextmanager
def explained(address: DatabaseAddress) -> Iterator[None]:
    """Translate psycopg's errors into memory's own."""
    try:
        yield
    except psycopg.Error as error:
        raise meaning(error, address) from error


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the connection failed, not a statement."""
    state = error.sqlstate or ""
    if type(error) is psycopg.DatabaseError:
        # psycopg raises this without a state if the server breaks off its answer.
        return not state
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and (not state or state.startswith(_AWAY))


def meaning(error: psycopg.Error, address: DatabaseAddress) -> MemoryFailure:
    """Return an error of psycopg as one of memory, without stored text and without the password."""
    if isinstance(error, psycopg_pool.PoolTimeout) and isinstance(error.__cause__, psycopg.Error):
        return meaning(error.__cause__, address)
    state, said = error.sqlstate or "", str(error)
    if state.startswith("28") or any(words in said for words in _DENIED) or ("role" in said and "does not exist" in said):
        # Whoever is in already waits: a password that is changed in its file is the next connection's.
        return DatabaseAway(
            "The database {address} does not let me in. Check the user and the password that [store] names; where the password is "
            "in an environment variable, start me again once you have changed it.",
            address=address,
        )
    if state == "3D000" or ("database" in said and "does not exist" in said):
        return DatabaseRefused(
            "There is no database {address}. Make it (createdb), or name another as url in [store].", address=address
        )
    if not state and (by_url := _of_the_url(said, address)):
        return by_url
    if state == "42501" and error.diag.source_function == _BY_A_POLICY:
        return DatabaseRefused(
            "The database {address} refused what is not of the conversation that it was written for; nothing of it was kept. "
            "The mistake is in me: please report it.",
            address=address,
        )
    if state == "42501":
        return DatabaseRefused(
            "I may not do that in the database {address}. Give the user that [store] names the rights that "
            "docs/running.md lists, or make it the owner.",
            address=address,
        )
    if state == "53100":
        return DiskFull(
            "The database {address} could not be written: no room is left on its disk. Free some and try again.", address=address
        )
    if any(words in (state, said) or words in said for words in _READ_ONLY):
        # After a failover another server takes writes soon.
        return DatabaseAway(
            "The database {address} takes no writes: it is a copy of another, or was made read-only.", address=address
        )
    if state.startswith(_BUSY):
        return DatabaseBusy("The database {address} is busy with another process. Try again in a moment.", address=address)
    if isinstance(error, psycopg_pool.PoolTimeout) or is_lost(error):
        return away(address)
    reason = f"{type(error).__name__} {state}".strip()
    return MemoryUnusable("The memory at {path} could not be used: {reason}.", path=address, reason=reason)


def _of_the_url(said: str, address: DatabaseAddress) -> MemoryFailure | None:
    """Return the error of a connection that its URL makes impossible, None if it is another error."""
    if any(words in said for words in _MISWRITTEN):
        return DatabaseRefused(
            'The url of the database {address} has a part that PostgreSQL does not know. Write it like "postgresql://lyra@127.0.0.1/lyra".',
            address=address,
        )
    if any(words in said for words in _UNSEALED):
        return DatabaseRefused(
            "The connection to the database {address} cannot be encrypted as its url asks. Check sslmode and the certificates "
            "that the url names, and that the server offers TLS.",
            address=address,
        )
    if any(words in said for words in _FULL):
        return DatabaseAway(
            "The database {address} has no connection left for me. End what holds them, or raise max_connections, then try again.",
            address=address,
        )
    return None


def away(address: DatabaseAddress) -> DatabaseAway:
    """Return the error for a server that does not answer."""
    return DatabaseAway("The database {address} cannot be reached now. Check that it runs, then try again.", address=address)


def another(address: DatabaseAddress) -> DatabaseRefused:
    """Return the error for writing a memory into a database that holds another one."""
    return DatabaseRefused(
        "{address} holds a memory that is not this one. Name an empty database, or, where nobody needs what is there, "
        "empty it with: DROP SCHEMA {schema} CASCADE",
        address=address,
        schema=SCHEMA,
    )
