"""Public ids as people read and type them: their first characters, as many as tell one from all others that a view may read."""

from collections.abc import Collection

from localization.sentences import lazy
from memory.errors import AmbiguousId
from memory.store.lineage import bound, pages, placeholders
from memory.view.binding import Binding

LEAST = 6
"""Characters that are shown, and typed, at least: among a million items two begin alike once in a thousand."""
_WHOLE = 26
_LAST = "z"
"""No character of an id stands behind it."""


class ShortIds:
    """The ids of what a view may read."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def short(self, ids: Collection[str]) -> dict[str, str]:
        """Return each id as it is shown: its first six characters, more where other ids begin with them as well."""
        rivals: dict[str, list[str]] = {}
        for some in pages(sorted({id[:LEAST] for id in ids})):
            for id in await self._beginning_with(some):
                rivals.setdefault(id[:LEAST], []).append(id)
        return {id: id[: _telling(id, rivals.get(id[:LEAST], ()))] for id in ids}

    async def full(self, typed: str) -> str:
        """Return the whole id of which the beginning was typed, or of the one message that had the whole of it where it comes from.

        What is none comes back as it is, and nothing has it. Raises AmbiguousId where it stands for several.
        """
        typed = typed.strip()
        begun = typed.lower()
        found = await self._beginning_with([begun]) if LEAST <= len(begun) <= _WHOLE else []
        if begun in found:
            return begun
        if len(found) > 1:
            raise AmbiguousId(lazy('Several ids begin with "{typed}". Type more of it.', typed=begun))
        found += [id for id in await self._from(typed) if id not in found]
        if len(found) > 1:
            raise AmbiguousId(lazy('"{typed}" is the source_id of several messages; take the id that recall shows.', typed=typed))
        return found[0] if found else begun

    async def _from(self, source_id: str) -> list[str]:
        """Return the ids of up to two messages that were given this one by their platform or file."""
        rows = await self._b.db.all(
            "SELECT i.public_id FROM exchanges e JOIN items i ON i.id = e.item WHERE e.source_id = :source_id "
            f"AND e.domain IN ({placeholders('d', self._b.domains)}) AND i.dead_at IS NULL LIMIT 2",
            {"source_id": source_id, **bound("d", self._b.domains)},
        )
        return [row["public_id"] for row in rows]

    async def _beginning_with(self, beginnings: Collection[str]) -> list[str]:
        ranges = " OR ".join(f"public_id BETWEEN :from{at} AND :to{at}" for at in range(len(beginnings)))
        if not ranges:
            return []
        rows = await self._b.db.all(
            f"SELECT public_id FROM items WHERE ({ranges}) AND domain IN ({placeholders('d', self._b.domains)}) AND dead_at IS NULL",
            {
                **bound("from", beginnings),
                **bound("to", [begun.ljust(_WHOLE, _LAST) for begun in beginnings]),
                **bound("d", self._b.domains),
            },
        )
        return [row["public_id"] for row in rows]


def _telling(id: str, others: Collection[str]) -> int:
    """Return how many characters tell an id from these others."""
    return 1 + max((_shared(id, other) for other in others if other != id), default=LEAST - 1)


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
