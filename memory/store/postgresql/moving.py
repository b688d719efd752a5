"""Moves a memory from a file into a database, or from there into a file, the first of which stays as it was; puts a backup in its place.

Nothing of it counts until all of it is there and was read back row by row. What was cut off behind that is recognized by its rows:
a target that holds the same is done.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from localization.sentences import lazy
from memory.errors import DatabaseRefused, HomeInUse, NotADatabase, WrongKey
from memory.ports import Progress
from memory.store import home_files, restoring
from memory.store.database import Parameters, Reader
from memory.store.postgresql import numbering
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.copying import copy, is_empty, same, tables
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.error_translation import another
from memory.store.sqlite.database import SqliteDatabase


@asynccontextmanager
async def into(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> AsyncIterator[int]:
    """Have an empty database hold what the file at `path` holds, in one transaction; give how many messages that is.

    Nobody else runs her on it before the block ends. `tell` is told how many bytes of how many. Raises DatabaseRefused where the database holds something else, HomeInUse where
    somebody runs Lyra on it, NotADatabase where it does not read back, and the errors of `PostgresDatabase.open`.
    """
    try:
        opening = await PostgresDatabase.open(address, key)
    except WrongKey as error:
        # Sealed with another key, it holds another memory.
        raise another(address) from error
    async with _reserved(opening) as db:
        async with await SqliteDatabase.open(path, key) as file:
            every = await tables(file)
            if not await same(file, db, every):
                await take_over(db, file, tell, only_empty=True)
            messages = await restoring.messages(file)
        yield messages


@asynccontextmanager
async def out_of(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> AsyncIterator[int]:
    """Have a file at `path`, or staged for it where none is, hold what the database holds; give how many messages that is.

    Nobody writes to the database before the block ends, from whichever home: what is said there would be in no file.
    Raises DatabaseRefused where the file is there and holds something else, HomeInUse, NotADatabase, and the errors of
    `PostgresDatabase.open`.
    """
    async with _reserved(await PostgresDatabase.open(address, key)) as db, db.transaction() as still:
        # It lets nobody write, and the server must not end it while it waits for the copy.
        await still.one("SELECT set_config('idle_in_transaction_session_timeout', '0', true) AS patient")
        if home_files.size(path):
            async with await SqliteDatabase.open(path, key) as file:
                if not await _holds_what(file, still):
                    raise DatabaseRefused(
                        lazy("{path} holds a memory that is not the one in the database. Move it away first.", path=path)
                    )
                messages = await restoring.messages(file)
        else:
            restoring.clear(path)
            await db.copy_to(restoring.staged(path), key, tell)
            async with await SqliteDatabase.open(restoring.staged(path), key) as file:
                if not await _holds_what(file, still):
                    raise NotADatabase(lazy("What was written to {address} did not come back as it was.", address=path))
                messages = await restoring.messages(file)
                await file.checkpoint()
        yield messages


async def replace(address: DatabaseAddress, path: Path, key: bytes, tell: Progress) -> restoring.SupersededMemory | None:
    """Have the database hold what is staged at `path`, in one transaction; return the file that what it held is kept in, if anything.

    Whenever it is cut off, the database holds the old memory or the new one, whole. Raises the errors of `PostgresDatabase.open`.
    """
    async with await PostgresDatabase.open(address, key) as db, await SqliteDatabase.open(restoring.staged(path), key) as staged:
        aside = None
        if await db.one("SELECT id FROM items LIMIT 1"):
            aside = restoring.free_aside(path)
            await db.copy_to(aside, key, lambda *_: None)
            home_files.sync(aside)
        await take_over(db, staged, tell)
    restoring.clear(path)
    return restoring.kept(aside) if aside else None


async def take_over(db: PostgresDatabase, file: Reader, tell: Progress, *, only_empty: bool = False) -> None:
    """Have a database hold what a memory in a file holds and nothing else, in one transaction, read back row by row before it counts.

    `tell` is told how many rows of how many. Raises NotADatabase where a row does not come back as it was, DatabaseRefused
    where something is held and it may be taken over `only_empty`.
    """
    every = await tables(file)
    async with db.transaction() as tx:

        async def write(insert: str, page: Sequence[Parameters]) -> None:
            await tx.many(insert, page)
            await tx.one("SELECT 1 AS written")

        if only_empty and not await is_empty(tx, every):
            raise another(db.address)
        await tx.one(f"TRUNCATE {', '.join(table.name for table in every)}")
        # A domain's number may be another one's there.
        await tx.drop_keys()
        await copy(file, every, write, tell)
        if not await same(file, tx, every):
            raise NotADatabase(lazy("What was written to {address} did not come back as it was.", address=db.address))
        await numbering.take_over(tx)


@asynccontextmanager
async def _reserved(opening: PostgresDatabase) -> AsyncIterator[PostgresDatabase]:
    async with opening as db:
        if not await db.reserve():
            raise HomeInUse(lazy("Lyra runs on {address}. End her first, then try again.", address=db.address))
        yield db


async def _holds_what(file: Reader, source: Reader) -> bool:
    """Say whether a file holds what a database does; a file numbers by rows what a database numbers by sequences."""
    every = [table for table in await tables(file) if table.name != "counters"]
    return await same(source, file, every) and await _counted(source) == await _counted(file)


async def _counted(store: Reader) -> list[tuple[str, int]]:
    rows = await store.all("SELECT name, value FROM counters ORDER BY name")
    return [(row["name"], row["value"]) for row in rows if row["name"] not in numbering.KINDS]
