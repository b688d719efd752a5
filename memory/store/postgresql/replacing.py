"""Puts a memory that was read from a backup in the place of the one that a server keeps."""

from collections.abc import Sequence
from pathlib import Path

from localization.sentences import lazy
from memory.errors import NotADatabase
from memory.ports import Progress
from memory.store import home_files, restoring
from memory.store.database import Parameters, Reader
from memory.store.postgresql import numbering
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.copying import copy, is_empty, same, tables
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.error_translation import another
from memory.store.sqlite.database import SqliteDatabase


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
