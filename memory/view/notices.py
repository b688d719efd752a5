"""Notices at home: texts that are no part of a conversation, some of them told once."""

from collections.abc import Collection, Sequence

from memory.journal import inbox
from memory.journal.parts import Part
from memory.places import scope_settings
from memory.store.lineage import require_shown
from memory.tiers.messages import seen, shown_posts
from memory.types import MINUTE, DomainKind, Session
from memory.view.binding import ViewPart

_GREETED, _GREETED_AT, _GONE_ON, _HINTED = "greeted", "greeted_at", "gone on", "hinted"
_BETWEEN_GREETINGS = 60 * MINUTE


class Notices(ViewPart):
    """Notices at one home."""

    async def queue(
        self, session: Session, parts: Sequence[Part], finishes: Sequence[int], answers: str = "", shows: Collection[int] = (),
        *, lasting: bool = True,
    ) -> None:  # fmt: skip
        """Queue a text that is not conversation (a command's result, a notice), and finish the events it answers.

        `shows` are the items it shows to its readers: once one of them is forgotten, the notice counts as a post that rested on
        it, if it is `lasting`: what one person sees for a while cannot be deleted. Raises SourceGone, and queues nothing, if
        one of them was forgotten meanwhile.
        """
        self._binding.require_own(session)
        stays = shows if lasting and parts else ()
        others = await seen.abroad(self._db.everywhere, self._home, stays)
        async with self._binding.writing() as tx:
            await require_shown(tx.everywhere, sorted(shows))
            await inbox.finish(tx, finishes)
            item = None
            if stays:
                abroad = {*others.own, *others.held}
                item = await shown_posts.keep_notice(tx, self._binding.seal, self._home, parts[0].key, stays, abroad)
            await self._binding.queue(tx, session, parts, answers, item)

    async def has_greeted(self) -> bool:
        """Return whether the first-contact notice was queued in the life of this domain."""
        return await self._binding.shared.settings.is_marked(self._binding.scope, _GREETED)

    async def greet(self, session: Session, parts: Sequence[Part]) -> bool:
        """Queue the first-contact notice, once in the life of this domain; return whether it was queued.

        In a room whose epochs change as newcomers join, at most once an hour.
        """
        home, shared = self._home, self._binding.shared
        scope, room = shared.places.scope(home), f"room:{home.ref.platform}:{home.ref.native_id}"
        if home.ref.kind is not DomainKind.ROOM or await self.has_greeted():
            return await self.once(scope, _GREETED, session, parts)
        now, last = shared.clock.now(), await shared.settings.get(room, _GREETED_AT)
        if isinstance(last, int) and now - last < _BETWEEN_GREETINGS:
            return False
        await shared.settings.set(room, _GREETED_AT, now)
        return await self.once(scope, _GREETED, session, parts)

    async def queue_room_notice(self, room: str, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice on what an upgraded room continues with, in place of a greeting, once in the life of the room."""
        return await self.once(_room(room, session), _GONE_ON, session, parts, greets=True)

    async def has_gone_on(self, room: str, session: Session) -> bool:
        """Return whether that notice was queued."""
        return await self._binding.shared.settings.is_marked(_room(room, session), _GONE_ON)

    async def hint(self, session: Session, parts: Sequence[Part], answers: str) -> bool:
        """Queue a notice on how to talk to Lyra, once in the life of a session; return whether it was queued."""
        return await self.once(f"session:{session.id}", _HINTED, session, parts, answers)

    async def once(
        self, scope: str, mark: str, session: Session, parts: Sequence[Part], answers: str = "", *, greets: bool = False
    ) -> bool:
        """Queue a notice once in the life of a scope, which may do for a greeting; return whether it was queued."""
        self._binding.require_own(session)
        if await self._binding.shared.settings.is_marked(scope, mark):
            return False
        async with self._binding.writing() as tx:
            first = await scope_settings.mark(tx, scope, mark)
            if first and greets:
                await scope_settings.mark(tx, self._binding.scope, _GREETED)
            if first:
                await self._binding.queue(tx, session, parts, answers)
        return first


def _room(room: str, session: Session) -> str:
    return f"room:{session.ref.platform}:{room}"
