"""Counters: every number is given once; taking one blocks other takers until the commit."""

from memory.store.database import Transaction


async def take(tx: Transaction, counter: str, n: int = 1) -> int:
    """Reserve n numbers of a counter and return the first."""
    row = await tx.one(
        "INSERT INTO counters (name, value) VALUES (:name, :n) "
        "ON CONFLICT (name) DO UPDATE SET value = counters.value + :n RETURNING value",
        {"name": counter, "n": n},
    )
    assert row is not None
    return int(row["value"]) - n + 1
