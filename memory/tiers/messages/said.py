"""What people said in a domain, Lyra's messages excluded: queries by account, time and position."""

from collections.abc import Collection

from memory.forget.gone import present
from memory.places.confidences import common
from memory.store.database import DatabaseAccess, Reader, Row
from memory.store.lineage import bound, paged, placeholders
from memory.tiers import exchanges
from memory.types import Domain, Exchange, Identity


async def latest(
    reader: Reader, domain: int, session: int | None, identity: Identity, before: int, n: int, since: int = 0
) -> list[Exchange]:
    """Return the last messages of an account in a domain or one of its sessions before a key, said since an instant; at most `n`, the
    latest first.
    """
    within = "" if session is None else "AND e.session = :session "
    rows = await reader.all(
        f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.domain = :domain AND e.kind = 'said' AND e.item < :before {within}"
        "AND e.said_at >= :since AND n.platform = :platform AND n.native_id = :account ORDER BY e.item DESC LIMIT :n",
        {"domain": domain, "session": session, "before": before, "since": since, "platform": identity.platform,
         "account": identity.native_id, "n": n},
    )  # fmt: skip
    return [exchanges.exchange(row) for row in rows]


async def by(reader: Reader, items: Collection[int], identity: Identity) -> list[int]:
    """Return which of these messages an account said, oldest first."""
    rows = await paged(
        reader,
        "SELECT e.item FROM exchanges e JOIN identities n ON n.id = e.identity WHERE e.item IN ({within}) AND e.kind = 'said' "
        "AND n.platform = :platform AND n.native_id = :account",
        sorted(items),
        {"platform": identity.platform, "account": identity.native_id},
    )
    return sorted(row["item"] for row in rows)


async def following(reader: Reader, items: Collection[int], before: int) -> dict[int, str]:
    """Return what the speakers of these messages said next in their conversations, before a key, by key."""
    rows = await paged(
        reader,
        "SELECT n.item, n.text FROM exchanges e JOIN exchanges n ON n.item = (SELECT l.item FROM exchanges l "
        "WHERE l.session = e.session AND l.said_at >= e.said_at AND l.item > e.item AND l.kind = 'said' AND l.identity = e.identity "
        "ORDER BY l.said_at, l.item LIMIT 1) WHERE e.item IN ({within}) AND n.item < :before",
        sorted(items),
        {"before": before},
    )
    return {row["item"]: row["text"] for row in rows}


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


async def before(reader: Reader, message: Exchange) -> Exchange | None:
    """Return what anybody said last in a conversation before a message, None if it is the first."""
    row = await reader.one(
        exchanges.SELECT + "WHERE e.session = :session AND e.kind = 'said' AND e.said_at <= :at AND e.item < :before "
        "ORDER BY e.said_at DESC, e.item DESC LIMIT 1",
        {"session": message.session, "at": message.said_at, "before": message.key},
    )
    return exchanges.exchange(row) if row else None


async def lately_by(reader: Reader, session: int, identity: Identity, before: int, n: int) -> list[Exchange]:
    """Return the last messages of an account in a session before a key, at most `n`, the latest first."""
    rows = await reader.all(
        f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.session = :session AND e.kind = 'said' "
        "AND n.platform = :platform AND n.native_id = :account AND e.item < :before ORDER BY e.said_at DESC, e.item DESC LIMIT :n",
        {"session": session, "platform": identity.platform, "account": identity.native_id, "before": before, "n": n},
    )
    return [exchanges.exchange(row) for row in rows]


async def message_by(db: Reader, session: int, identity: Identity, source_id: str, before: int = 1 << 62) -> Exchange | None:
    """Return an account's message in a session: the one with this platform id, or else the last one before a key."""
    select = f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.session = :session AND e.kind = 'said' "
    theirs = f"{select}AND n.platform = :platform AND n.native_id = :account "
    parameters = {"session": session, "platform": identity.platform, "account": identity.native_id, "before": before}
    theirs += "AND e.item < :before "
    row = await db.one(f"{theirs}AND e.source_id = :source_id", {**parameters, "source_id": source_id}) or await db.one(
        f"{theirs}ORDER BY e.said_at DESC, e.item DESC LIMIT 1", parameters
    )
    return exchanges.exchange(row) if row else None


async def after(db: DatabaseAccess, domain: Domain, item: int) -> Row:
    """Return what people said in a domain after an item: how much (n), the last of it, and when the first was stored."""
    row = await db.one(
        "SELECT count(*) AS n, max(item) AS last, min(stored_at) AS first FROM exchanges e "
        f"WHERE domain = :domain AND item > :item AND kind = 'said' AND {common('e')}",
        {"domain": domain.key, "item": item},
    )
    assert row is not None
    return row


async def first(db: DatabaseAccess, domain: Domain, item: int) -> int | None:
    """Return the first message of people in a domain from an item on, None if there is none."""
    row = await db.one(
        "SELECT item FROM exchanges e WHERE domain = :domain AND item >= :item AND kind = 'said' AND echo = 0 "
        f"AND {present('e')} AND {common('e')} ORDER BY item LIMIT 1",
        {"domain": domain.key, "item": item},
    )
    return int(row["item"]) if row else None


async def text(db: DatabaseAccess, item: int) -> str:
    """Return the text of a message that a person said, '' if it is none."""
    row = await db.one("SELECT text FROM exchanges WHERE item = :item AND kind = 'said'", {"item": item})
    return str(row["text"]) if row else ""
