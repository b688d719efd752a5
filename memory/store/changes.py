"""The change log of each domain, in order, from which every process invalidates its caches."""

from collections.abc import Sequence

from memory.store.database import Transaction
from memory.store.domains import count_changes
from memory.types import Domain


async def announce(tx: Transaction, domain: Domain, items: Sequence[int], op: str) -> None:
    """Append a change of these items to the log: 'add', 'drop' or 'vector'."""
    if not items:
        return
    await count_changes(tx, domain, len(items))
    await tx.many(
        "INSERT INTO changes (domain, seq, item, op) VALUES "
        "(:domain, (SELECT changes - :behind FROM domains WHERE id = :domain), :item, :op)",
        ({"domain": domain.key, "behind": len(items) - at, "item": item, "op": op} for at, item in enumerate(items, 1)),
    )
