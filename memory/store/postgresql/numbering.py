"""Sequences for numbers that are unique in the whole memory; a file has rows of `counters` for them."""

from typing import get_args

from memory.store.database import Numbers, Reader, Transaction
from memory.store.postgresql.pipelined_connection import PipelinedConnection

KINDS = get_args(Numbers)
_GO_ON = (
    "SELECT setval('numbers_{of}', greatest(nextval('numbers_{of}'), "
    "(SELECT coalesce(max(value), 0) + 1 FROM counters WHERE name = '{of}')), false) AS next"
)


async def make(connection: PipelinedConnection) -> None:
    """Create the sequences; they continue after the numbers in `counters`."""
    for of in KINDS:
        await connection.execute(f"CREATE SEQUENCE IF NOT EXISTS numbers_{of}; {_GO_ON.format(of=of)}")


async def take_over(tx: Transaction) -> None:
    """Advance every sequence of the schema past the rows that were copied.

    None is set back: sequences are not rolled back with the transaction.
    """
    for of in KINDS:
        await tx.one(_GO_ON.format(of=of))
    numbered = await tx.all(
        "SELECT table_name AS belongs, column_name AS name, "
        "pg_get_serial_sequence(table_schema || '.' || table_name, column_name) AS sequence "
        "FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'"
    )
    for row in numbered:
        await tx.one(
            f"SELECT setval('{row['sequence']}', greatest(nextval('{row['sequence']}'), "
            f"(SELECT coalesce(max({row['name']}), 0) + 1 FROM {row['belongs']})), false) AS next"
        )


async def write_down(source: Reader, file: Transaction) -> None:
    """Store the last numbers of the sequences in a file."""
    for of in KINDS:
        row = await source.one(f"SELECT last_value AS value FROM numbers_{of}")
        await file.run(
            "INSERT INTO counters (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            {"name": of, "value": row["value"] if row else 0},
        )
