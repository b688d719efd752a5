"""The stored names of sessions that lose them."""

from collections.abc import Sequence

from memory.store.database import Transaction
from memory.store.lineage import bound, pages, placeholders
from memory.types import Domain


async def drop_names(tx: Transaction, domain: Domain) -> None:
    """Drop the names of empty sessions.

    Their rows stay: a turn may hold one, and their keys must never be reused for another session.
    """
    await tx.run(
        "UPDATE sessions SET name = public_id WHERE domain = :domain "
        "AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.session = sessions.id)",
        {"domain": domain.key},
    )


async def drop_names_of(tx: Transaction, sessions: Sequence[int]) -> None:
    """Drop the names of these sessions."""
    for some in pages(sessions):
        await tx.run(f"UPDATE sessions SET name = public_id WHERE id IN ({placeholders('s', some)})", bound("s", some))
