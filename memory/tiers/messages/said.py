"""What people said in a domain, without what she said: who, how much, the first and the last of it, in a stretch of time."""

from collections.abc import AsyncIterator, Collection

from memory.forget.gone import present, shown
from memory.places.confidences import common
from memory.store.database import Access, Reader, Row
from memory.store.lineage import bound, placeholders
from memory.tiers import exchanges
from memory.types import Domain, Exchange, Identity

_PAGE = 400


async def pages(db: Access, domain: int, identity: Identity, before: int) -> AsyncIterator[list[Row]]:
    """Yield keys, sessions and texts of everything that an account said in a domain before a key, some at a time."""
    while rows := await db.all(
        "SELECT e.item, e.session, e.text FROM exchanges e JOIN identities n ON n.id = e.identity "
        "WHERE e.domain = :domain AND e.kind = 'said' AND e.item < :before AND n.platform = :platform AND n.native_id = :account "
        "ORDER BY e.item DESC LIMIT :n",
        {"domain": domain, "before": before, "platform": identity.platform, "account": identity.native_id, "n": _PAGE},
    ):
        yield rows
        before = rows[-1]["item"]


async def within(db: Access, domain: Domain, start: int, end: int, account: int | None, most: int) -> list[Exchange]:
    """Return what was said in a domain from an instant until before another, or what an account said; oldest first.

    Nothing that Lyra said is among it.
    """
    rows = await db.all(
        exchanges.SELECT + "WHERE e.domain = :domain AND e.kind = 'said' AND e.said_at >= :start AND e.said_at < :end "
        f"AND (CAST(:account AS INTEGER) IS NULL OR e.identity = :account) AND {common('e')} ORDER BY e.said_at, e.item LIMIT :most",
        {"domain": domain.key, "start": start, "end": end, "account": account, "most": most},
    )
    return [exchanges.exchange(row) for row in rows]


async def speakers(db: Reader, domain: Domain) -> list[str]:
    """Return the names of all who ever spoke in a domain."""
    rows = await db.all(
        "WITH RECURSIVE firsts (item) AS (SELECT (SELECT e.item FROM exchanges e WHERE e.domain = :domain AND e.kind = 'said' "
        "ORDER BY e.speaker LIMIT 1) UNION ALL SELECT (SELECT e.item FROM exchanges e WHERE e.domain = :domain AND e.kind = 'said' "
        "AND e.speaker > (SELECT l.speaker FROM exchanges l WHERE l.item = firsts.item) ORDER BY e.speaker LIMIT 1) "
        "FROM firsts WHERE firsts.item IS NOT NULL) SELECT e.speaker FROM firsts JOIN exchanges e ON e.item = firsts.item",
        {"domain": domain.key},
    )
    return sorted(row["speaker"] for row in rows)


async def accounts(reader: Reader, domain: Domain, names: Collection[str]) -> list[Identity]:
    """Return the accounts of those who spoke in a domain under any of these names."""
    rows = await reader.all(
        "SELECT DISTINCT n.platform, n.native_id FROM exchanges e JOIN identities n ON n.id = e.identity "
        f"WHERE e.domain = :domain AND e.kind = 'said' AND e.speaker IN ({placeholders('n', names)})",
        {"domain": domain.key, **bound("n", names)},
    )
    return [Identity(row["platform"], row["native_id"]) for row in rows]


async def by(db: Access, session: int, identity: Identity, source_id: str, before: int = 1 << 62) -> Exchange | None:
    """Return what an account said in a session: the message of this id at the platform, or else the last one before a key."""
    said = f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.session = :session AND e.kind = 'said' "
    theirs = f"{said}AND n.platform = :platform AND n.native_id = :account "
    which = {"session": session, "platform": identity.platform, "account": identity.native_id, "before": before}
    theirs += "AND e.item < :before "
    row = await db.one(f"{theirs}AND e.source_id = :source_id", {**which, "source_id": source_id}) or await db.one(
        f"{theirs}ORDER BY e.said_at DESC, e.item DESC LIMIT 1", which
    )
    return exchanges.exchange(row) if row else None


async def latest_by(db: Access, session: int, identity: Identity, n: int) -> list[Exchange]:
    """Return the n messages that an account said last in a session, the last one first."""
    rows = await db.all(
        f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.session = :session AND e.kind = 'said' "
        "AND n.platform = :platform AND n.native_id = :account ORDER BY e.said_at DESC, e.item DESC LIMIT :n",
        {"session": session, "platform": identity.platform, "account": identity.native_id, "n": n},
    )
    return [exchanges.exchange(row) for row in rows]


async def counted(db: Access, domain: Domain) -> tuple[int, int]:
    """Return how many messages people said in a domain, and when the last one was (0 where there is none)."""
    row = await db.one(
        "SELECT count(*) AS n, coalesce(max(said_at), 0) AS last FROM exchanges e WHERE domain = :domain AND kind = 'said' "
        f"AND {common('e')}",
        {"domain": domain.key},
    )
    assert row is not None
    return row["n"], row["last"]


async def after(db: Access, domain: Domain, item: int) -> Row:
    """Return what people said in a domain behind an item: how much (n), the last of it, and when its first was stored."""
    row = await db.one(
        "SELECT count(*) AS n, max(item) AS last, min(stored_at) AS first FROM exchanges e "
        f"WHERE domain = :domain AND item > :item AND kind = 'said' AND {common('e')}",
        {"domain": domain.key, "item": item},
    )
    assert row is not None
    return row


async def first(db: Access, domain: Domain, item: int) -> int | None:
    """Return the first thing people said in a domain from an item on, None where there is none."""
    row = await db.one(
        "SELECT item FROM exchanges e WHERE domain = :domain AND item >= :item AND kind = 'said' AND echo = 0 "
        f"AND {present('e')} AND {common('e')} ORDER BY item LIMIT 1",
        {"domain": domain.key, "item": item},
    )
    return int(row["item"]) if row else None


async def text(db: Access, item: int) -> str:
    """Return what people said in a message, '' where it is none of theirs."""
    row = await db.one("SELECT text FROM exchanges WHERE item = :item AND kind = 'said'", {"item": item})
    return str(row["text"]) if row else ""


async def last(db: Access, domain: Domain, n: int, by: int | None = None) -> list[str]:
    """Return the last n texts people said in a domain that may be shown where these are read, oldest first; of them one account's alone."""
    rows = await db.all(
        f"SELECT text, identity FROM exchanges e WHERE domain = :domain AND kind = 'said' AND {shown('e')} AND {common('e')} "
        "ORDER BY item DESC LIMIT :n",
        {"domain": domain.key, "n": n},
    )
    return [row["text"] for row in reversed(rows) if by in (None, row["identity"])]
