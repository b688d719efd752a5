"""Setting items apart: from whom they are kept, in the caller's transaction, and what is kept again as a permission goes.

As soon as messages are kept from anybody, digests are rewritten without them.
"""

from collections.abc import Collection, Mapping, Sequence

from memory.derive import refusals
from memory.forget import erase
from memory.forget.affected_replies import AffectedReplies
from memory.forget.sparing import Nearness
from memory.forget.thread_name_removal import unname
from memory.index.indexing import unindex
from memory.places import confidences
from memory.store.database import DatabaseAccess, Reader, Transaction
from memory.store.domains import by_domain, note_forgetting
from memory.tiers import corrections, entities, exchanges, feedback
from memory.tiers.messages import storing
from memory.types import NOBODY, Kind, WithheldFrom


async def put(tx: Transaction, kept_from: Mapping[int, WithheldFrom], now: int) -> None:
    """Keep each of these items from its people as well, from this transaction on."""
    confided = await confidences.by_item(tx, kept_from)
    before = {item: confided[item].excepted if item in confided else NOBODY for item in kept_from}
    await put_exactly(tx, {item: after for item, one in before.items() if (after := one.and_(kept_from[item])) != one}, now)


async def put_exactly(tx: Transaction, kept_from: Mapping[int, WithheldFrom], now: int) -> None:
    """Keep each of these items from its people and from nobody else, from this transaction on."""
    for domain, items in await by_domain(tx, sorted(kept_from)):
        above = set(await erase.digests_above(tx, items)).difference(items)
        # Feedback on an answer stays with it.
        above -= await feedback.among(tx, sorted(above))
        for there, digests in await by_domain(tx, sorted(above)):
            await erase.retire(tx, there, digests, now)
        await refusals.drop(tx, domain)
        await unindex(tx, domain, items)
        await unname(tx, [item for item in items if kept_from[item] != NOBODY], now)
        for whom in {kept_from[item]: None for item in items}:
            await confidences.put(tx, domain, [item for item in items if kept_from[item] == whom], whom, now)
        said = (await exchanges.among(tx, items)).values()
        await storing.index(tx, domain, [message for message in said if exchanges.recallable(message)])
        await entities.requeue(tx, domain, [message.key for message in said if message.kind is Kind.SAID])
        await note_forgetting(tx, domain, now)


async def amended(reader: Reader, items: Sequence[int]) -> dict[int, str]:
    """Return the texts of these messages, and of those that correct them or are corrected by them."""
    found = await exchanges.among(reader, await corrections.with_tied(reader, items))
    return {key: one.text for key, one in found.items() if one.kind is Kind.SAID}


async def replies(db: DatabaseAccess, nearness: Nearness, texts: Mapping[int, str]) -> list[int]:
    """Return the replies, in any domain, that hold something of messages with these texts."""
    walk, found = AffectedReplies(db, nearness), set[int]()
    for domain, items in await by_domain(db, sorted(texts)):
        found |= await walk.along(domain, {item: [texts[item]] for item in items})
    return sorted(found)


async def freed_by(
    db: DatabaseAccess, nearness: Nearness, permits: Sequence[int], besides: Collection[int] = ()
) -> dict[int, WithheldFrom]:
    """Return what these messages permitted to tell, with its corrections and replies, and from whom it is kept as they go.

    Nothing is told of what goes `besides`.
    """
    found: dict[int, WithheldFrom] = {}
    freed = [one for one in await confidences.heeded(db, requests=permits) if one.frees and one.item not in besides]
    for whom in {one.whom: None for one in freed}:
        told = await amended(db, [one.item for one in freed if one.whom == whom])
        for item in {*told, *await replies(db, nearness, told)}.difference(besides, permits):
            found[item] = found.get(item, NOBODY).and_(whom)
    return found
