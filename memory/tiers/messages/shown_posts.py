"""Lyra's posts as shown on platforms, by platform id, with their items.

A reply is an item by itself. A notice that others can read, such as the answer to a command, is an item without words: what it
shows is recorded like the view of a reply, so that it goes when any of that is forgotten.
"""

from collections.abc import Collection, Sequence

from memory.forget.gone import shown
from memory.journal.parts import OFF_RECORD
from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import Seal, add_items, bound, paged, placeholders
from memory.tiers.messages import seen
from memory.types import Domain

NOTICE = "notice"


async def keep_notice(
    tx: Transaction, seal: Seal, domain: Domain, key: str, shows: Collection[int], abroad: Collection[int]
) -> int:
    """Record what a notice shows and of which other domains, in the transaction that queues it; return its item.

    `key` is the outbox key of its first part.
    """
    (item,) = await add_items(tx, domain, NOTICE, [seal.id(domain.ref, NOTICE, key)])
    await seen.keep(tx, domain, item, shows, (), dict.fromkeys(abroad, True))
    return item


async def may_be_shown(db: Reader, platform: str, ids: Sequence[str], domains: Sequence[int]) -> dict[str, bool]:
    """Return which of these ids are posts of hers, and whether each may be shown where these domains are readable.

    A post may be shown if every item in it may be read: alive, not withheld, its domain and the domains it holds something of
    among these. A preview never replaced by an answer has no known content and is not shown; nor is anything said off the
    record.
    """
    found: dict[str, bool] = {}
    for id, rows in (await _posts(db, platform, ids, domains)).items():
        items = [row for row in rows if row["item"] is not None]
        has_known_content = any(row["operation"] != "preview" and row["form"] != OFF_RECORD for row in rows)
        found[id] = all(row["readable"] for row in items) and (bool(items) or has_known_content)
    return found


async def rested_on(db: Reader, platform: str, ids: Sequence[str]) -> set[int]:
    """Return the items behind these posts, on which an answer shown them rests: replies, and what notices show."""
    rows = [row for some in (await _posts(db, platform, ids, [0])).values() for row in some if row["item"] is not None]
    shows = await seen.seen_by(db, [row["item"] for row in rows if row["kind"] == NOTICE])
    return {row["item"] for row in rows if row["kind"] != NOTICE}.union(*shows.values())


async def _posts(db: Reader, platform: str, ids: Sequence[str], domains: Sequence[int]) -> dict[str, list[Row]]:
    """Return what was sent under each of these ids, or replaced it, with its item and whether that is readable."""
    found: dict[str, list[Row]] = {}
    may = f"i.domain IN ({placeholders('d', domains)}) AND {shown('i')} AND {seen.readable('i', domains)}"
    rows = await paged(
        db,
        f"SELECT o.remote_id, o.operation, o.form, i.item, i.kind, i.dead_at IS NULL AND {may} AS readable FROM ("
        "SELECT remote_id, operation, form, item FROM outbox WHERE platform = :platform AND remote_id IN ({within}) "
        "AND remote_id <> '' AND operation <> 'delete' UNION "
        "SELECT t.remote_id, o.operation, o.form, o.item FROM outbox t JOIN outbox o ON o.target = t.key AND o.target <> '' "
        "WHERE t.platform = :platform AND t.remote_id IN ({within}) AND t.remote_id <> '' "
        "AND o.operation = 'edit' AND o.state <> 'cancelled') AS o "
        "LEFT JOIN (SELECT id AS item, domain, kind, dead_at FROM items) AS i ON i.item = o.item",
        ids,
        {"platform": platform, **bound("d", domains)},
    )
    for row in rows:
        found.setdefault(row["remote_id"], []).append(row)
    return found
