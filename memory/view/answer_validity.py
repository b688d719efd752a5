"""Check that what an answer was made from still stands, whichever process forgets or changes something meanwhile."""

import asyncio
from collections.abc import Collection, Mapping, Sequence

from memory.errors import SourceGone
from memory.forget.gone import is_sweeping
from memory.places import confidences
from memory.store.database import Reader, Transaction
from memory.store.lineage import require_living, require_texts, require_unchanged
from memory.tiers import statements
from memory.tiers.messages import seen
from memory.view.binding import ViewPart

_PAUSE_SECONDS = 0.05


class AnswerValidity(ViewPart):
    """Watches what stands in view of an answer while it is made."""

    async def commits(self) -> int:
        """Return a number that changes with every commit, here or in another process; it costs no read."""
        return await self._db.commits()

    async def require(self, asked: Mapping[int, str], others: Mapping[int, str], begun: int) -> None:
        """Raise SourceGone if something was forgotten, changed or told in confidence since `begun`.

        `asked` is what is answered, `others` what else stands in view, each with its text as read.
        """
        if await seen.touched(self._db, self._domains, begun):
            reader = self._db.everywhere
            await require_living(reader, sorted({*asked, *others}), replaced=True)
            await require_unchanged(reader, asked)
            await _require_untouched(reader, self._domains, asked, others, begun)

    async def readable(self, patience: float) -> None:
        """Wait, at most `patience` seconds, until no process is forgetting anything that may be read here."""
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        while await is_sweeping(self._db, self._domains):
            if loop.time() >= until:
                return
            await asyncio.sleep(_PAUSE_SECONDS)


async def require_standing(
    tx: Transaction,
    domains: Sequence[int],
    asked: Mapping[int, str],
    view: Collection[int],
    others: Mapping[int, str],
    begun: int,
) -> None:
    """Raise SourceGone if an item in `view` is gone, or the text of `asked`, which is in view, or `others` changed since `begun`."""
    reader = tx.everywhere
    *_, touched = await tx.gather(
        require_living(reader, sorted(view), replaced=True), require_texts(reader, asked), seen.touched(reader, domains, begun)
    )
    if touched:
        await _require_untouched(reader, domains, asked, others, begun)


async def _require_untouched(
    reader: Reader, domains: Sequence[int], asked: Mapping[int, str], others: Mapping[int, str], begun: int
) -> None:
    """Raise SourceGone if something in view changed, was corrected or told in confidence since `begun`."""
    await require_unchanged(reader, others)
    if await statements.any_replaced(reader, others, begun):
        raise SourceGone("A fact that this answer was shown was corrected while it was made.")
    await confidences.require_open(reader, set(others).difference(asked), domains)
