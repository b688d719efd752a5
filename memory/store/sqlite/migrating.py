"""Forward-only schema migrations of a file."""

from collections.abc import Sequence

from aiosqlite.core import Connection

from memory.store.cancellation import to_the_end
from memory.store.schema import Migration, known, migrations, newest


async def migrate(connection: Connection, steps: Sequence[Migration] | None = None) -> None:
    """Apply the steps this file has not seen, each in one transaction together with its record.

    All existing steps by default. Raises NewerDatabase.
    """
    last = steps[-1].version if steps else newest()
    if await _is_current(connection, last):
        return
    await connection.execute_fetchall(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL)"
    )
    for step in steps or migrations():
        try:
            await connection.execute_fetchall("BEGIN IMMEDIATE")
            if step.version > await _version(connection, last):
                for statement in step.statements():
                    await connection.execute_fetchall(statement)
                await connection.execute_fetchall(
                    "INSERT INTO migrations (version, name, digest) VALUES (:version, :name, :digest)",
                    {"version": step.version, "name": step.name, "digest": step.digest},
                )
                await _number(connection)
            await to_the_end(connection.commit())
        except BaseException:
            await to_the_end(connection.rollback())
            raise


async def _number(connection: Connection) -> None:
    # Number the migration like any transaction, once the table exists: see memory.store.sqlite.wal.
    if list(await connection.execute_fetchall("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'commits'")):
        await connection.execute_fetchall("UPDATE commits SET number = number + 1")


async def _is_current(connection: Connection, last: int) -> bool:
    """Return, without writing, whether the schema is current: a file in use is opened beside its writer."""
    there = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'"
    if not list(await connection.execute_fetchall(there)):
        return False
    return await _version(connection, last) == last


async def _version(connection: Connection, last: int) -> int:
    rows = list(await connection.execute_fetchall("SELECT coalesce(max(version), 0) AS version FROM migrations"))
    return known(int(rows[0]["version"]), last)
