"""Moves a memory between a file and a database, leaving the source as it is, and restores a backup into a database.

A move is committed only after all rows were read back. It may be repeated after an interruption: a target with equal rows is
left alone.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from memory.errors import DatabaseRefused, HomeInUse, MemoryUnusable, WrongKey
from memory.ports import Progress
from memory.store import home_files, restoring
from memory.store.database import Parameters, Reader
from memory.store.postgresql.copying import are_equal, copy, is_empty, tables
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.error_translation import another
from memory.store.postgresql.migrating import SEQUENCES, advance_sequences
from memory.store.sqlite.database import SqliteDatabase


@asynccontextmanager
async def into(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> AsyncIterator[int]:
    """Copy the file at `path` into an empty database in one transaction; yield the number of messages.

    The database stays reserved until the block ends. `tell` gets the bytes copied and the total. Raises DatabaseRefused if the
    database holds another memory, HomeInUse if Lyra runs on it, MemoryUnusable if rows do not read back equal, and the errors of
    `PostgresDatabase.open`.
    """
    try:
        opening = await PostgresDatabase.open(address, key)
    except WrongKey as error:
        # A database under another key holds another memory.
        raise another(address) from error
    async with _reserved(opening) as db:
        async with await SqliteDatabase.open(path, key) as file:
            every = await tables(file)
            if not await are_equal(file, db, every):
                await take_over(db, file, tell, only_empty=True)
            messages = await restoring.messages(file)
        yield messages


@asynccontextmanager
async def out_of(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> AsyncIterator[int]:
    """Copy the database into a staged file for `path`, unless a file is there that equals it; yield the number of messages.

    No home can write to the database until the block ends: later messages would be missing in the file. Raises DatabaseRefused if
    the file at `path` holds another memory, HomeInUse, MemoryUnusable, and the errors of `PostgresDatabase.open`.
    """
    async with _reserved(await PostgresDatabase.open(address, key)) as db, db.transaction() as still:
        # This transaction blocks all writers; the server must not end it while it idles.
        await still.one("SELECT set_config('idle_in_transaction_session_timeout', '0', true) AS patient")
        if home_files.size(path):
            async with await SqliteDatabase.open(path, key) as file:
                if not await _holds_what(file, still):
                    raise DatabaseRefused(
                        "{path} holds a memory that is not the one in the database. Move it away first.", path=path
                    )
                messages = await restoring.messages(file)
        else:
            restoring.clear(path)
            await db.copy_to(restoring.staging_path(path), key, tell)
            async with await SqliteDatabase.open(restoring.staging_path(path), key) as file:
                if not await _holds_what(file, still):
                    raise MemoryUnusable("What was written to {address} did not come back as it was.", address=path)
                messages = await restoring.messages(file)
                await file.checkpoint()
        yield messages


async def replace(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> restoring.SupersededMemory | None:
    """Replace the content of the database by the memory staged at `path`, in one transaction; return the file with the old
    content, if any.

    However it is interrupted, the database holds the old memory or the new one, whole. Raises the errors of
    `PostgresDatabase.open`.
    """
    async with (
        await PostgresDatabase.open(address, key) as db,
        await SqliteDatabase.open(restoring.staging_path(path), key) as staged,
    ):
        aside = None
        if await db.one("SELECT id FROM items LIMIT 1"):
            aside = restoring.free_aside(path)
            await db.copy_to(aside, key, lambda *_: None)
            home_files.sync(aside)
        await take_over(db, staged, tell)
    restoring.clear(path)
    return restoring.set_aside_memory(aside) if aside else None


async def take_over(db: PostgresDatabase, file: Reader, tell: Progress, *, only_empty: bool = False) -> None:
    """Replace the content of a database by that of a file, in one transaction, and compare all rows before the commit.

    `tell` gets the progress and the total. Raises MemoryUnusable if a row does not read back equal, DatabaseRefused if the database
    is not empty and `only_empty` is set.
    """
    every = await tables(file)
    async with db.transaction() as tx:

        async def write(insert: str, page: Sequence[Parameters]) -> None:
            await tx.many(insert, page)
            await tx.one("SELECT 1 AS written")

        if only_empty and not await is_empty(tx, every):
            raise another(db.address)
        await tx.one(f"TRUNCATE {', '.join(table.name for table in every)}")
        # The key of a domain may belong to another domain in the file.
        await tx.drop_keys()
        await copy(file, every, write, tell)
        if not await are_equal(file, tx, every):
            raise MemoryUnusable("What was written to {address} did not come back as it was.", address=db.address)
        await advance_sequences(tx)


@asynccontextmanager
async def _reserved(opening: PostgresDatabase) -> AsyncIterator[PostgresDatabase]:
    async with opening as db:
        if not await db.reserve():
            raise HomeInUse("Lyra runs on {address}. End her first, then try again.", address=db.address)
        yield db


async def _holds_what(file: Reader, source: Reader) -> bool:
    """Return whether a file equals a database; where a file has rows of `counters`, a database has sequences."""
    every = [table for table in await tables(file) if table.name != "counters"]
    return await are_equal(source, file, every) and await _counters(source) == await _counters(file)


async def _counters(store: Reader) -> list[tuple[str, int]]:
    rows = await store.all("SELECT name, value FROM counters ORDER BY name")
    return [(row["name"], row["value"]) for row in rows if row["name"] not in SEQUENCES]
