"""A file whose steps of the schema were applied in another form than they have now gets that of today.

What it lacks of tables, columns and indexes is added; a column that has another name now is renamed.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from aiosqlite.core import Connection
from sqlcipher3 import dbapi2 as sqlcipher

from memory.store.cancellation import to_the_end
from memory.store.schema import Migration

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
    try:
        await connection.execute_fetchall("BEGIN IMMEDIATE")
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
        await to_the_end(connection.commit())
    except BaseException:
        await to_the_end(connection.rollback())
        raise


async def _rename(connection: Connection, wanted: _Schema) -> None:
    """Rename columns that have another name now, or drop them where that one was added already: no row could be written without a value."""
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
