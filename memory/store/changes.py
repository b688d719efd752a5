"""What changed in a domain, in order, by which every process keeps its caches true."""

from collections.abc import Sequence

from memory.store.database import Transaction
from memory.store.domains import next_changes
from memory.types import Domain


async def announce(tx: Transaction, domain: Domain, items: Sequence[int], op: str) -> None:
    """Append what happened to these items: 'add', 'drop' or 'vector'."""
    if not items:
        return
    first = await next_changes(tx, domain, len(items))
    await tx.many(
        "INSERT INTO changes (domain, seq, item, op) VALUES (:domain, :seq, :item, :op)",
        ({"domain": domain.key, "seq": first + at, "item": item, "op": op} for at, item in enumerate(items)),
    )
