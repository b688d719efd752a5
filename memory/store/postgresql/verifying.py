"""Reads all that a database holds: every page that the server keeps, and every value that is sealed."""

from memory.store.database import Reader
from memory.store.postgresql.address import SCHEMA
from memory.store.postgresql.copying import Table, pages
from memory.store.sealed import TABLES


async def read_through(db: Reader) -> None:
    """Read every row of every table, and open what is sealed. Raises WrongKey where something was not written where it stands."""
    rows = await db.all(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = :schema ORDER BY table_name", {"schema": SCHEMA}
    )
    for row in rows:
        await db.all(f'SELECT count(length(CAST(t AS TEXT))) AS n FROM "{row["table_name"]}" t')
    for table, told in TABLES.items():
        key = await db.all(
            "SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
            "WHERE i.indrelid = CAST(:name AS regclass) AND i.indisprimary ORDER BY array_position(i.indkey, a.attnum)",
            {"name": f"{SCHEMA}.{table}"},
        )
        names = [one["name"] for one in key]
        async for page in pages(db, Table(table, [*names, *told.columns], names)):
            for one in page:
                tuple(one)
