"""Public ids as people read and type them: the shortest prefix that is unique among what a view may read."""

from collections.abc import Collection

from memory.errors import AmbiguousId
from memory.store.lineage import bound, pages, placeholders
from memory.view.binding import ViewPart

LEAST = 6
"""The least characters shown and accepted: among a million items, two share them once in a thousand."""
_WHOLE = 26
_LAST = "z"
"""Sorts at or after every character of an id."""


class ShortIds(ViewPart):
    """The ids within the view."""

    async def short(self, ids: Collection[str]) -> dict[str, str]:
        """Return each id as displayed: its first six characters, or more if other ids share them."""
        rivals: dict[str, list[str]] = {}
        for some in pages(sorted({id[:LEAST] for id in ids})):
            for id in await self._beginning_with(some):
                rivals.setdefault(id[:LEAST], []).append(id)
        return {id: id[: _telling(id, rivals.get(id[:LEAST], ()))] for id in ids}

    async def full(self, typed: str) -> str:
        """Return the full id for a typed prefix, or for a message's own id on its platform or in its file.

        An unknown id is returned as typed, lowercased, and matches nothing. Raises AmbiguousId if several match.
        """
        typed = typed.strip()
        begun = typed.lower()
        found = await self._beginning_with([begun]) if LEAST <= len(begun) <= _WHOLE else []
        if begun in found:
            return begun
        if len(found) > 1:
            raise AmbiguousId('Several ids begin with "{typed}". Type more of it.', typed=begun)
        found += [id for id in await self._from(typed) if id not in found]
        if len(found) > 1:
            raise AmbiguousId('"{typed}" is the source_id of several messages; take the id that recall shows.', typed=typed)
        return found[0] if found else begun

    async def _from(self, source_id: str) -> list[str]:
        """Return the ids of up to two messages with this platform or file id."""
        rows = await self._db.all(
            "SELECT i.public_id FROM exchanges e JOIN items i ON i.id = e.item WHERE e.source_id = :source_id "
            f"AND e.domain IN ({placeholders('d', self._domains)}) AND i.dead_at IS NULL LIMIT 2",
            {"source_id": source_id, **bound("d", self._domains)},
        )
        return [row["public_id"] for row in rows]

    async def _beginning_with(self, beginnings: Collection[str]) -> list[str]:
        ranges = " OR ".join(f"public_id BETWEEN :from{at} AND :to{at}" for at in range(len(beginnings)))
        if not ranges:
            return []
        rows = await self._db.all(
            f"SELECT public_id FROM items WHERE ({ranges}) AND domain IN ({placeholders('d', self._domains)}) AND dead_at IS NULL",
            {
                **bound("from", beginnings),
                **bound("to", [begun.ljust(_WHOLE, _LAST) for begun in beginnings]),
                **bound("d", self._domains),
            },
        )
        return [row["public_id"] for row in rows]


def _telling(id: str, others: Collection[str]) -> int:
    """Return how many characters tell `id` apart from the others."""
    return 1 + max((_shared(id, other) for other in others if other != id), default=LEAST - 1)


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
