"""Translation of SQLite's and SQLCipher's errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlcipher

from localization.sentences import lazy
from memory.errors import DatabaseBusy, DiskFull, MemoryFailure, NotADatabase, NotWritable, WrongKey


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Translate both libraries' errors into memory's own."""
    try:
        yield
    except (sqlite3.Error, sqlcipher.Error) as error:
        raise _meaning(str(error).lower(), path) from error


def _meaning(message: str, path: Path) -> MemoryFailure:
    if "locked" in message or "busy" in message:
        return DatabaseBusy(lazy("The memory at {path} is busy with another process. Try again in a moment.", path=path))
    if "full" in message or "disk i/o error" in message:
        return DiskFull(
            lazy("The memory at {path} could not be written: no room is left on that disk. Free some and try again.", path=path)
        )
    if "readonly" in message or "unable to open" in message:
        return NotWritable(
            lazy("The memory at {path} cannot be opened for writing. Check that folder and its permissions.", path=path)
        )
    if "not a database" in message or "malformed" in message or "encrypted" in message:
        return WrongKey(
            lazy(
                "The key does not open the memory at {path}, or that file is damaged. "
                "Put back the key it was made with, or restore a backup with: lyra restore FILE",
                path=path,
            )
        )
    return NotADatabase(lazy("The memory at {path} could not be used: {reason}.", path=path, reason=message))
