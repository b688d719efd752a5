"""Items, their public ids, and what was derived from what.

All items share one id space. An item's public id is a keyed hash of where it stands and of its source id, so the same
message has the same id on every import, and a tombstone, which is nothing but a public id, meets it again.
"""

import hmac
from base64 import b32encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from localization.sentences import lazy
from memory.errors import SourceGone
from memory.store.bounds import require_within
from memory.store.database import Parameters, Reader, Transaction
from memory.types import Domain, DomainRef

ID_BYTES = 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seal:
    """The install key, which turns natural keys into ids that tell nothing."""

    key: bytes

    def id(self, domain: DomainRef, kind: str, *source: str) -> str:
        """Return the public id, 128 bits as 26 base32 characters, of something in a domain."""
        parts = (domain.kind, domain.platform, domain.native_id, str(domain.epoch), kind, *source)
        text = "".join(f"{len(part)}:{part}" for part in parts)
        digest = hmac.digest(self.key, text.encode("utf-8", "surrogatepass"), sha256)
        return b32encode(digest[:ID_BYTES]).decode().rstrip("=").lower()


async def add_items(tx: Transaction, domain: Domain, kind: str, public_ids: Sequence[str]) -> list[int]:
    """Create items that are searchable from this transaction on; return their keys in order."""
    if not public_ids:
        return []
    require_within(tx.bounds, domain.key)
    keys = list(await tx.numbers("item", len(public_ids)))
    await tx.many(
        "INSERT INTO items (id, domain, kind, public_id) VALUES (:id, :domain, :kind, :public_id)",
        (
            {"id": key, "domain": domain.key, "kind": kind, "public_id": public_id}
            for key, public_id in zip(keys, public_ids, strict=True)
        ),
    )
    return keys


async def derive(
    tx: Transaction, child: int, parents: Iterable[int], cited: Collection[int] = (), answered: Collection[int] = ()
) -> None:
    """Record that `child` was derived from `parents`, which of them it cites, and which it answers."""
    await tx.many(
        "INSERT INTO lineage (child, parent, cited, answered) VALUES (:child, :parent, :cited, :answered) ON CONFLICT DO NOTHING",
        (
            {"child": child, "parent": parent, "cited": int(parent in cited), "answered": int(parent in answered)}
            for parent in set(parents)
        ),
    )


async def parents(reader: Reader, item: int) -> list[int]:
    """Return what an item was derived from."""
    return [row["parent"] for row in await reader.all("SELECT parent FROM lineage WHERE child = :i ORDER BY parent", {"i": item})]


async def rest_on_messages(tx: Transaction, gone: Sequence[int]) -> None:
    """Let replies that rest on digests which go rest on the messages below those instead."""
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


async def mark_dead(tx: Transaction, items: Sequence[int], now: int) -> None:
    """Let items be gone from this transaction on; their public ids stay known."""
    await tx.run(f"UPDATE items SET dead_at = :now WHERE id IN ({placeholders('i', items)})", {"now": now, **bound("i", items)})


async def cut(tx: Transaction, gone: Sequence[int]) -> None:
    """Remove what messages and replies among these items rested on, and what rested on them.

    What a digest was made from stays known: a reply that had it in view may hold what is forgotten later.
    """
    within, keys = f"IN ({placeholders('i', gone)})", bound("i", gone)
    messages = f"SELECT id FROM items WHERE id {within} AND kind = 'exchange'"
    await tx.run(f"DELETE FROM lineage WHERE child IN ({messages}) OR parent IN ({messages})", keys)
    replies = "SELECT l.child FROM lineage l JOIN items i ON i.id = l.child WHERE i.kind = 'exchange'"
    await tx.run(f"DELETE FROM lineage WHERE parent {within} AND child IN ({replies} AND l.parent {within})", keys)


async def descendants(tx: Transaction, roots: Sequence[int]) -> list[int]:
    """Return the roots and everything derived from them, directly or not."""
    found = set(roots)
    for some in pages(roots):
        rows = await tx.all(
            f"WITH RECURSIVE gone (id) AS (SELECT id FROM items WHERE id IN ({placeholders('r', some)}) "
            "UNION SELECT lineage.child FROM lineage JOIN gone ON lineage.parent = gone.id) SELECT id FROM gone",
            bound("r", some),
        )
        found.update(row["id"] for row in rows)
    return sorted(found)


async def living(reader: Reader, keys: Sequence[int], *, replaced: bool = False) -> bool:
    """Say whether all of these items are there, and none is gone: erased, about to be, or said where nothing is any more.

    What was derived in a domain of which a session, a person's words or all is going counts as gone; so does everything of
    a domain of which a place has just vanished, until it is known what rests on that; and so does a digest that another one
    took the place of, unless it may be `replaced`.
    """
    for some in pages(keys):
        row = await reader.one(_LIVING.format(within=placeholders("k", some)), {"replaced": int(replaced), **bound("k", some)})
        if row is None or row["n"] < len(set(some)):
            return False
    return True


_LIVING = (
    "SELECT count(*) AS n FROM items i LEFT JOIN exchanges e ON e.item = i.id WHERE i.id IN ({within}) "
    "AND (i.dead_at IS NULL OR (:replaced = 1 AND i.kind <> 'exchange')) "
    "AND NOT EXISTS (SELECT 1 FROM withheld w WHERE w.item = i.id) "
    "AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.domain = i.domain AND i.id <= g.upto AND (length(g.items) = 0 "
    "OR g.items IS NULL AND (e.item IS NULL "
    "OR ((g.session IS NULL OR g.session = e.session) AND (g.identity IS NULL OR g.identity = e.identity)))))"
)


async def require_living(reader: Reader, keys: Sequence[int], *, replaced: bool = False) -> None:
    """Raise SourceGone where one of these items was forgotten, or, unless it may be `replaced`, a digest is no more."""
    if not await living(reader, keys, replaced=replaced):
        raise SourceGone(lazy("Something this answer rests on was forgotten while it was made."))


async def texts_of(reader: Reader, items: Collection[int]) -> dict[int, str]:
    """Return the texts of those messages, digests and statements, as few as one statement takes, that are there."""
    rows = await reader.all(TEXTS.format(within=f"IN ({placeholders('t', items)})"), bound("t", items))
    return {row["item"]: row["text"] for row in rows}


TEXTS = (
    "SELECT item, text FROM exchanges WHERE item {within} UNION ALL SELECT item, text FROM digests WHERE item {within} "
    "UNION ALL SELECT item, text FROM statements WHERE item {within}"
)
"""The texts of the items that a condition tells."""


async def unchanged(reader: Reader, texts: Mapping[int, str]) -> bool:
    """Say whether these messages, digests and statements are all there and read as they did."""
    return await texts_of(reader, texts) == texts and await living(reader, list(texts))


async def require_unchanged(reader: Reader, texts: Mapping[int, str]) -> None:
    """Raise SourceGone where one of these messages or digests was changed or forgotten."""
    if not await unchanged(reader, texts):
        raise SourceGone(lazy("Something this answer rests on was changed while it was made."))


def pages(values: Sequence[T], size: int = 400) -> Iterator[Sequence[T]]:
    """Yield values in pieces, each few enough for the placeholders of one statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def placeholders(prefix: str, values: Collection[object]) -> str:
    """Return the named placeholders for a list of values, ':r0, :r1'; of none, what nothing is in."""
    return ", ".join(f":{prefix}{at}" for at in range(len(values))) or "NULL"


def bound(prefix: str, values: Iterable[object]) -> Parameters:
    """Return the parameters for `placeholders`."""
    return {f"{prefix}{at}": value for at, value in enumerate(values)}
