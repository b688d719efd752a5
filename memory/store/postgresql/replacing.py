"""Puts a memory that was read from a backup in the place of the one that a server keeps."""

from pathlib import Path

from memory.ports import Progress
from memory.store import home_files, restoring
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
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
        await db.take_over(staged, tell)
    restoring.clear(path)
    return restoring.kept(aside) if aside else None
