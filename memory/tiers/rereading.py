"""Backfill of manners, announcements and corrections from messages stored by earlier versions, done by housekeeping in batches.

Messages told in confidence and wishes since withdrawn are skipped, and nothing already taken up is opened again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from memory.places import confidences
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Transaction
from memory.store.lineage import Seal, bound, placeholders, run_paged
from memory.text.time.times import local
from memory.text.told.announcements import plan
from memory.text.told.correction_wordings import correction
from memory.text.told.manner_requests import MannerRequest, manner_requests
from memory.tiers import corrections, exchanges, manners, open_things, profile
from memory.types import Domain, Exchange

Retire = Callable[[Transaction, Collection[int]], Awaitable[None]]
"""Removes what was derived from messages, to be derived again."""

_STEP = 200


async def catch_up(db: DatabaseAccess, seal: Seal, domain: Domain, now: int, retire: Retire) -> int:
    """Process the queued messages of a domain, each batch committed separately; return how many.

    `retire` is called with the messages that turn out to be corrected.
    """
    done = 0
    while items := await _waiting(db, domain):
        corrected: set[int] = set()
        found = await exchanges.among(db, items)
        wishes = await asyncio.to_thread(_read_wishes, domain, found)
        async with db.transaction(bounds=Bounds.of(domain.key)) as tx:
            again = (await exchanges.among(tx, sorted(wishes))).values()
            for one in sorted(again, key=lambda one: (one.said_at, one.key)):
                if one.text == found[one.key].text:
                    corrected |= await _note(tx, seal, domain, one, wishes[one.key], now)
            await retire(tx, corrected)
            await erase(tx, items)
        done += len(items)
    return done


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Remove these items from the queue."""
    await run_paged(tx, "DELETE FROM unheard WHERE item IN ({within})", items)


def _read_wishes(domain: Domain, said: Mapping[int, Exchange]) -> dict[int, Mapping[str, MannerRequest]]:
    """Return the wishes of those messages that have wishes, announcements or corrections."""
    wishes = {key: manner_requests(one.text) for key, one in said.items()}
    return {
        key: wishes[key]
        for key, one in said.items()
        if wishes[key] or plan(one.text, local(one.said_at, domain.time_zone).date()) or correction(one.text)
    }


async def _note(
    tx: Transaction, seal: Seal, domain: Domain, said: Exchange, wanted: Mapping[str, MannerRequest], now: int
) -> set[int]:
    """Note what a message holds, and return what it turns out to correct."""
    if await confidences.by_item(tx, [said.key]):
        return set()
    known = await tx.one(
        "SELECT 1 AS known FROM lineage l JOIN statements s ON s.item = l.child WHERE l.parent = :said AND s.tier = :tier",
        {"said": said.key, "tier": manners.TIER},
    )
    let_go = [profile.mark(seal.key, domain, manners.wish_text(said, ask)) for ask in wanted.values() if ask.wish]
    unwanted = await tx.one(
        f"SELECT 1 AS known FROM unwanted WHERE domain = :domain AND mark IN ({placeholders('m', let_go)})",
        {"domain": domain.key, **bound("m", let_go)},
    )
    if not known and not unwanted:
        await manners.note(tx, seal, domain, [said], now)
    if await tx.one("SELECT 1 AS known FROM raised WHERE item = :item", {"item": said.key}) is None:
        await open_things.note(tx, domain, [said])
    return await corrections.note(tx, domain, [said], late=True)


async def _waiting(db: DatabaseAccess, domain: Domain) -> list[int]:
    rows = await db.all(
        "SELECT item FROM unheard WHERE domain = :domain ORDER BY item LIMIT :n", {"domain": domain.key, "n": _STEP}
    )
    return [row["item"] for row in rows]
