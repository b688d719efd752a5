"""Answers that a deletion overtook: what they answer was taken back on the platform before they stood there.

An adapter tells everything in the platform's own order. So a post of Lyra's that comes after the deletion of what it answers
was never seen beside it, though she had sent it before she was told of the deletion.
"""

from collections import OrderedDict
from collections.abc import Sequence

from adapters.events import Posted
from bot.delivery.outgoing import Outgoing
from memory.journal.journal import Journal
from memory.ports import Clock
from memory.types import MINUTE

_LONGEST = 10 * MINUTE
_MOST = 10_000


class Overtaken:
    """What was taken back lately on one platform, and the posts that answer it."""

    def __init__(self, journal: Journal, outgoing: Outgoing, clock: Clock) -> None:
        self._journal = journal
        self._outgoing = outgoing
        self._clock = clock
        self._gone: OrderedDict[str, int] = OrderedDict()

    def note(self, ids: Sequence[str]) -> None:
        """Remember messages as taken back, for ten minutes and at most 10,000."""
        self._gone |= dict.fromkeys(ids, self._clock.now())
        while len(self._gone) > _MOST:
            self._gone.popitem(last=False)

    async def hear(self, posted: Posted) -> None:
        """Take back everything that answers the same message as a post, if that message is gone."""
        while self._gone and next(iter(self._gone.values())) < self._clock.now() - _LONGEST:
            self._gone.popitem(last=False)
        if not self._gone:
            return
        platform = posted.place.platform
        for row in await self._journal.beside(platform, posted.id):
            if row["answers"] in self._gone:
                await self._outgoing.remove_preview(platform, row["place"], row["key"])
