"""What people said in a domain: one of them, the newest first, or in a stretch of time."""

from collections.abc import AsyncIterator

from memory.places.confidences import common
from memory.store.database import Database, Row
from memory.tiers import exchanges
from memory.types import Domain, Exchange, Identity

_PAGE = 400


async def pages(db: Database, domain: int, identity: Identity, before: int) -> AsyncIterator[list[Row]]:
    """Yield keys, sessions and texts of everything that an account said in a domain before a key, some at a time."""
    while rows := await db.all(
        "SELECT e.item, e.session, e.text FROM exchanges e JOIN identities n ON n.id = e.identity "
        "WHERE e.domain = :domain AND e.kind = 'said' AND e.item < :before AND n.platform = :platform AND n.native_id = :account "
        "ORDER BY e.item DESC LIMIT :n",
        {"domain": domain, "before": before, "platform": identity.platform, "account": identity.native_id, "n": _PAGE},
    ):
        yield rows
        before = rows[-1]["item"]


async def within(db: Database, domain: Domain, start: int, end: int, account: int | None, most: int) -> list[Exchange]:
    """Return what was said in a domain from an instant until before another, or what an account said; oldest first.

    Nothing that Lyra said is among it.
    """
    rows = await db.all(
        exchanges.SELECT + "WHERE e.domain = :domain AND e.kind = 'said' AND e.said_at >= :start AND e.said_at < :end "
        f"AND (CAST(:account AS INTEGER) IS NULL OR e.identity = :account) AND {common('e')} ORDER BY e.said_at, e.item LIMIT :most",
        {"domain": domain.key, "start": start, "end": end, "account": account, "most": most},
    )
    return [exchanges.exchange(row) for row in rows]
