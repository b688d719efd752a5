"""Threads named after something that may no longer be shown: each loses its name, in memory at once, and on its platform."""

from collections.abc import Collection, Sequence

from memory.journal import outbox
from memory.places.places import drop_names_of
from memory.store.database import Parameters, Transaction
from memory.store.lineage import bound, pages, placeholders


async def unname(tx: Transaction, items: Sequence[int], now: int) -> None:
    """Remove the names of threads named after these messages, in the caller's transaction."""
    for some in pages(items):
        await _unname(
            tx,
            "EXISTS (SELECT 1 FROM exchanges e JOIN sessions s ON s.id = e.session "
            f"WHERE e.item IN ({placeholders('i', some)}) AND e.source_id = o.answers AND s.platform = o.platform)",
            bound("i", some),
            now,
        )


async def unname_after(tx: Transaction, platform: str, ids: Collection[str], now: int) -> None:
    """Remove the names of threads named after messages of a platform, by platform id, in the caller's transaction."""
    for some in pages(list(ids)):
        condition = f"o.platform = :platform AND o.answers IN ({placeholders('e', some)})"
        await _unname(tx, condition, {"platform": platform, **bound("e", some)}, now)


async def _unname(tx: Transaction, condition: str, parameters: Parameters, now: int) -> None:
    for row in await outbox.unname(tx, condition, parameters, now):
        here = {"platform": row["platform"], "place": row["place"]}
        called = await tx.all("SELECT id FROM sessions WHERE platform = :platform AND place = :place", here)
        await drop_names_of(tx, [session["id"] for session in called])
