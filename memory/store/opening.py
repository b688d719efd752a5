"""Opens the store of a memory; the server backend is loaded only when needed."""

from importlib import import_module
from pathlib import Path
from typing import cast

from memory.errors import DatabaseRefused, KeyMissing
from memory.store import home_files
from memory.store.database import Database
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.write_queue import ALONE, FileSharing


async def open_database(path: Path, key: bytes | None, address: DatabaseAddress | None, sharing: FileSharing = ALONE) -> Database:
    """Open or create the database at an address or, without one, the file at `path`; migrate its schema.

    `key` and `sharing` are the file's: see `SqliteDatabase.open`. Raises its errors, and those of
    `PostgresDatabase.open`.
    """
    if address is None:
        return await SqliteDatabase.open(path, key, sharing)
    if home_files.size(path):
        raise DatabaseRefused(
            "[store] names a database, and {path} holds a memory of its own. Use another home for the one in the database "
            "(LYRA_HOME), or take [store] out of the configuration; a move that was cut off goes on with the same "
            "lyra move --to … that began it",
            path=path,
        )
    try:
        postgresql = import_module("memory.store.postgresql.database")
    except ImportError as error:
        raise DatabaseRefused(
            "[store] names a PostgreSQL database, and what talks to it is not installed here: "
            'pip install "lyra-companion[postgresql]"'
        ) from error
    if key is None:
        raise KeyMissing("What is kept in a database is encrypted, and no key was given.")
    return cast(Database, await postgresql.PostgresDatabase.open(address, key, new=not home_files.leftovers(path)))
