"""Edits and deletions on a platform while an answer is generated from it, or on its way.

Messages in a prompt that are not stored are recorded nowhere until the answer is stored. So a turn watches its platform from
before it reads, and reads again if something it was shown is gone.

An adapter tells everything in the platform's own order. So a post of Lyra's that comes after the deletion of what it answers
was never seen beside it, though she had sent it before she was told of the deletion.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from weakref import WeakSet

from adapters.events import Posted
from adapters.recent import Recent
from bot.delivery.outgoing import Outgoing
from memory.errors import SourceGone
from memory.journal.journal import Journal
from memory.ports import Clock
from memory.types import MINUTE

_LONGEST = 10 * MINUTE
_MOST = 10_000


@dataclass(eq=False)
class ChangeWatch:
    """The ids of messages edited or deleted on a platform since a turn began to read."""

    platform: str
    gone: set[str] = field(default_factory=set)

    def require(self, shown: Collection[str]) -> None:
        """Raise SourceGone if any of these messages is among them."""
        if not self.gone.isdisjoint(shown):
            raise SourceGone("Something that this answer was shown was changed or removed while it was made.")


class ConcurrentChanges:
    """Tells every running turn what is edited or deleted on its platform."""

    def __init__(self) -> None:
        # Weak, so that a finished turn is dropped however it ended.
        self._watching: WeakSet[ChangeWatch] = WeakSet()

    def watch(self, platform: str) -> ChangeWatch:
        """Return a watch that is updated as long as somebody references it."""
        watch = ChangeWatch(platform)
        self._watching.add(watch)
        return watch

    def tell(self, platform: str, ids: Collection[str]) -> None:
        """Record messages as edited or deleted."""
        for watch in self._watching:
            if watch.platform == platform:
                watch.gone.update(ids)


class Overtaken:
    """What was taken back lately on one platform, and the posts that answer it."""

    def __init__(self, journal: Journal, outgoing: Outgoing, clock: Clock) -> None:
        self._journal = journal
        self._outgoing = outgoing
        self._clock = clock
        self._gone = Recent[str, int](_MOST)

    def note(self, ids: Sequence[str]) -> None:
        """Remember messages as taken back, for ten minutes and at most 10,000."""
        self._gone.update(dict.fromkeys(ids, self._clock.now()))

    async def hear(self, posted: Posted) -> None:
        """Take back everything that answers the same message as a post, if that message is gone."""
        while self._gone and next(iter(self._gone.values())) < self._clock.now() - _LONGEST:
            self._gone.popitem(last=False)
        if not self._gone:
            return
        platform = posted.place.platform
        for row in await self._journal.sibling_parts(platform, posted.id):
            if row["answers"] in self._gone:
                await self._outgoing.remove_preview(platform, row["place"], row["key"])
