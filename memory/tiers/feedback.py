"""What was said of her answers: that one was not good. An item of the domain, which goes with the answer it is about.

Such an answer enters no recall and no digest from then on, so that nothing later is made after its model; where it stands in view,
it is said that it was not good. Who said so is not kept, but whether that was who asked or who rules the place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory.forget.gone import shown
from memory.index.indexing import unindex
from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import Seal, add_items, bound, derive, mark_dead, pages, placeholders
from memory.tiers import exchanges
from memory.tiers.messages import storing
from memory.tiers.messages.seen import readable
from memory.types import Domain, Exchange


class GivenBy(StrEnum):
    """By which right somebody judges an answer: they asked, or they rule the place."""

    ASKER = "asker"
    RULER = "ruler"


@dataclass(frozen=True, slots=True)
class Disliked:
    """An answer that was not good, what it answered last (None: nothing that is kept), and when that was said of it."""

    reply: Exchange
    asked: Exchange | None
    at: int


async def dislike(
    tx: Transaction, seal: Seal, domain: Domain, reply: Exchange, given_by: GivenBy, source_id: str, now: int
) -> bool:
    """Keep that a reply of a domain was not good, said in an act of the platform's id; return whether that is new."""
    known = await tx.one(
        "SELECT item FROM feedback WHERE reply = :reply AND given_by = :by", {"reply": reply.key, "by": given_by.value}
    )
    if known:
        return False
    # It may be given again after it was taken back.
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
    """Take back, by these rights, that a reply of a domain was not good; return whether it was said by one of them."""
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
    """Return the feedback that was given on a platform in acts of these ids: its reply, and by which right."""
    found: list[Row] = []
    for some in pages(acts):
        found += await reader.all(
            "SELECT f.reply, f.given_by FROM feedback f JOIN exchanges e ON e.item = f.reply JOIN sessions s ON s.id = e.session "
            f"WHERE s.platform = :platform AND f.source_id IN ({placeholders('a', some)})",
            {"platform": platform, **bound("a", some)},
        )
    return found


async def among(reader: Reader, items: Sequence[int]) -> set[int]:
    """Return which of these items are feedback."""
    found: set[int] = set()
    for some in pages(items):
        rows = await reader.all(f"SELECT item FROM feedback WHERE item IN ({placeholders('i', some)})", bound("i", some))
        found.update(row["item"] for row in rows)
    return found


async def count(reader: Reader, domain: Domain, since: int) -> int:
    """Return how many answers of a domain were said not to be good since an instant, and still are."""
    row = await reader.one(
        "SELECT count(DISTINCT reply) AS n FROM feedback WHERE domain = :domain AND at > :since",
        {"domain": domain.key, "since": since},
    )
    return int(row["n"]) if row else 0


async def newest(reader: Reader, domain: Domain, most: int, read: Sequence[int]) -> list[Disliked]:
    """Return the last answers of a domain that were said not to be good and may be shown where the domains `read` may, the newest first."""
    rows = await reader.all(
        "SELECT f.reply, max(f.at) AS at, max(l.parent) AS asked FROM feedback f JOIN exchanges e ON e.item = f.reply "
        "LEFT JOIN lineage l ON l.child = f.reply AND l.answered = 1 "
        f"AND NOT EXISTS (SELECT 1 FROM confided c WHERE c.item = l.parent AND c.domain NOT IN ({placeholders('d', read)})) "
        f"WHERE f.domain = :domain AND {shown('e')} AND {readable('e', read)} GROUP BY f.reply ORDER BY 2 DESC, f.reply DESC LIMIT :most",
        {"domain": domain.key, "most": most, **bound("d", read)},
    )
    there = await exchanges.among(reader, [row[name] for row in rows for name in ("reply", "asked") if row[name]])
    return [Disliked(there[row["reply"]], there.get(row["asked"]), row["at"]) for row in rows]


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Remove the feedback among these items."""
    await tx.run(f"DELETE FROM feedback WHERE item IN ({placeholders('i', items)})", bound("i", items))
