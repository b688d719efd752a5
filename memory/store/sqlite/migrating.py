"""Forward-only schema migrations of a file."""

from collections.abc import Mapping, Sequence, Set

from aiosqlite.core import Connection

from memory.store.cancellation import to_the_end
from memory.store.schema import Migration, applied, migrations
from memory.store.sqlite.completing import complete


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
        try:
            await connection.execute_fetchall("BEGIN IMMEDIATE")
            if step.title not in await _applied_steps(connection, last):
                for statement in step.statements():
                    await connection.execute_fetchall(statement)
                await _record(connection, step, steps)
                await _number(connection)
            await to_the_end(connection.commit())
        except BaseException:
            await to_the_end(connection.rollback())
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
