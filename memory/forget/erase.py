"""Erasing rows: items, and every digest and statement made from them, in the caller's transaction."""

from collections.abc import Collection, Sequence

from memory.derive import refusals
from memory.forget.thread_name_removal import unname
from memory.index.indexing import unindex
from memory.journal import inbox
from memory.journal.outbox import blank_parts
from memory.places import confidences
from memory.places.places import drop_names
from memory.store.database import Reader, Transaction
from memory.store.domains import by_domain
from memory.store.lineage import bound, cut, mark_dead, paged, pages, placeholders, rest_on_messages
from memory.tiers import (
    corrections,
    entities,
    episodes,
    feedback,
    open_things,
    reflections,
    rereading,
    statements,
    summaries,
)
from memory.tiers.messages import asides, seen, storing
from memory.types import Domain, Forgotten


async def erase(tx: Transaction, items: Sequence[int], now: int) -> Forgotten:
    """Erase messages with the digests and statements above them; return the receipt. The caller adds the replies.

    A remaining reply that cited such a digest now rests on the messages below it.
    """
    gone = await digests_above(tx, items)
    await rest_on_messages(tx, gone)
    total = Forgotten(0, 0, 0)
    for domain, those in await by_domain(tx, gone):
        total += await _receipt(tx, domain, those)
        await _remove_all(tx, domain, those, now)
        await refusals.drop(tx, domain)
        await episodes.drop_empty(tx, domain)
        await drop_names(tx, domain)
    return total


async def retire(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove digests or replies, and the digests made from them, to be rewritten.

    Remaining replies that used them now rest on their messages.
    """
    await supersede(tx, domain, items, now)
    if items:
        await refusals.drop(tx, domain)


async def retire_above(tx: Transaction, items: Collection[int], now: int) -> None:
    """Remove all digests that rest on these messages, directly or not, to be rewritten."""
    above = set(await digests_above(tx, sorted(items))).difference(items)
    for domain, those in await by_domain(tx, sorted(above)):
        await retire(tx, domain, those, now)


async def supersede(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove digests that are written anew from sources that stay, with those made from them.

    What was refused in the domain stays noted, as nothing is lost that an answer may hold.
    """
    gone = await digests_above(tx, items)
    await rest_on_messages(tx, gone)
    await _remove_all(tx, domain, gone, now)


async def remove_to_rewrite(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove digests or statements of a domain with the summaries that rest on them, to be derived again.

    Whatever else was made from them stays, and rests on their messages now.
    """
    await _remove_with_summaries(tx, domain, items, now, again=True)


async def remove_for_good(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove the same as `remove_to_rewrite`, but derive none of it again."""
    await _remove_with_summaries(tx, domain, items, now, again=False)


async def _remove_with_summaries(tx: Transaction, domain: Domain, items: Sequence[int], now: int, *, again: bool) -> None:
    gone = sorted({*items, *await summaries.resting_on(tx, items)})
    await rest_on_messages(tx, gone)
    await _remove_all(tx, domain, gone, now, again=again)
    if gone:
        await refusals.drop(tx, domain)


async def digests_above(reader: Reader, items: Sequence[int]) -> list[int]:
    """Return these items and all digests that rest on them, directly or not."""
    rows = await paged(
        reader,
        "WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({within}) UNION "
        "SELECT l.child FROM lineage l JOIN above ON l.parent = above.id "
        "JOIN items i ON i.id = l.child AND i.kind <> 'exchange' AND i.dead_at IS NULL) SELECT id FROM above",
        items,
    )
    return sorted({*items, *(row["id"] for row in rows)})


async def _remove_all(tx: Transaction, domain: Domain, gone: Sequence[int], now: int, *, again: bool = True) -> None:
    # First, because the index of an item depends on whether it was told in confidence.
    await unindex(tx, domain, gone)
    for some in pages(gone):
        if again:
            await summaries.uncover(tx, some)
            await statements.uncover(tx, some)
        else:
            await summaries.unmerge(tx, some)
        await _gone(tx, some, now)


async def _receipt(tx: Transaction, domain: Domain, gone: Sequence[int]) -> Forgotten:
    counted = {"said": 0, "reply": 0, "digest": 0}
    for row in await paged(
        tx,
        "SELECT CASE WHEN e.kind = 'said' THEN 'said' ELSE 'reply' END AS what, count(*) AS n FROM exchanges e "
        "WHERE e.domain = :domain AND e.item IN ({within}) AND e.kind <> 'command' GROUP BY 1 UNION ALL "
        "SELECT 'digest' AS what, count(*) AS n FROM digests WHERE domain = :domain AND item IN ({within}) "
        "UNION ALL SELECT 'digest' AS what, count(*) AS n FROM statements WHERE domain = :domain AND item IN ({within})",
        gone,
        {"domain": domain.key},
    ):
        counted[row["what"]] += row["n"]
    return Forgotten(counted["said"], counted["digest"], counted["reply"])


_TIERS = (
    summaries,
    statements,
    reflections,
    open_things,
    corrections,
    feedback,
    storing,
    seen,
    asides,
    confidences,
    entities,
    rereading,
)
"""The modules that keep rows of items; each erases its own."""


async def _gone(tx: Transaction, some: Sequence[int], now: int) -> None:
    within = f"IN ({placeholders('i', some)})"
    await mark_dead(tx, some, now)
    await inbox.finish_kept(tx, some)
    await unname(tx, some, now)
    await blank_parts(
        tx,
        "operation = 'preview' AND EXISTS (SELECT 1 FROM exchanges e JOIN sessions s ON s.id = e.session "
        f"WHERE e.item {within} AND e.source_id = outbox.answers AND s.platform = outbox.platform AND s.place = outbox.place)",
        bound("i", some),
    )
    await blank_parts(tx, f"item {within}", bound("i", some))
    for tier in _TIERS:
        await tier.erase(tx, some)
    await cut(tx, some)
