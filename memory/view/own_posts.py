"""Her posts as they stand on platforms."""

from collections.abc import Collection, Iterator, Sequence

from memory.journal import outbox
from memory.journal.outbox import Part
from memory.tiers import asides, posts
from memory.tiers.asides import Aside
from memory.types import Session
from memory.view.binding import Binding


class OwnPosts:
    """The posts of one home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def may_be_shown(self, platform: str, ids: Sequence[str]) -> dict[str, bool]:
        """Return which of these ids of a platform are posts of hers, by whether their words may be read here now."""
        return await posts.may_be_shown(self._b.db, platform, ids, self._b.domains)

    async def left(self) -> int:
        """Count the messages of Lyra's that stand at home on a platform and belong to replies that are forgotten."""
        return len(await outbox.posts_of_forgotten(self._b.db, self._b.home))

    async def delete(self, keys: Iterator[str], most: int) -> dict[tuple[str, str], list[Part]]:
        """Queue the removal of at most so many of those messages under these keys; return the parts by platform and place."""
        found: dict[tuple[str, str], list[Part]] = {}
        for row, key in zip((await outbox.posts_of_forgotten(self._b.db, self._b.home))[:most], keys, strict=False):
            found.setdefault((row["platform"], row["place"]), []).append(Part(key, "", "delete", row["key"]))
        async with self._b.db.transaction() as tx:
            for (platform, place), parts in found.items():
                await outbox.queue(tx, self._b.home, platform, place, parts, self._b.shared.clock.now())
        return found

    async def items_of(self, session: Session, shown: Collection[Aside]) -> set[int]:
        """Return the items of what a place shows, kept or not; those of what is not kept hold no words.

        Raises SourceGone where one of them was taken back.
        """
        self._b.own(session)
        rested = await posts.rested_on(self._b.db, session.ref.platform, [one.id for one in shown])
        async with self._b.db.transaction() as tx:
            found = await asides.keep(tx, self._b.shared.seal, self._b.home, session, shown)
            return rested | found.kept | found.asides
