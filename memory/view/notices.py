"""What she says that is no conversation."""

from collections.abc import Collection, Sequence

from memory.journal import inbox
from memory.journal.outbox import Part
from memory.places import places
from memory.store.lineage import require_living
from memory.tiers import posts, seen
from memory.types import Session
from memory.view.binding import Binding

_GREETED, _GONE_ON, _HINTED = "greeted", "gone on", "hinted"


class Notices:
    """Notices at one home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def queue(
        self, session: Session, parts: Sequence[Part], finishes: Sequence[int], answers: str = "", shows: Collection[int] = ()
    ) -> None:
        """Queue a text that is not conversation (a command's result, a notice), and finish what it answers.

        `shows` are the items that it shows to those who read it from now on: it counts as hers of what is forgotten once one of
        them is. Raises SourceGone, and queues nothing, where one of them was forgotten meanwhile.
        """
        self._b.own(session)
        belong, hold = await seen.abroad(self._b.db, self._b.home, shows)
        async with self._b.db.transaction() as tx:
            await require_living(tx, sorted(shows), replaced=True)
            await inbox.finish(tx, finishes)
            item = None
            if shows and parts:
                item = await posts.keep_notice(tx, self._b.shared.seal, self._b.home, parts[0].key, shows, {*belong, *hold})
            await self._b.queue(tx, session, parts, answers, item)

    async def greet(self, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice of first contact, once in the life of this domain; return whether this was the time."""
        return await self._once(self._b.shared.places.scope(self._b.home), _GREETED, session, parts)

    async def go_on(self, room: str, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice on what a room goes on with, in place of a greeting, once in the life of the room."""
        return await self._once(f"room:{session.ref.platform}:{room}", _GONE_ON, session, parts, greets=True)

    async def hint(self, session: Session, parts: Sequence[Part], answers: str) -> bool:
        """Queue a notice on how to talk to her, once in the life of a conversation; return whether this was the time."""
        return await self._once(f"session:{session.id}", _HINTED, session, parts, answers)

    async def _once(
        self, scope: str, mark: str, session: Session, parts: Sequence[Part], answers: str = "", *, greets: bool = False
    ) -> bool:
        self._b.own(session)
        if await self._b.shared.places.setting(scope, mark):
            return False
        async with self._b.db.transaction() as tx:
            first = await places.mark(tx, scope, mark)
            if first and greets:
                await places.mark(tx, self._b.shared.places.scope(self._b.home), _GREETED)
            if first:
                await self._b.queue(tx, session, parts, answers)
        return first
