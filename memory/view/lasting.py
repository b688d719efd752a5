"""Whether what an answer is made from lasts until it is kept, whoever forgets or changes something, here or in another process."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from localization.sentences import lazy
from memory.errors import SourceGone
from memory.forget.gone import is_sweeping
from memory.places import confidences
from memory.store.database import Reader
from memory.store.lineage import require_living, require_unchanged
from memory.tiers import statements
from memory.tiers.messages import seen
from memory.view.binding import Binding

_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Lasting:
    """Looks at what stands in view of an answer while that is made."""

    binding: Binding

    async def commits(self) -> int:
        """Return a number that is another one once anything was committed, here or in another process; it counts as no read."""
        return await self.binding.db.commits()

    async def require(self, asked: Mapping[int, str], others: Mapping[int, str], begun: int) -> None:
        """Raise SourceGone where something was forgotten, changed or told in confidence since `begun`.

        `asked` is what is answered, `others` what else stands in view, each as it was read.
        """
        if await seen.touched(self.binding.db, self.binding.domains, begun):
            await require_standing(self.binding.db.everywhere, self.binding.domains, asked, {*asked, *others}, others, begun)

    async def readable(self, patience: float) -> None:
        """Wait until nothing of what may be read here is being forgotten, in whatever process, so many seconds at most."""
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        while await is_sweeping(self.binding.db, self.binding.domains):
            if loop.time() >= until:
                return
            await asyncio.sleep(_PAUSE_SECONDS)


async def require_standing(
    reader: Reader, domains: Sequence[int], asked: Mapping[int, str], view: Collection[int], others: Mapping[int, str], begun: int
) -> None:
    """Raise SourceGone where something in `view` is gone, or what was `asked` or the `others` do not read as at `begun`."""
    await require_living(reader, sorted(view), replaced=True)
    await require_unchanged(reader, asked)
    if await seen.touched(reader, domains, begun):
        await require_unchanged(reader, others)
        if await statements.any_replaced(reader, others, begun):
            raise SourceGone(lazy("A fact that this answer was shown was corrected while it was made."))
        await confidences.require_open(reader, set(others).difference(asked), domains)
