"""The ladder above gists, one domain at a time: profile, eras, narrative, self-state, each made from those below.

A tier is rewritten only if its sources changed, in this order, so that one climb brings all of them up to date. It takes a
model: an extractive writer writes gists and summaries, and nothing of this.
"""

from functools import partial

from memory.derive import pipeline, progress, refusals
from memory.derive.context import Context
from memory.tiers import eras, narrative, profile, selfstate, summaries

_TIERS = (profile, eras, narrative, selfstate)
"""From the bottom up: each is made from those before it."""


class Ladder:
    """The ladder of one domain."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def climb(self, *, asked: bool = False) -> int:
        """Make every tier that is due, or, if `asked`, every tier with anything new; return how many pieces were made.

        Raises WriterFailed if the writer is unreachable; what was made stays.
        """
        if self._context.writer.extractive:
            return 0
        await self._take_up()
        made = 0
        for tier in _TIERS:
            made += await pipeline.make_all(self._context, partial(tier.due, self._context, asked=asked))
        return made

    async def _take_up(self) -> None:
        """Reopen what another writer gave up."""
        context = self._context
        async with context.db.transaction(bounds=context.bounds) as tx:
            for tier in (one.TIER for one in _TIERS):
                for target in await refusals.take_given_up(tx, context.domain, tier, context.writer.name):
                    await progress.outdate(tx, context.domain, tier, target.slot.partition("/")[2])
                    if tier == profile.TIER:
                        await summaries.unprofile(tx, [int(key) for key in target.inputs.split("/")])
