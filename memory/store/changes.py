"""The change log of each domain, in order, from which every process invalidates its caches."""

from collections.abc import Sequence

from memory.store.database import Transaction
from memory.store.domains import next_changes
from memory.types import Domain


async def announce(tx: Transaction, domain: Domain, items: Sequence[int], op: str) -> None:
    """Append a change of these items to the log: 'add', 'drop' or 'vector'."""
    if not items:
        return
    first = await next_changes(tx, domain, len(items))
    await tx.many(
        "INSERT INTO changes (domain, seq, item, op) VALUES (:domain, :seq, :item, :op)",
        ({"domain": domain.key, "seq": first + at, "item": item, "op": op} for at, item in enumerate(items)),
    )
