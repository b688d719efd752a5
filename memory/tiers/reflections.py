"""The state of reflections: each is a statement that waits to be posted, was posted, or is kept back."""

from collections.abc import Mapping, Sequence

from memory.store.database import Reader, Transaction
from memory.store.domains import read_domain
from memory.store.lineage import run_paged
from memory.types import Domain, SessionRef


async def add(tx: Transaction, domain: Domain, item: int, level: float, now: int, *, waits: bool) -> None:
    """Store a reflection with its level of curiosity, and whether it waits to be posted."""
    await tx.run(
        "INSERT INTO reflections (item, domain, made_at, level, state) VALUES (:item, :domain, :now, :level, :state)",
        {"item": item, "domain": domain.key, "now": now, "level": level, "state": "waiting" if waits else "kept"},
    )


async def say(tx: Transaction, item: int, there: SessionRef, now: int) -> bool:
    """Mark a reflection as posted at a place; return False if it is no longer waiting."""
    row = await tx.one(
        "UPDATE reflections SET state = 'posted', platform = :platform, place = :place, posted_at = :now "
        "WHERE item = :item AND state = 'waiting' RETURNING item",
        {"item": item, "platform": there.platform, "place": there.place, "now": now},
    )
    return row is not None


async def said_as(tx: Transaction, item: int, exchange: int) -> None:
    """Record the message that a reflection became."""
    await tx.run("UPDATE reflections SET exchange = :exchange WHERE item = :item", {"item": item, "exchange": exchange})


async def keep_back(tx: Transaction, item: int) -> None:
    """Stop a reflection from waiting."""
    await tx.run("UPDATE reflections SET state = 'kept' WHERE item = :item AND state = 'waiting'", {"item": item})


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the states of the reflections among these items."""
    await run_paged(tx, "DELETE FROM reflections WHERE item IN ({within})", items)


async def rekey(tx: Transaction, platform: str, places: Mapping[str, str]) -> None:
    """Replace the keys of places of a platform."""
    await tx.many(
        "UPDATE reflections SET place = :now WHERE platform = :platform AND place = :before",
        ({"platform": platform, "before": before, "now": now} for before, now in places.items()),
    )


async def any_waiting(reader: Reader, domain: Domain) -> bool:
    """Return whether a reflection of a domain waits to be posted."""
    waiting = "SELECT 1 AS yes FROM reflections WHERE domain = :domain AND state = 'waiting' LIMIT 1"
    return await reader.one(waiting, {"domain": domain.key}) is not None


async def waiting_in(reader: Reader) -> list[Domain]:
    """Return the domains with a reflection waiting to be posted, oldest first."""
    rows = await reader.all(
        "SELECT * FROM domains WHERE id IN (SELECT domain FROM reflections WHERE state = 'waiting') ORDER BY id"
    )
    return [read_domain(row) for row in rows]
