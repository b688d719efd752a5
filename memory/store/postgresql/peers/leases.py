"""What one process at a time has of several alike, such as the connections of an account: a row each, held as long as its holder lives.

How many there are is agreed upon by those who hold some: who comes with another number takes theirs.
"""

from memory.store.database import Transaction
from memory.store.peers import Lease

_HELD = "SELECT l.unit, l.units FROM leases l JOIN processes p ON p.name = l.holder WHERE l.name = :name"


async def take(tx: Transaction, own: str, name: str, units: int) -> Lease | None:
    """Take the first that nobody living holds, in a transaction that is bound to their name; None where all are held."""
    held = await tx.all(f"{_HELD} ORDER BY l.unit", {"name": name})
    agreed = int(held[0]["units"]) if held else units
    taken = {int(row["unit"]) for row in held}
    unit = next((one for one in range(agreed) if one not in taken), None)
    if unit is None:
        return None
    (fence,) = await tx.numbers("fence")
    await tx.run(
        "INSERT INTO leases (name, unit, units, holder, fence) VALUES (:name, :unit, :units, :own, :fence) "
        "ON CONFLICT (name, unit) DO UPDATE SET units = excluded.units, holder = excluded.holder, fence = excluded.fence",
        {"name": name, "unit": unit, "units": agreed, "own": own, "fence": fence},
    )
    return Lease(unit, agreed, fence)
