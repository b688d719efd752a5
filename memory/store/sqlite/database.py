"""The one file everything lives in: an encrypted SQLite database behind two connections.

One connection writes; it also reads where nobody writes and it takes less than two milliseconds, in the event loop's thread. The
other one reads all else. A transaction begins with BEGIN IMMEDIATE inside the `try`, with its first statement, so that a cancelled task always meets the
rollback, and its commit or rollback runs to its end before the writer is free again: cancelling an await does not cancel the
statement that aiosqlite has already queued. Reads fetch everything at once, because a half-read cursor blocks the checkpoint; a
read of the other connection that is cancelled is interrupted, so that the next one does not wait for it.

The page cipher is SQLCipher with a raw 32-byte key. Without a key the same schema and statements run on plain SQLite, which
tests use to look at bytes.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Self

from memory.errors import ForeignLog, WrongKey
from memory.ports import Progress
from memory.store import home_files
from memory.store.bounds import Bounds
from memory.store.cancellation import uncancelled
from memory.store.database import Parameters, Reader, Row, Transaction
from memory.store.file_locks import FileHolders
from memory.store.peers import Peers
from memory.store.sqlite import wal
from memory.store.sqlite.connecting import BUSY_TIMEOUT_MS, COMMON, READER, WRITER, connect, explained, opened, set_pragmas
from memory.store.sqlite.migrating import migrate
from memory.store.sqlite.transaction import Connection, FileIdentity, SqliteTransaction
from memory.store.sqlite.write_queue import ALONE, FileSharing, WriteQueue
from memory.store.transaction_gate import TransactionGate

_CHECKPOINT_TIMEOUT_MS = 50
_PAGES = 1_000
"""Pages copied between two progress calls."""
_CHECKPOINT_PAUSE_SECONDS = 0.05


class SqliteDatabase(Reader):
    """An open database. Use `SqliteDatabase.open`; close it, or leave the `async with`."""

    def __init__(self, path: Path, writer: Connection, reader: Connection, queue: WriteQueue) -> None:
        self.path = path
        self._log = wal.log_of(path)
        self._file = FileIdentity(path)
        self._writer = writer
        self._reader = reader
        self._writing = TransactionGate(1)
        self._queue = queue
        self._reading = asyncio.Lock()
        self._closed = False
        self.peers: Peers | None = None
        self.outdated, self.hurried = asyncio.Event(), asyncio.Event()
        self.reads = self.transactions = 0

    @classmethod
    async def open(cls, path: Path, key: bytes | None, sharing: FileSharing = ALONE) -> Self:
        """Open or create the file, migrate its schema, and return the database.

        `key` is 32 raw bytes, None for plain SQLite. Only the owner can read the file afterwards. Raises WrongKey, ForeignLog, NewerDatabase, MemoryUnusable,
        NotWritable, DiskFull, DatabaseBusy.
        """
        with explained(path):
            await asyncio.to_thread(cls._prepare, path, key)
            writer = await connect(path, key, WRITER)
            try:
                await set_pragmas(writer, f"wal_autocheckpoint={1000 if sharing.checkpoints else 0}")
                await migrate(writer)
                reader = await connect(path, key, READER)
                return cls(path, writer, reader, WriteQueue(wal.log_of(path), sharing))
            except BaseException:
                await uncancelled(writer.close())
                raise

    @staticmethod
    def _prepare(path: Path, key: bytes | None) -> None:
        # SQLite gives the files beside a database its permissions. If the file cannot be created, SQLite says why.
        with suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        real = Path(os.path.realpath(path))
        home_files.make_private(real, *home_files.companions(real))
        if not wal.is_own(path, partial(opened, path, key)):
            log = wal.log_of(path)
            raise ForeignLog(
                "{log} does not belong to the memory at {path}, so nothing was opened and nothing was changed. Put back "
                "the one of the two that was exchanged; or move {name} away, or restore a backup with: lyra restore FILE",
                log=log,
                path=path,
                name=log.name,
            )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def hurry(self) -> None:
        """Set `hurried`; a file is never out of reach."""
        self.hurried.set()

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        async with self._writing.turn(), self._reading:
            try:
                await uncancelled(self._reader.close())
            finally:
                self._queue.close()
                await uncancelled(self._writer.close())

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
        """Open a write transaction: committed as a whole when the block ends, rolled back if it raises or is cancelled.

        A file has one writer, whatever the bounds. Raises NotWritable where the file is no longer in its place.
        """
        self.transactions += 1
        async with self._writing.turn(first=first):
            with explained(self.path):
                tx = SqliteTransaction(self._writer, self._file, self._log, self._queue, bounds)
                try:
                    yield tx
                    # If this is cancelled, the commit is already queued: it completes before anything that follows.
                    await tx.commit()
                except BaseException:
                    await uncancelled(self._roll_back())
                    tx.close()
                    raise

    async def _roll_back(self) -> None:
        # The connection's queue is ordered: whatever a cancelled await left running is over when this begins.
        await self._writer.all("SELECT 1")
        if self._writer.in_transaction:
            await self._writer.rollback()

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        self.reads += 1
        # Here, as a trip to a thread costs more than most reads do; with the writer, as its commits empty the cache of the other
        # connection, which decrypts pages again. What may be more than a read is left to the one that cannot write.
        if self._writing.is_free and sql.startswith("SELECT "):
            with explained(self.path):
                rows = self._writer.all_here(sql, parameters)
            if rows is not None:
                # Between many short reads others have their turn.
                await asyncio.sleep(0)
                return rows
        async with self._reading:
            with explained(self.path):
                try:
                    return await self._reader.all(sql, parameters)
                except asyncio.CancelledError:
                    await uncancelled(self._interrupt())
                    raise

    async def _interrupt(self) -> None:
        # A statement still in the queue cannot be interrupted yet: repeat until one queued after it has returned.
        behind = asyncio.ensure_future(self._reader.execute_fetchall("SELECT 1"))
        while not behind.done():
            await self._reader.interrupt()
            await asyncio.wait([behind], timeout=0.001)
        behind.exception()

    def within(self, domains: Collection[int]) -> Self:
        """Return this database: a file enforces no scope, statements name their domains."""
        return self

    @property
    def everywhere(self) -> Self:
        return self

    async def commits(self) -> int:
        async with self._reading:
            with explained(self.path):
                rows = list(await self._reader.execute_fetchall("PRAGMA data_version"))
        return int(rows[0]["data_version"])

    async def key_names(self, domains: Sequence[int] | None = None) -> Mapping[str, int]:
        """Return nothing: a file has one key."""
        return {}

    async def kept_commits(self) -> Mapping[str, int]:
        rows = await self.all("SELECT number FROM commits WHERE id = 1")
        return {self.path.name: rows[0]["number"]} if rows else {}

    async def lacking(self, name: str, told: Mapping[str, int]) -> int:
        commits = await self.kept_commits()
        return sum(max(number - commits.get(of, 0), 0) for of, number in told.items())

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Checkpoint and truncate the WAL, so that erased bytes are gone from both files; return whether it succeeded.

        Readers and writers, here or in another process, delay this: it is retried for `patience` seconds.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        while not await self._fold_in():
            if loop.time() >= until:
                return False
            await asyncio.sleep(_CHECKPOINT_PAUSE_SECONDS)
        return True

    async def _fold_in(self) -> bool:
        if not home_files.size(self._log):
            return True
        async with self._writing.turn():
            with explained(self.path):
                # Writers are blocked while it waits for readers, so it must not wait for long.
                try:
                    await set_pragmas(self._writer, f"busy_timeout={_CHECKPOINT_TIMEOUT_MS}")
                    rows = list(await self._writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)"))
                finally:
                    await uncancelled(set_pragmas(self._writer, f"busy_timeout={BUSY_TIMEOUT_MS}"))
        return not rows[0]["busy"]

    async def reserve(self, *, beside: bool = False) -> bool:
        """Return True: whoever runs Lyra holds the lock on the file's home."""
        return True

    def holders(self, folder: Path, own: str) -> FileHolders:
        return FileHolders(folder, own)

    async def verify(self) -> None:
        """Check every page. Raises WrongKey if one is damaged."""
        problems = await self.all("SELECT integrity_check AS problem FROM pragma_integrity_check")
        if [row["problem"] for row in problems] != ["ok"]:
            raise WrongKey("The memory at {path} is damaged. Restore your newest backup with: lyra restore FILE", path=self.path)

    async def copy_to(self, target: Path, key: bytes | None, tell: Progress) -> None:
        """Write a consistent copy to `target`, encrypted with the same key, while others go on.

        `tell` is called from another thread with the bytes copied and the total.
        """
        async with self._writing.turn():
            with explained(target):
                copy = await connect(target, key, COMMON)
                try:
                    # One snapshot is held throughout: otherwise another process's write would restart the copy.
                    await self._writer.execute_fetchall("BEGIN")
                    await self._writer.execute_fetchall("SELECT count(*) FROM sqlite_master")
                    size = home_files.size(self.path)
                    tell(0, size)
                    await self._writer.backup(
                        copy, pages=_PAGES, progress=lambda _, left, pages: tell(size * (pages - left) // max(pages, 1), size)
                    )
                finally:
                    await uncancelled(self._writer.rollback())
                    await uncancelled(copy.close())
