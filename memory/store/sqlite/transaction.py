"""A write transaction of SQLite, and the connection it runs on.

Handing work to a connection's thread takes far longer while the event loop is busy. BEGIN waits with the statements.
"""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from aiosqlite import core
from sqlcipher3 import dbapi2 as sqlcipher

from memory.errors import NotWritable
from memory.store import home_files
from memory.store.bounds import Bounds
from memory.store.database import Numbers, Parameters, Row
from memory.store.domains import reserve_numbers
from memory.store.queued_transaction import QueuedTransaction, Waiting
from memory.store.sqlite import wal
from memory.store.sqlite.write_queue import WriteQueue

T = TypeVar("T")
Statement = tuple[str, Parameters]
_HERE_SECONDS, _STEPS = 0.002, 200
"""How long a read may hold up the event loop, and after how many steps of its statement it looks at the clock again."""


class Connection(core.Connection):
    """A connection whose thread takes several statements at once."""

    def __init__(self, connector: Callable[[], sqlite3.Connection], iter_chunk_size: int) -> None:
        super().__init__(connector, iter_chunk_size)
        # Where a second Ctrl-C interrupts closing, nobody ends the thread, and the process would wait for it.
        self._thread.daemon = True

    async def step(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in the connection's thread."""
        queued: Callable[..., Awaitable[T]] = self._execute
        return await queued(work, self._conn)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await self.step(partial(_fetched, sql, parameters or {}))

    def all_here(self, sql: str, parameters: Parameters | None = None) -> list[Row] | None:
        """Like `all`, in this thread, while nothing runs in the connection's; return None if it takes longer than two milliseconds."""
        until = time.perf_counter() + _HERE_SECONDS
        self._conn.set_progress_handler(lambda: time.perf_counter() > until, _STEPS)
        try:
            return _fetched(sql, parameters or {}, self._conn)
        except (sqlite3.OperationalError, sqlcipher.OperationalError) as error:
            if "interrupted" not in str(error):
                raise
            return None
        finally:
            self._conn.set_progress_handler(None, _STEPS)


class FileIdentity:
    """The file at a path at the time this is made: a deleted or replaced one can still be written, and is lost at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._was = _number(path)

    def require(self) -> None:
        """Raise NotWritable unless the path still leads to that file."""
        if _number(self._path) != self._was:
            raise NotWritable(
                "The memory at {path} was moved, deleted or replaced while it was in use, so nothing more is kept. "
                "Put it back, or start Lyra again.",
                path=self._path,
            )


def _number(path: Path) -> tuple[int, int] | None:
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_dev, there.st_ino


class SqliteTransaction(QueuedTransaction[Statement]):
    """An open write transaction of a file."""

    def __init__(
        self, connection: Connection, file: FileIdentity, log: Path, queue: WriteQueue, bounds: Bounds | None = None
    ) -> None:
        super().__init__(bounds)
        self._connection = connection
        self._file = file
        self._queue = queue
        self._state = _State(file, log, queue)
        # Whether anything was handed over: statements of a cancelled await may still be running.
        self._begun = self._over = False
        # Set while coroutines run in the connection's thread.
        self._inside: sqlite3.Connection | None = None
        self._handed_over: list[Coroutine[Any, Any, Any]] = []

    @property
    def everywhere(self) -> Self:
        """This transaction: a file is not divided by domain."""
        return self

    async def commit(self) -> None:
        """Commit, numbered if anything was written."""
        if not self._over and (self._waiting or self._begun):
            await self._step(partial(self._state.commit, self._taken_over()))

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        (rows,) = await self._fetch([(sql, parameters or {})])
        return rows

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows: there are no other writers."""
        return await self.all(sql, parameters)

    async def finish(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do all that is left in the connection's thread, where no statement waits for the event loop, and commit."""
        done = await self._carried_out(work, ends=True)
        self._over = True
        return done

    async def gather(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Await one after the other, in the connection's thread."""

        async def each() -> list[Any]:
            try:
                return [await one for one in work]
            finally:
                for one in work:
                    one.close()

        self._handed_over += work
        return await (each() if self._inside else self._carried_out(each, ends=False))

    def close(self) -> None:
        """Close what was to be done and never begun, where the transaction could not begin; nothing of it runs any more."""
        for one in self._handed_over:
            one.close()

    async def _carried_out(self, work: Callable[[], Coroutine[Any, Any, T]], *, ends: bool) -> T:
        context = copy_context()
        return await self._step(lambda connection: context.run(self._carry_out, work, connection, ends=ends))

    def _carry_out(self, work: Callable[[], Coroutine[Any, Any, T]], connection: sqlite3.Connection, *, ends: bool) -> T:
        self._state.begin(connection)
        self._inside, begun = connection, work()
        try:
            begun.send(None)
        except StopIteration as end:
            if ends:
                self._state.commit(self._taken_over(), connection)
            done: T = end.value
            return done
        finally:
            self._inside = None
            begun.close()
        raise AssertionError("a transaction awaits nothing but itself")

    async def _fetch(self, asked: Sequence[Statement]) -> Sequence[list[Row]]:
        fetched = partial(self._state.fetch, self._taken_over(), asked)
        return fetched(self._inside) if self._inside else await self._step(fetched)

    async def _step(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._begun:
            return await self._connection.step(work)
        self._begun = True
        # To wait would make the folder and the log of a memory that is not there any more.
        self._file.require()
        return await self._queue.first(partial(self._connection.step, work), lambda: self._state.begun)

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        first = await reserve_numbers(self, of, n)
        return range(first, first + n)

    async def renew_key(self, domain: int) -> None:
        """Do nothing: a file has one key."""


class _State:
    """The state of a transaction in its connection's thread."""

    def __init__(self, file: FileIdentity, log: Path, queue: WriteQueue) -> None:
        self._file = file
        self._log = log
        self._queue = queue
        self._fresh, self._before = False, 0
        self.begun = False

    def begin(self, connection: sqlite3.Connection) -> None:
        """Begin, unless already begun. Raises NotWritable where the file is no longer in its place."""
        if not self.begun:
            self._file.require()
            connection.execute("BEGIN IMMEDIATE")
            self._queue.leave()
            self.begun = True
            self._fresh, self._before = not home_files.size(self._log), connection.total_changes

    def fetch(self, waiting: Waiting, statements: Sequence[Statement], connection: sqlite3.Connection) -> list[list[Row]]:
        """Run the queued statements, then these; return the rows of each of these."""
        self.begin(connection)
        _run(waiting, connection)
        return [_fetched(sql, parameters, connection) for sql, parameters in statements]

    def commit(self, waiting: Waiting, connection: sqlite3.Connection) -> None:
        """Run the queued statements, and commit."""
        self.begin(connection)
        _run(waiting, connection)
        if connection.total_changes != self._before:
            connection.execute(wal.NUMBER, {"fresh": self._fresh})
        connection.commit()


def _fetched(sql: str, parameters: Parameters, connection: sqlite3.Connection) -> list[Row]:
    # SQLite looks at a number bound behind LIMIT and prepares the statement again each time, unless the number is part of an expression.
    return connection.execute(sql.replace("LIMIT :", "LIMIT +:"), parameters).fetchall()


def _run(waiting: Waiting, connection: sqlite3.Connection) -> None:
    for sql, given in waiting:
        if isinstance(given, Mapping):
            connection.execute(sql, given).fetchall()
        else:
            connection.executemany(sql, given() if callable(given) else given)
