"""Connections to a file with its key and pragmas, one-off uses of one, and what both libraries' errors mean."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import cast

from sqlcipher3 import dbapi2 as sqlcipher

from memory.errors import DatabaseBusy, DiskFull, MemoryFailure, MemoryUnusable, NotWritable, WrongKey
from memory.store import home_files
from memory.store.cancellation import uncancelled
from memory.store.sqlite.transaction import Connection

BUSY_TIMEOUT_MS = 5_000
COMMON = ("foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}", "mmap_size=0", "temp_store=MEMORY")
# Pages are decrypted once and then cached: 16 and 32 MB of them.
WRITER = ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", *COMMON, "cache_size=-16000")
READER = (*COMMON, "query_only=ON", "cache_size=-32000")


async def connect(path: Path, key: bytes | None, pragmas: Sequence[str]) -> Connection:
    """Open a file, creating it if needed, and return a connection with its own thread and these pragmas."""
    # Opened before aiosqlite gets it: a failed connection's thread outlives this call, and may outlive the loop.
    file = await asyncio.to_thread(opened, path, key)
    connection = Connection(lambda: file, iter_chunk_size=64)
    try:
        await connection
        await set_pragmas(connection, *pragmas)
    except BaseException:
        await uncancelled(connection.close())
        raise
    return connection


def opened(path: Path, key: bytes | None, how: str = "mode=rwc") -> sqlite3.Connection:
    """Open a connection with the URI parameters `how`; a wrong key only shows at the first read."""
    where = f"{path.absolute().as_uri()}?{how}"
    if key is None:
        plain = sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False, cached_statements=1024)
        plain.row_factory = sqlite3.Row
        return plain
    sealed = sqlcipher.connect(where, uri=True, isolation_level=None, check_same_thread=False, cached_statements=1024)
    sealed.row_factory = sqlcipher.Row
    sealed.execute("PRAGMA cipher_log_level=NONE").fetchall()
    sealed.execute(f"PRAGMA key=\"x'{key.hex()}'\"").fetchall()
    return cast(sqlite3.Connection, sealed)


async def set_pragmas(connection: Connection, *pragmas: str) -> None:
    """Set pragmas, each "name=value", in order."""
    await connection.step(partial(_set, pragmas))


def _set(pragmas: Sequence[str], connection: sqlite3.Connection) -> None:
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").fetchall()


def opens(path: Path, key: bytes) -> bool:
    """Return whether a key opens an existing file, without changing it or leaving anything beside it."""
    if not home_files.size(path):
        return False
    written = home_files.size(path.with_name(f"{path.name}-wal"))
    try:
        with closing(opened(path, key, "mode=ro" if written else "immutable=1")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except (sqlite3.Error, sqlcipher.Error):
        return False
    return True


def rekey(path: Path, old: bytes, new: bytes) -> None:
    """Re-encrypt a file that nobody else has open, page by page. Raises the errors of `SqliteDatabase.open`."""
    with explained(path), closing(opened(path, old)) as connection:
        # A WAL could not be written with the other key.
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()
        connection.execute(f"PRAGMA rekey=\"x'{new.hex()}'\"").fetchall()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Translate both libraries' errors into memory's own."""
    try:
        yield
    except (sqlite3.Error, sqlcipher.Error) as error:
        raise _meaning(str(error).lower(), path) from error


def _meaning(message: str, path: Path) -> MemoryFailure:
    if "locked" in message or "busy" in message:
        return DatabaseBusy("The memory at {path} is busy with another process. Try again in a moment.", path=path)
    if "full" in message or "disk i/o error" in message:
        return DiskFull(
            "The memory at {path} could not be written: no room is left on that disk. Free some and try again.", path=path
        )
    if "readonly" in message or "unable to open" in message:
        return NotWritable("The memory at {path} cannot be opened for writing. Check that folder and its permissions.", path=path)
    if "not a database" in message or "malformed" in message or "encrypted" in message:
        return WrongKey(
            "The key does not open the memory at {path}, or that file is damaged. "
            "Put back the key it was made with, or restore a backup with: lyra restore FILE",
            path=path,
        )
    return MemoryUnusable("The memory at {path} could not be used: {reason}.", path=path, reason=message)
