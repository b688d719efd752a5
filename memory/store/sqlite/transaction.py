"""A write transaction of SQLite, and the connection it runs on.

Handing something to the thread of a connection takes longer than most statements do. So what returns nothing waits for the
next statement that does, or for the commit, and goes there with it; the order stays.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from aiosqlite import core

from memory.store import home_files
from memory.store.database import Parameters, Row, Rows
from memory.store.sqlite import wal

T = TypeVar("T")
Waiting = Sequence[tuple[str, Parameters | Rows]]


class Connection(core.Connection):
    """A connection whose thread can be given several statements at once."""

    async def step(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do work in the connection's thread."""
        queued: Callable[..., Awaitable[T]] = self._execute
        return await queued(work, self._conn)

    async def all(self, sql: str, parameters: Parameters | None = None, waiting: Waiting = ()) -> list[Row]:
        """Run one statement, after those that wait, and return all its rows."""
        return await self.step(partial(_fetched, sql, parameters or {}, waiting))


class SqliteTransaction:
    """An open write transaction. Nothing but these methods may be awaited inside it."""

    def __init__(self, connection: Connection, log: Path) -> None:
        self._connection = connection
        self._log = log
        self._waiting: list[tuple[str, Parameters | Rows]] = []
        self._fresh, self._before = False, 0

    async def begin(self) -> None:
        """Begin: nobody else writes from now on."""
        self._fresh, self._before = await self._connection.step(partial(_begun, self._log))

    async def commit(self) -> None:
        """Keep all of it, numbered where anything was written."""
        await self._connection.step(partial(_committed, self._sent(), self._before, self._fresh))

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await self._connection.all(sql, parameters, self._sent())

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        rows = await self.all(sql, parameters)
        return rows[0] if rows else None

    async def run(self, sql: str, parameters: Parameters | None = None) -> None:
        """Run one statement that returns nothing; what is wrong with it is raised by what comes next."""
        self._waiting.append((sql, dict(parameters or {})))

    async def many(self, sql: str, rows: Rows) -> None:
        """Run one statement once a row; what is wrong with it is raised by what comes next."""
        if some := rows if callable(rows) else list(rows):
            self._waiting.append((sql, some))

    def _sent(self) -> Waiting:
        waiting, self._waiting = self._waiting, []
        return waiting


def _begun(log: Path, connection: sqlite3.Connection) -> tuple[bool, int]:
    connection.execute("BEGIN IMMEDIATE")
    return not home_files.size(log), connection.total_changes


def _fetched(sql: str, parameters: Parameters, waiting: Waiting, connection: sqlite3.Connection) -> list[Row]:
    _run(waiting, connection)
    return connection.execute(sql, parameters).fetchall()


def _committed(waiting: Waiting, before: int, fresh: bool, connection: sqlite3.Connection) -> None:
    _run(waiting, connection)
    if connection.total_changes != before:
        connection.execute(wal.NUMBER, {"fresh": fresh})
    connection.commit()


def _run(waiting: Waiting, connection: sqlite3.Connection) -> None:
    for sql, given in waiting:
        if isinstance(given, Mapping):
            connection.execute(sql, given).fetchall()
        else:
            connection.executemany(sql, given() if callable(given) else given)
