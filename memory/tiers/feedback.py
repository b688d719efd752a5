"""Feedback: answers of Lyra's that somebody disliked. Each is an item that goes with the answer.

From then on the answer enters no recall and no digest, so that nothing is modelled on it; in view, it is marked as disliked.
Who gave the feedback is not kept, only whether it was the asker or a moderator of the place.
"""

from collections.abc import Sequence
from enum import StrEnum

from memory.index.indexing import unindex
from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import Seal, add_items, bound, derive, mark_dead, paged, placeholders, run_paged
from memory.tiers import exchanges
from memory.tiers.messages import storing
from memory.types import Domain, Exchange


class GivenBy(StrEnum):
    """The right by which somebody judges an answer: as its asker, or as who rules the place."""

    ASKER = "asker"
    RULER = "ruler"


async def dislike(
    tx: Transaction, seal: Seal, domain: Domain, reply: Exchange, given_by: GivenBy, source_id: str, now: int
) -> bool:
    """Store the dislike of a reply, given in the act with this platform id; return whether it is new."""
    known = await tx.one(
        "SELECT item FROM feedback WHERE reply = :reply AND given_by = :by", {"reply": reply.key, "by": given_by.value}
    )
    if known:
        return False
    # The time is part of the id, as feedback may be given again after it was withdrawn.
    public_id = seal.id(domain.ref, "feedback", reply.id, given_by.value, source_id, str(now))
    (item,) = await add_items(tx, domain, "feedback", [public_id])
    await tx.run(
        "INSERT INTO feedback (item, domain, reply, given_by, source_id, at) VALUES (:item, :domain, :reply, :by, :source, :now)",
        {"item": item, "domain": domain.key, "reply": reply.key, "by": given_by.value, "source": source_id, "now": now},
    )
    await derive(tx, item, [reply.key])
    await storing.judge(tx, reply.key, disliked=True)
    await unindex(tx, domain, [reply.key])
    return True


async def take_back(tx: Transaction, domain: Domain, reply: int, given_by: Sequence[GivenBy], now: int) -> bool:
    """Withdraw dislikes of a reply that were given by these rights; return whether there were any."""
    rows = await tx.all(
        f"DELETE FROM feedback WHERE reply = :reply AND given_by IN ({placeholders('b', given_by)}) RETURNING item",
        {"reply": reply, **bound("b", [one.value for one in given_by])},
    )
    await mark_dead(tx, [row["item"] for row in rows], now)
    if rows and not await tx.one("SELECT item FROM feedback WHERE reply = :reply", {"reply": reply}):
        await storing.judge(tx, reply, disliked=False)
        after = (await exchanges.among(tx, [reply])).get(reply)
        if after and exchanges.recallable(after):
            await storing.index(tx, domain, [after])
    return bool(rows)


async def given_in(reader: Reader, platform: str, acts: Sequence[str]) -> list[Row]:
    """Return the feedback given in these acts on a platform: its reply, and by which right."""
    return await paged(
        reader,
        "SELECT f.reply, f.given_by FROM feedback f JOIN exchanges e ON e.item = f.reply JOIN sessions s ON s.id = e.session "
        "WHERE s.platform = :platform AND f.source_id IN ({within})",
        acts,
        {"platform": platform},
    )


async def among(reader: Reader, items: Sequence[int]) -> set[int]:
    """Return which of these items are feedback."""
    return {row["item"] for row in await paged(reader, "SELECT item FROM feedback WHERE item IN ({within})", items)}


async def count(reader: Reader, domain: Domain, since: int) -> int:
    """Return how many answers of a domain were disliked since an instant and still are."""
    row = await reader.one(
        "SELECT count(DISTINCT reply) AS n FROM feedback WHERE domain = :domain AND at > :since",
        {"domain": domain.key, "since": since},
    )
    return int(row["n"]) if row else 0


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the feedback among these items."""
    await run_paged(tx, "DELETE FROM feedback WHERE item IN ({within})", items)
