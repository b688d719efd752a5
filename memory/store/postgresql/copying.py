"""Reads all rows of a store page by page: to copy them to another store, to compare two stores, or to verify one.

Both stores have the same tables and rows.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter

from memory.ports import Progress
from memory.store.database import Parameters, Reader, Row
from memory.store.postgresql.database_server import SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.scope import READING_ALL, Everywhere
from memory.store.postgresql.sealing.converting import primary_keys
from memory.store.postgresql.sealing.sealer import Sealer
from memory.store.sealed import TABLES

_PAGE = 500
_ROW = 1_000
_OWN = ("commits", "migrations")
"""Tables about the store itself, which are not copied."""

Write = Callable[[str, Sequence[Parameters]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, its columns, and the columns of its primary key, in order."""

    name: str
    columns: Sequence[str]
    key: Sequence[str]


async def tables(file: Reader) -> list[Table]:
    """Return the tables of a memory, read from its SQLite schema, each after those that its foreign keys refer to."""
    names = [row["name"] for row in await file.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found, named = dict[str, Table](), dict[str, set[str]]()
    for name in names:
        if name in _OWN or name.startswith("sqlite_"):
            continue
        columns = await file.all(f"SELECT name, pk FROM pragma_table_info('{name}')")
        key = sorted((row["pk"], row["name"]) for row in columns if row["pk"])
        found[name] = Table(name, [row["name"] for row in columns], [column for _, column in key])
        rows = await file.all(f"SELECT \"table\" AS name FROM pragma_foreign_key_list('{name}')")
        named[name] = {row["name"] for row in rows} - {name}
    return [found[name] for name in TopologicalSorter(named).static_order()]


async def copy(source: Reader, every: Sequence[Table], write: Write, tell: Progress) -> None:
    """Pass all rows of these tables to `write`, with the INSERT for them.

    `tell` gets the progress and the total, at 1,000 bytes a row.
    """
    counts = [await source.one(f"SELECT count(*) AS n FROM {table.name}") for table in every]
    total, done = _ROW * sum(row["n"] for row in counts if row), 0
    tell(0, total)
    for table in every:
        names = ", ".join(table.columns)
        insert = f"INSERT INTO {table.name} ({names}) VALUES ({', '.join(f':{column}' for column in table.columns)})"
        async for rows in pages(source, table):
            await write(insert, [dict(zip(table.columns, row, strict=True)) for row in rows])
            done += _ROW * len(rows)
            tell(done, total)
    tell(total, total)


async def is_empty(store: Reader, every: Sequence[Table]) -> bool:
    """Return whether all of these tables are empty."""
    for table in every:
        if await store.one(f"SELECT 1 AS held FROM {table.name} LIMIT 1"):
            return False
    return True


async def are_equal(source: Reader, target: Reader, every: Sequence[Table]) -> bool:
    """Return whether two stores have equal rows in these tables."""
    for table in every:
        others = pages(target, table)
        async for rows in pages(source, table):
            if [tuple(row) for row in rows] != [tuple(row) for row in await anext(others, [])]:
                return False
        if await anext(others, []):
            return False
    return True


async def pages(source: Reader, table: Table) -> AsyncIterator[list[Row]]:
    """Yield the rows of a table in pages, ordered by primary key."""
    last: Parameters | None = None
    while rows := await _page(source, table, last):
        yield rows
        if not table.key:
            return
        last = {column: rows[-1][column] for column in table.key}


async def _page(source: Reader, table: Table, last: Parameters | None) -> list[Row]:
    select = f"SELECT {', '.join(table.columns)} FROM {table.name}"
    if not table.key:
        return await source.all(select)
    key = ", ".join(table.key)
    behind = f"WHERE ({key}) > ({', '.join(f':{column}' for column in table.key)}) " if last else ""
    parameters = {column: last[column] for column in table.key} if last else {}
    return await source.all(f"{select} {behind}ORDER BY {key} LIMIT {_PAGE}", parameters)


async def snapshot(connection: PipelinedConnection, sealer: Sealer) -> Reader:
    """Return a reader of the present state of the whole memory; it takes over the connection."""
    await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    # A reader blocks nobody, and its consumer may be slow.
    await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    return Everywhere(partial(sealer.fetched, connection, READING_ALL))


async def read_through(db: Reader) -> None:
    """Read and decrypt every row of every table. Raises WrongKey if a value was damaged or moved from its place."""
    rows = await db.all(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = :schema ORDER BY table_name", {"schema": SCHEMA}
    )
    for row in rows:
        await db.all(f'SELECT count(length(CAST(t AS TEXT))) AS n FROM "{row["table_name"]}" t')
    keys = await primary_keys(db)
    for table, told in TABLES.items():
        async for page in pages(db, Table(table, [*keys[table], *told.columns], keys[table])):
            for one in page:
                tuple(one)
