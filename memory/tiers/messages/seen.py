"""What stood in view when a reply was made: the items of the prompt, and the domains they came from.

One array of item keys per reply, so that a reply with fifty items takes 400 bytes and one index row. `abroad` has a row for
each other domain of which something was in view; `holds` means that the reply itself contains something of it: such a reply is
shown only where that domain is readable as well, and enters no recall and no digest.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from memory.store.database import DatabaseAccess, Reader, Row, Transaction
from memory.store.lineage import bound, paged, placeholders, run_paged
from memory.types import Domain

_PAGE = 1_000


class OtherDomains(NamedTuple):
    """Of some items, the domains but home that they belong to (`own`), and by domain the items that hold something of it."""

    own: set[int]
    held: dict[int, list[int]]


async def keep(
    tx: Transaction, domain: Domain, reply: int, items: Collection[int], asides: Collection[int], abroad: Mapping[int, bool]
) -> None:
    """Record what stood in view of a reply, which of it are asides, and the other domains, by whether it holds of them."""
    await tx.run(
        "INSERT INTO seen (reply, domain, items, asides) VALUES (:reply, :domain, :items, :asides)",
        {"reply": reply, "domain": domain.key, "items": _array({*items, *asides}), "asides": _array(asides)},
    )
    await tx.many(
        "INSERT INTO abroad (reply, domain, holds) VALUES (:reply, :domain, :holds)",
        ({"reply": reply, "domain": there, "holds": int(holds)} for there, holds in abroad.items()),
    )


async def erase(tx: Transaction, replies: Sequence[int]) -> None:
    """Delete the records of what stood in view of these replies."""
    await run_paged(tx, "DELETE FROM seen WHERE reply IN ({within})", replies)
    await run_paged(tx, "DELETE FROM abroad WHERE reply IN ({within})", replies)


async def touched(reader: Reader, domains: Sequence[int], since: int) -> bool:
    """Return whether anything was forgotten or changed in one of these domains since an instant."""
    within = f"id IN ({placeholders('d', domains)})"
    changed = f"SELECT 1 AS yes FROM domains WHERE {within} AND forgotten_at >= :since AND forgotten_at > 0 LIMIT 1"
    return await reader.one(changed, {**bound("d", domains), "since": since}) is not None


async def abroad(db: Reader, home: Domain, items: Collection[int], cited: Collection[int] = ()) -> OtherDomains:
    """Return the other domains of these items.

    An item told in confidence belongs to the confidence if it is `cited`, and otherwise holds something of it.
    """
    found = OtherDomains(set(), {})
    rows = await paged(
        db,
        "SELECT DISTINCT domain, 0 AS item, 1 AS belongs FROM items WHERE domain <> :home AND id IN ({within}) "
        "UNION ALL SELECT domain, reply, 0 FROM abroad WHERE holds = 1 AND reply IN ({within}) "
        f"UNION ALL SELECT domain, item, CASE WHEN item IN ({placeholders('c', cited)}) THEN 1 ELSE 0 END FROM confided "
        "WHERE item IN ({within})",
        sorted(items),
        {"home": home.key, **bound("c", cited)},
    )
    for row in rows:
        if row["belongs"]:
            found.own.add(row["domain"])
        else:
            found.held.setdefault(row["domain"], []).append(row["item"])
    return found


async def seen_by(db: Reader, replies: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return what stood in view of these replies; those from before this was recorded are missing."""
    rows = await paged(db, "SELECT reply, items FROM seen WHERE reply IN ({within})", replies)
    return {row["reply"]: frozenset(_items(row).tolist()) for row in rows}


async def asides_of(db: DatabaseAccess, replies: Sequence[int]) -> dict[int, frozenset[int] | None]:
    """Return the asides in view of these replies, if there were any; None if that was not recorded yet."""
    there = "SELECT reply, asides FROM seen WHERE reply IN ({within}) AND (asides IS NULL OR length(asides) > 0)"
    return {
        row["reply"]: None if row["asides"] is None else frozenset(_items(row, "asides").tolist())
        for row in await paged(db, there, replies)
    }


async def replies_that_saw(db: DatabaseAccess, domain: Domain, items: Collection[int]) -> AsyncIterator[int]:
    """Yield the replies, in any domain, that had one of these items of a domain in view."""
    wanted = np.array(sorted(items), np.int64)
    after = int(wanted[0]) if len(wanted) else 0
    while len(wanted):
        rows = await db.all(
            "SELECT reply, items FROM seen WHERE reply > :after AND (domain = :domain OR reply IN "
            "(SELECT reply FROM abroad WHERE domain = :domain)) ORDER BY reply LIMIT :n",
            {"after": after, "domain": domain.key, "n": _PAGE},
        )
        arrays = [_items(row) for row in rows]
        hit = np.isin(np.concatenate(arrays), wanted) if arrays else np.zeros(0, bool)
        ends = np.cumsum([len(array) for array in arrays])
        for row, end, array in zip(rows, ends, arrays, strict=True):
            if hit[end - len(array) : end].any():
                yield row["reply"]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["reply"]


def readable(alias: str, domains: Collection[object]) -> str:
    """Return the SQL condition for a message to be readable where these domains are; they are bound as :d0, :d1 …"""
    within = placeholders("d", domains)
    return (
        f"NOT EXISTS (SELECT 1 FROM abroad WHERE abroad.reply = {alias}.item AND abroad.holds = 1 AND abroad.domain NOT IN ({within})) "
        f"AND NOT EXISTS (SELECT 1 FROM confided WHERE confided.item = {alias}.item AND confided.domain NOT IN ({within}))"
    )


def _items(row: Row, column: str = "items") -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.frombuffer(row[column], np.int64)


def _array(items: Collection[int]) -> bytes:
    return np.array(sorted(items), np.int64).tobytes()
