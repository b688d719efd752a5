"""Items, their public ids, and their lineage.

All items share one id space. An item's public id is a keyed hash of its location and source id, so the same message gets
the same id on every import, and a forgotten one meets its tombstone, which is just that id.
"""

import hmac
from base64 import b32encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

from memory.errors import SourceGone
from memory.store.bounds import require_within
from memory.store.database import Parameters, Reader, Row, Transaction
from memory.types import Domain, DomainRef

ID_BYTES = 16
_LONGEST = 512
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seal:
    """The install key, which turns natural keys into opaque ids."""

    key: bytes

    def id(self, domain: DomainRef, kind: str, *source: str) -> str:
        """Return the public id, 128 bits as 26 base32 characters, of something in a domain."""
        parts = (domain.kind, domain.platform, domain.native_id, str(domain.epoch), kind, *source)
        text = "".join(f"{len(part)}:{part}" for part in parts)
        digest = hmac.digest(self.key, text.encode("utf-8", "surrogatepass"), sha256)
        return b32encode(digest[:ID_BYTES]).decode().rstrip("=").lower()


async def add_items(
    tx: Transaction, domain: Domain, kind: str, public_ids: Sequence[str], numbers: Sequence[int] = ()
) -> list[int]:
    """Create items, searchable from this transaction on; return their keys in order: the first of these `numbers`, or new ones."""
    if not public_ids:
        return []
    require_within(tx.bounds, domain.key)
    keys = list(numbers[: len(public_ids)] or await tx.numbers("item", len(public_ids)))
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
    """Record that `child` was derived from `parents`, and which of these it cites and answers."""
    await tx.many(
        "INSERT INTO lineage (child, parent, cited, answered) VALUES (:child, :parent, :cited, :answered) ON CONFLICT DO NOTHING",
        (
            {"child": child, "parent": parent, "cited": int(parent in cited), "answered": int(parent in answered)}
            for parent in set(parents)
        ),
    )


async def parents(reader: Reader, item: int) -> list[int]:
    """Return the parents of an item."""
    return [row["parent"] for row in await reader.all("SELECT parent FROM lineage WHERE child = :i ORDER BY parent", {"i": item})]


async def rest_on_messages(tx: Transaction, gone: Sequence[int]) -> None:
    """Make whatever stays of what rests on removed digests, in any domain, rest on the messages below those instead."""
    # A remaining message keeps its own lineage: the descent ends there.
    within = f"IN ({placeholders('g', gone)})"
    rows = await tx.everywhere.all(
        f"WITH RECURSIVE below (root, item) AS (SELECT id, id FROM items WHERE id {within} UNION "
        "SELECT below.root, l.parent FROM below JOIN items i ON i.id = below.item JOIN lineage l ON l.child = below.item "
        f"WHERE i.kind <> 'exchange' OR i.id {within}) "
        "SELECT DISTINCT below.root, l.child, message.id AS parent FROM below "
        "CROSS JOIN lineage l "
        f"JOIN items stays ON stays.id = l.child AND stays.dead_at IS NULL AND stays.id NOT {within} "
        "LEFT JOIN items message ON message.id = below.item AND message.kind = 'exchange' WHERE l.parent = below.root",
        bound("g", gone),
    )
    await tx.many(
        "INSERT INTO lineage (child, parent) VALUES (:child, :parent) ON CONFLICT DO NOTHING",
        [{"child": row["child"], "parent": row["parent"]} for row in rows if row["parent"] is not None],
    )
    await tx.many(
        "DELETE FROM lineage WHERE child = :child AND parent = :root",
        [{"child": child, "root": root} for child, root in {(row["child"], row["root"]) for row in rows}],
    )


async def mark_dead(tx: Transaction, items: Sequence[int], now: int) -> None:
    """Mark items dead from this transaction on; their public ids stay known."""
    await tx.run(f"UPDATE items SET dead_at = :now WHERE id IN ({placeholders('i', items)})", {"now": now, **bound("i", items)})


async def cut(tx: Transaction, gone: Sequence[int]) -> None:
    """Remove the lineage of the messages and replies among these items, in both directions.

    A digest's own sources stay known: a reply that had it in view may hold something forgotten later.
    """
    messages = f"SELECT id FROM items WHERE id IN ({placeholders('i', gone)}) AND kind = 'exchange'"
    await tx.run(f"DELETE FROM lineage WHERE child IN ({messages}) OR parent IN ({messages})", bound("i", gone))


async def descendants(tx: Transaction, roots: Sequence[int]) -> list[int]:
    """Return the roots and all their descendants."""
    rows = await paged(
        tx,
        "WITH RECURSIVE gone (id) AS (SELECT id FROM items WHERE id IN ({within}) "
        "UNION SELECT lineage.child FROM lineage JOIN gone ON lineage.parent = gone.id) SELECT id FROM gone",
        roots,
    )
    return sorted({*roots, *(row["id"] for row in rows)})


async def living(reader: Reader, keys: Sequence[int], *, replaced: bool = False) -> bool:
    """Return whether all these items exist and none is going: erased, about to be, or withheld.

    If a session, a person's words or a whole domain is being forgotten, everything derived in that domain counts as going;
    so does everything in a domain where a place just vanished, until what rests on that place is known; and so does a
    digest that was replaced, unless `replaced` allows it.
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
    """Raise SourceGone if an item was forgotten or, unless `replaced` allows it, a digest was replaced."""
    if not await living(reader, keys, replaced=replaced):
        raise SourceGone("Something this answer rests on was forgotten while it was made.")


async def require_shown(reader: Reader, keys: Sequence[int]) -> None:
    """Raise SourceGone if an item was forgotten, or is a digest that was erased since: its text may be shown no more."""
    await require_living(reader, keys, replaced=True)
    if await paged(reader, _ERASED, keys):
        raise SourceGone("Something this answer rests on was forgotten while it was made.")


_ERASED = (
    "SELECT 1 AS yes FROM items i WHERE i.id IN ({within}) AND i.dead_at IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM digests d WHERE d.item = i.id) "
    "AND NOT EXISTS (SELECT 1 FROM statements s WHERE s.item = i.id) LIMIT 1"
)


async def texts_of(reader: Reader, items: Collection[int]) -> dict[int, str]:
    """Return the texts of the messages, digests and statements that exist, at most as many as one statement takes."""
    rows = await reader.all(TEXTS.format(within=f"IN ({placeholders('t', items)})"), bound("t", items))
    return {row["item"]: row["text"] for row in rows}


TEXTS = (
    "SELECT item, text FROM exchanges WHERE item {within} UNION ALL SELECT item, text FROM digests WHERE item {within} "
    "UNION ALL SELECT item, text FROM statements WHERE item {within}"
)
"""The texts of the items that a condition selects."""


async def unchanged(reader: Reader, texts: Mapping[int, str]) -> bool:
    """Return whether these messages, digests and statements all exist with unchanged texts."""
    return await texts_of(reader, texts) == texts and await living(reader, list(texts))


async def require_texts(reader: Reader, texts: Mapping[int, str]) -> None:
    """Raise SourceGone if one of these texts was changed; whether they are being forgotten is not asked."""
    if await texts_of(reader, texts) != texts:
        raise SourceGone("Something this answer rests on was changed while it was made.")


async def require_unchanged(reader: Reader, texts: Mapping[int, str]) -> None:
    """Raise SourceGone if one of these texts was changed or forgotten."""
    if not await unchanged(reader, texts):
        raise SourceGone("Something this answer rests on was changed while it was made.")


def pages(values: Sequence[T], size: int = 400) -> Iterator[Sequence[T]]:
    """Yield values in slices that fit the placeholders of one statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


async def paged(reader: Reader, sql: str, keys: Iterable[object], parameters: Mapping[str, object] = {}) -> list[Row]:
    """Return the rows of a query about many keys, run page by page: `{within}` in it stands for the keys of a page."""
    found: list[Row] = []
    for some in pages(list(keys)):
        found += await reader.all(sql.format(within=placeholders("w", some)), {**parameters, **bound("w", some)})
    return found


async def run_paged(tx: Transaction, sql: str, keys: Iterable[object], parameters: Mapping[str, object] = {}) -> None:
    """Run a statement about many keys, page by page, like `paged`."""
    for some in pages(list(keys)):
        await tx.run(sql.format(within=placeholders("w", some)), {**parameters, **bound("w", some)})


def placeholders(prefix: str, values: Collection[object]) -> str:
    """Return named placeholders for a list of values, ':r0, :r1'; for an empty list 'NULL', which matches nothing.

    There may be more of them than values, up to the next power of two: a store prepares each form of a statement once, which takes
    far longer than to run it.
    """
    return ":" + ", :".join(_names(prefix, _room(len(values)))) if values else "NULL"


def bound(prefix: str, values: Iterable[object]) -> Parameters:
    """Return the parameters for `placeholders`, of which the last value takes all that are left."""
    given = list(values)
    given += given[-1:] * (_room(len(given)) - len(given))
    return dict(zip(_names(prefix, len(given)), given, strict=True))


@lru_cache(maxsize=1_000)
def _names(prefix: str, room: int) -> Sequence[str]:
    return [f"{prefix}{at}" for at in range(room)]


def _room(values: int) -> int:
    # Longer lists than a page are seldom, and a statement takes only so many parameters.
    return 1 << (values - 1).bit_length() if 0 < values <= _LONGEST else values
