"""One pace for all processes: turns of a name that lie so far apart, given out one after the other by the clock of the server."""

from memory.store.database import Transaction

_TURN = (
    "INSERT INTO paces (name, next) VALUES (:name, extract(epoch FROM clock_timestamp()) + CAST(:apart AS DOUBLE PRECISION)) "
    "ON CONFLICT (name) DO UPDATE SET next = greatest(paces.next, extract(epoch FROM clock_timestamp())) + "
    "CAST(:apart AS DOUBLE PRECISION) "
    "RETURNING next - CAST(:apart AS DOUBLE PRECISION) - extract(epoch FROM clock_timestamp()) AS wait"
)


async def take(tx: Transaction, name: str, apart: float) -> float:
    """Take the next turn; return in how many seconds it is."""
    row = await tx.one(_TURN, {"name": name, "apart": apart})
    assert row is not None
    return max(float(row["wait"]), 0.0)
