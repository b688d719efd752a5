"""Forward-only schema migrations of a file.

A file whose steps were applied in another form than they have now gets that of today: what it lacks of tables, columns and indexes is
added, a column that has another name now is renamed.
"""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager, closing
from typing import NamedTuple

from aiosqlite.core import Connection
from sqlcipher3 import dbapi2 as sqlcipher

from memory.store.cancellation import uncancelled
from memory.store.schema import Migration, applied, migrations


async def migrate(connection: Connection, steps: Sequence[Migration] | None = None) -> None:
    """Apply the steps this file has not seen, each in one transaction together with its record.

    All existing steps by default. Raises NewerDatabase.
    """
    steps = steps or migrations()
    last = steps[-1].version
    digests = {step.title: step.digest for step in steps}
    known = await _digests(connection, last)
    if digests.items() <= known.items():
        return
    await connection.execute_fetchall(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL)"
    )
    if any(digests.get(title, digest) != digest for title, digest in known.items()):
        # While a step is being written, memories meet it in more than one form.
        await complete(connection, [step for step in steps if step.title in known])
    for step in steps:
        async with _transaction(connection):
            if step.title not in await _applied_steps(connection, last):
                for statement in step.statements():
                    await connection.execute_fetchall(statement)
                await _record(connection, step, steps)
                await _number(connection)


@asynccontextmanager
async def _transaction(connection: Connection) -> AsyncIterator[None]:
    try:
        await connection.execute_fetchall("BEGIN IMMEDIATE")
        yield
        await uncancelled(connection.commit())
    except BaseException:
        await uncancelled(connection.rollback())
        raise


async def _record(connection: Connection, step: Migration, steps: Sequence[Migration]) -> None:
    """Record a step under its number among the steps; others that a branch of the sources had numbered otherwise move to theirs."""
    rows = await connection.execute_fetchall("SELECT version, name, digest FROM migrations")
    digests = {str(row["name"])[5:]: str(row["digest"]) for row in rows} | {step.title: step.digest}
    await connection.execute_fetchall("DELETE FROM migrations")
    for known in steps:
        if known.title in digests:
            await connection.execute_fetchall(
                "INSERT INTO migrations (version, name, digest) VALUES (:version, :name, :digest)",
                {"version": known.version, "name": known.name, "digest": digests[known.title]},
            )


async def _number(connection: Connection) -> None:
    # Number the migration like any transaction, once the table exists: see memory.store.sqlite.wal.
    if list(await connection.execute_fetchall("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'commits'")):
        await connection.execute_fetchall("UPDATE commits SET number = number + 1")


async def _digests(connection: Connection, last: int) -> Mapping[str, str]:
    """Return, without writing, the digests of the applied steps by title: a file in use is opened beside its writer."""
    has_table = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'"
    if not list(await connection.execute_fetchall(has_table)):
        return {}
    await _applied_steps(connection, last)
    return {row["name"][5:]: row["digest"] for row in await connection.execute_fetchall("SELECT name, digest FROM migrations")}


async def _applied_steps(connection: Connection, last: int) -> Set[str]:
    return applied(await connection.execute_fetchall("SELECT version, name FROM migrations"), last)


_PARTS = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, name"
_COLUMNS = "SELECT m.name AS \"table\", c.* FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid"
_EMPTY = {"INTEGER": "0", "REAL": "0", "BLOB": "x''"}


class _Schema(NamedTuple):
    """The tables and indexes by name, with the statements that make them, and the columns of tables with definitions and places."""

    parts: dict[str, str]
    columns: dict[tuple[str, str], str]
    places: dict[tuple[str, str], int]


async def complete(connection: Connection, steps: Sequence[Migration]) -> None:
    """Add what these steps, all of them applied in some form, make now and the file lacks, and record them as they are now."""
    wanted = _made_by(steps)
    async with _transaction(connection):
        await _rename(connection, wanted)
        parts, columns = await connection.execute_fetchall(_PARTS), await connection.execute_fetchall(_COLUMNS)
        made, named = {row["name"] for row in parts}, {(row["table"], row["name"]) for row in columns}
        for (table, column), definition in wanted.columns.items():
            if table in made and (table, column) not in named:
                await connection.execute_fetchall(f"ALTER TABLE {table} ADD COLUMN {definition}")
        for name, statement in wanted.parts.items():
            if name not in made:
                await connection.execute_fetchall(statement)
        for step in steps:
            await connection.execute_fetchall(
                "UPDATE migrations SET digest = :digest WHERE substr(name, 6) = :title",
                {"digest": step.digest, "title": step.title},
            )


async def _rename(connection: Connection, wanted: _Schema) -> None:
    """Rename columns that have another name now, or drop them where that one was added already: no row could be written without
    a value.
    """
    rows = await connection.execute_fetchall(_COLUMNS)
    there = {(row["table"], row["name"]) for row in rows}
    places = {(table, at): name for (table, name), at in wanted.places.items()}
    for row in rows:
        table, old = row["table"], row["name"]
        if (table, old) in wanted.columns or table not in wanted.parts or not row["notnull"] or row["dflt_value"] is not None:
            continue
        new = places.get((table, row["cid"]))
        if new is not None and (table, new) not in there:
            await connection.execute_fetchall(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
        else:
            await connection.execute_fetchall(f"ALTER TABLE {table} DROP COLUMN {old}")


def _made_by(steps: Sequence[Migration]) -> _Schema:
    with closing(sqlcipher.connect(":memory:", isolation_level=None)) as made:
        made.row_factory = sqlcipher.Row
        for step in steps:
            for statement in step.statements():
                made.execute(statement)
        columns = made.execute(_COLUMNS).fetchall()
        return _Schema(
            {row["name"]: row["sql"] for row in made.execute(_PARTS)},
            {(row["table"], row["name"]): _definition(row) for row in columns},
            {(row["table"], row["name"]): row["cid"] for row in columns},
        )


def _definition(column: sqlite3.Row) -> str:
    """Return a column as it can be added to rows that exist: where it must not be NULL, they need a value."""
    default = column["dflt_value"]
    if default is None and column["notnull"]:
        default = _EMPTY.get(column["type"], "''")
    return f"{column['name']} {column['type']}{' NOT NULL' * column['notnull']}{'' if default is None else f' DEFAULT {default}'}"
