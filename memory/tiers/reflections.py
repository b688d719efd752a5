"""What becomes of thoughts: each is a statement, and waits to be said, is said, or is kept to herself."""

from collections.abc import Mapping, Sequence

from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import bound, placeholders
from memory.types import Domain, SessionRef


async def add(tx: Transaction, domain: Domain, item: int, level: float, now: int, *, waits: bool) -> None:
    """Keep a thought, which she had at a level of curiosity, and whether it waits to be said."""
    await tx.run(
        "INSERT INTO reflections (item, domain, made_at, level, state) VALUES (:item, :domain, :now, :level, :state)",
        {"item": item, "domain": domain.key, "now": now, "level": level, "state": "waiting" if waits else "kept"},
    )


async def say(tx: Transaction, item: int, there: SessionRef, now: int) -> bool:
    """Note that a thought is said at a place; return False where it does not wait any more."""
    row = await tx.one(
        "UPDATE reflections SET state = 'posted', platform = :platform, place = :place, posted_at = :now "
        "WHERE item = :item AND state = 'waiting' RETURNING item",
        {"item": item, "platform": there.platform, "place": there.place, "now": now},
    )
    return row is not None


async def said_as(tx: Transaction, item: int, exchange: int) -> None:
    """Note which message a thought became."""
    await tx.run("UPDATE reflections SET exchange = :exchange WHERE item = :item", {"item": item, "exchange": exchange})


async def keep_back(tx: Transaction, item: int) -> None:
    """Let a thought wait no longer."""
    await tx.run("UPDATE reflections SET state = 'kept' WHERE item = :item AND state = 'waiting'", {"item": item})


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Remove what became of the thoughts among these items."""
    await tx.run(f"DELETE FROM reflections WHERE item IN ({placeholders('i', items)})", bound("i", items))


async def rekey(tx: Transaction, platform: str, places: Mapping[str, str]) -> None:
    """Give places of a platform other keys, by those that they have."""
    await tx.many(
        "UPDATE reflections SET place = :now WHERE platform = :platform AND place = :before",
        ({"platform": platform, "before": before, "now": now} for before, now in places.items()),
    )


async def of(reader: Reader, domain: Domain, which: str, parameters: Mapping[str, object]) -> list[Row]:
    """Return the thoughts of a domain for which an SQL condition holds."""
    return await reader.all(
        f"SELECT item, level, exchange FROM reflections WHERE domain = :domain AND {which}", {"domain": domain.key, **parameters}
    )
