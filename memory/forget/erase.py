"""Erasing rows: items, and every digest and statement made from them, in the caller's transaction."""

from collections.abc import Sequence

from memory.derive import refusals
from memory.journal.outbox import silence
from memory.places.places import read_domain
from memory.store.changes import announce
from memory.store.database import Transaction
from memory.store.lineage import bound, pages, placeholders
from memory.tiers import asides, seen, statements, summaries
from memory.types import Domain, Forgotten


async def erase(tx: Transaction, items: Sequence[int], now: int) -> Forgotten:
    """Erase messages with the digests and statements above them; return the receipt. Replies are the caller's to name.

    A reply that stays and cited such a digest rests on the messages below it instead.
    """
    gone = await digests_above(tx, items)
    await _rest_on_messages(tx, gone)
    total = Forgotten(0, 0, 0)
    for domain, those in await by_domain(tx, gone):
        total += await _receipt(tx, domain, those)
        await _remove_all(tx, domain, those, now)
        await drop_what_is_empty(tx, domain)
    return total


async def retire(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove digests or replies, and the digests made from them, to be written anew.

    Replies that used them and stay rest on their messages instead.
    """
    gone = await digests_above(tx, items)
    await _rest_on_messages(tx, gone)
    await _remove_all(tx, domain, gone, now)


async def by_domain(tx: Transaction, items: Sequence[int]) -> list[tuple[Domain, list[int]]]:
    """Return items by the domain they belong to."""
    found: dict[Domain, list[int]] = {}
    for some in pages(items):
        rows = await tx.all(
            f"SELECT i.id AS item, d.* FROM items i JOIN domains d ON d.id = i.domain WHERE i.id IN ({placeholders('i', some)})",
            bound("i", some),
        )
        for row in rows:
            found.setdefault(read_domain(row), []).append(row["item"])
    return list(found.items())


async def digests_above(tx: Transaction, items: Sequence[int]) -> list[int]:
    """Return these items and all digests that stand on them, directly or not."""
    found = set(items)
    for some in pages(items):
        rows = await tx.all(
            f"WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({placeholders('i', some)}) UNION "
            "SELECT l.child FROM lineage l JOIN above ON l.parent = above.id "
            "JOIN items i ON i.id = l.child AND i.kind <> 'exchange' AND i.dead_at IS NULL) SELECT id FROM above",
            bound("i", some),
        )
        found.update(row["id"] for row in rows)
    return sorted(found)


async def drop_what_is_empty(tx: Transaction, domain: Domain) -> None:
    """Drop the episodes that hold no message any more, and the names of such sessions.

    Their rows stay: a turn may hold one in its hand, and their numbers must never mean another session.
    """
    await tx.run(
        "DELETE FROM episodes WHERE domain = :domain AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.episode = episodes.id)",
        {"domain": domain.key},
    )
    await tx.run(
        "UPDATE sessions SET name = public_id WHERE domain = :domain "
        "AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.session = sessions.id)",
        {"domain": domain.key},
    )


async def _rest_on_messages(tx: Transaction, gone: Sequence[int]) -> None:
    # A message that stays keeps what it rests on itself: the way down ends there.
    within = f"IN ({placeholders('g', gone)})"
    await tx.run(
        f"WITH RECURSIVE below (root, item) AS (SELECT id, id FROM items WHERE id {within} UNION "
        "SELECT below.root, l.parent FROM below JOIN items i ON i.id = below.item JOIN lineage l ON l.child = below.item "
        f"WHERE i.kind <> 'exchange' OR i.id {within}) "
        "INSERT INTO lineage (child, parent) SELECT DISTINCT l.child, below.item FROM below "
        "JOIN lineage l ON l.parent = below.root "
        "JOIN items reply ON reply.id = l.child AND reply.kind = 'exchange' "
        "JOIN items message ON message.id = below.item AND message.kind = 'exchange' "
        "WHERE true ON CONFLICT DO NOTHING",
        bound("g", gone),
    )


async def _remove_all(tx: Transaction, domain: Domain, gone: Sequence[int], now: int) -> None:
    for some in pages(gone):
        await _remove(tx, domain, some, now)
    await announce(tx, domain, gone, "drop")


async def _receipt(tx: Transaction, domain: Domain, gone: Sequence[int]) -> Forgotten:
    counted = {"said": 0, "reply": 0, "digest": 0}
    for some in pages(gone):
        rows = await tx.all(
            "SELECT CASE WHEN e.kind = 'said' THEN 'said' ELSE 'reply' END AS what, count(*) AS n FROM exchanges e "
            f"WHERE e.domain = :domain AND e.item IN ({placeholders('i', some)}) GROUP BY 1 UNION ALL "
            f"SELECT 'digest' AS what, count(*) AS n FROM digests WHERE domain = :domain AND item IN ({placeholders('i', some)}) "
            f"UNION ALL SELECT 'digest' AS what, count(*) AS n FROM statements WHERE domain = :domain AND item IN ({placeholders('i', some)})",
            {"domain": domain.key, **bound("i", some)},
        )
        for row in rows:
            counted[row["what"]] += row["n"]
    return Forgotten(counted["said"], counted["digest"], counted["reply"])


async def _remove(tx: Transaction, domain: Domain, some: Sequence[int], now: int) -> None:
    within = f"IN ({placeholders('i', some)})"
    keys = bound("i", some)
    scoped = {"domain": domain.key, **keys}
    await summaries.uncover(tx, some)
    await statements.uncover(tx, some)
    await tx.run(f"UPDATE items SET dead_at = :now WHERE id {within}", {"now": now, **keys})
    await tx.run(
        "UPDATE inbox SET state = 'done', payload = '' WHERE state <> 'done' AND EXISTS (SELECT 1 FROM exchanges e "
        f"JOIN sessions s ON s.id = e.session WHERE e.item {within} AND e.source_id = inbox.event_id "
        "AND s.platform = inbox.platform)",
        keys,
    )
    await silence(
        tx,
        "operation = 'preview' AND EXISTS (SELECT 1 FROM exchanges e JOIN sessions s ON s.id = e.session "
        f"WHERE e.item {within} AND e.source_id = outbox.answers AND s.platform = outbox.platform AND s.place = outbox.place)",
        keys,
    )
    await silence(tx, f"item {within}", keys)
    for table in ("terms", "vectors", "digests", "reflections", "statements", "exchanges"):
        await tx.run(f"DELETE FROM {table} WHERE domain = :domain AND item {within}", scoped)
    await tx.run(f"DELETE FROM cites WHERE digest {within} OR item {within}", keys)
    await seen.drop(tx, some)
    await asides.drop(tx, some)
    await refusals.drop(tx, domain)
    # What a digest was made from stays known: a reply that had it in view may hold what is forgotten later.
    messages = f"SELECT id FROM items WHERE id {within} AND kind = 'exchange'"
    await tx.run(f"DELETE FROM lineage WHERE child IN ({messages}) OR parent IN ({messages})", keys)
    replies = "SELECT l.child FROM lineage l JOIN items i ON i.id = l.child WHERE i.kind = 'exchange'"
    await tx.run(f"DELETE FROM lineage WHERE parent {within} AND child IN ({replies} AND l.parent {within})", keys)
