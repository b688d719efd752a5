"""Asides: messages that stood in a prompt and are not kept, such as quotes and what others said just before.

An aside is an item without words. Its id derives from the platform's id of the message and its channel, whatever thread it was
seen from, so that replies that had it in view are found when it is taken back. If the same message is kept, that is an item of
its own. The platform position of an aside is recorded, so that it can be looked up there like a kept message.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.errors import SourceGone
from memory.forget import tombstones
from memory.store.database import DatabaseAccess, Row, Transaction
from memory.store.lineage import Seal, add_items, bound, paged, placeholders, require_living, run_paged
from memory.tiers.messages import known
from memory.types import Domain, Session

KIND = "aside"


@dataclass(frozen=True, slots=True)
class Aside:
    """A message that was shown: its platform id, when it was said and last edited (0: never), and since when it was in view."""

    id: str
    said_at: int = 0
    edited_at: int = 0
    seen_at: int = 0


@dataclass(frozen=True, slots=True)
class ShownItems:
    """The items of what was shown: kept messages and replies, and asides."""

    kept: frozenset[int] = frozenset()
    asides: frozenset[int] = frozenset()


async def keep(tx: Transaction, seal: Seal, domain: Domain, session: Session, shown: Collection[Aside]) -> ShownItems:
    """Return the items of what was shown, creating missing ones. Raises SourceGone if one was taken back."""
    if not shown:
        return ShownItems()
    source_ids = sorted({one.id for one in shown})
    kept = {row["id"]: row["item"] for row in await paged(tx.everywhere, _KEPT, source_ids, {"platform": session.ref.platform})}
    unkept = [source_id for source_id in source_ids if source_id not in kept]
    names = [known.seen_as(seal, domain.ref, session.ref.platform, session.ref.place, source_id) for source_id in unkept]
    hashes = [*names, *(known.public_id(seal, domain.ref, session.ref, source_id) for source_id in unkept)]
    there = {
        row["public_id"]: row
        for row in await tx.all(
            f"SELECT id, public_id, dead_at FROM items WHERE public_id IN ({placeholders('n', names)})", bound("n", names)
        )
    }
    if await tombstones.among(tx, hashes) or any(row["dead_at"] is not None for row in there.values()):
        raise SourceGone("Something that this answer was shown was taken back while it was made.")
    await require_living(tx.everywhere, list(kept.values()))
    fresh = [name for name in names if name not in there]
    fresh_keys = await add_items(tx, domain, KIND, fresh)
    items = {name: row["id"] for name, row in there.items()} | dict(zip(fresh, fresh_keys, strict=True))
    by_id = {one.id: one for one in shown}
    # Existing rows stay as first seen, so that an edit missed since then is detected.
    await tx.many(
        "INSERT INTO asides (item, platform, place, source_id, said_at, edited_at, seen_at) "
        "VALUES (:item, :platform, :place, :source_id, :said_at, :edited_at, :seen_at) ON CONFLICT (item) DO NOTHING",
        (
            {"item": items[name], "platform": session.ref.platform, "place": session.ref.place, "source_id": source_id,
             "said_at": by_id[source_id].said_at, "edited_at": by_id[source_id].edited_at, "seen_at": by_id[source_id].seen_at}
            for name, source_id in zip(names, unkept, strict=True)
        ),
    )  # fmt: skip
    return ShownItems(frozenset(kept.values()), frozenset(items.values()))


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the records of these asides; nothing rests on them any more."""
    await run_paged(tx, "DELETE FROM asides WHERE item IN ({within})", items)


async def placed(db: DatabaseAccess, items: Collection[int]) -> list[Row]:
    """Return these asides as rows shaped like messages; those from before positions were recorded are missing."""
    return await paged(db, f"SELECT {_AS_MESSAGE} FROM asides WHERE item IN ({{within}})", sorted(items))


async def before(db: DatabaseAccess, platform: str, place: str, position: tuple[int, int], seen_before: int, n: int) -> list[Row]:
    """Return the n asides of a place before a position that were seen before an instant, newest first, shaped like messages."""
    return await db.all(
        f"SELECT {_AS_MESSAGE} FROM asides WHERE platform = :platform AND place = :place "
        "AND (said_at < :said_at OR (said_at = :said_at AND item < :item)) AND seen_at < :seen_before "
        "ORDER BY said_at DESC, item DESC LIMIT :limit",
        {"platform": platform, "place": place, "said_at": position[0], "item": position[1], "seen_before": seen_before,
         "limit": n},
    )  # fmt: skip


_AS_MESSAGE = "item, 'aside' AS kind, '' AS text, source_id, said_at, seen_at AS stored_at, edited_at, platform, place"


_KEPT = (
    "SELECT e.source_id AS id, e.item FROM exchanges e JOIN sessions s ON s.id = e.session WHERE s.platform = :platform "
    "AND e.source_id IN ({within}) UNION SELECT o.remote_id, o.item FROM outbox o JOIN items i ON i.id = o.item "
    "WHERE o.platform = :platform AND o.remote_id IN ({within}) AND o.remote_id <> ''"
)


async def of_messages(db: DatabaseAccess, seal: Seal, domain: Domain, rows: Sequence[Row]) -> dict[int, list[str]]:
    """Return the asides that the messages in these rows were before they were kept, with the messages' texts."""
    texts = {known.seen_as(seal, domain.ref, row["platform"], row["place"], row["source_id"]): row["text"] for row in rows}
    return {item: [texts[name]] for name, item in (await by_public_id(db, list(texts))).items()}


async def by_public_id(db: DatabaseAccess, names: Sequence[str]) -> Mapping[str, int]:
    """Return the living asides with these public ids."""
    living = "SELECT id, public_id FROM items WHERE public_id IN ({within}) AND kind = 'aside' AND dead_at IS NULL"
    return {row["public_id"]: row["id"] for row in await paged(db, living, names)}


async def among(db: DatabaseAccess, items: Sequence[int]) -> list[int]:
    """Return which of these items are asides."""
    return [row["id"] for row in await paged(db, "SELECT id FROM items WHERE id IN ({within}) AND kind = 'aside'", items)]
