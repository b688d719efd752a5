"""What Lyra says once at a place: who she is, or, in a room that replaces another, that she goes on there."""

from functools import partial

from adapters.events import Place
from bot.conversation.introduction import continuation_notice, introduction, left_behind
from bot.conversation.services import Services
from memory.types import Session
from memory.view.view import View

_LEFT_BEHIND = "left-behind"


class FirstContact:
    """Introduces Lyra. Everything is said in the current language; `prefix` is what typed commands begin with."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def introduce(self, place: Place, view: View, session: Session, prefix: str) -> None:
        """Say at a place who she is, or that she goes on there and whether an answer waits in a room that it replaces; once."""
        outgoing = self._services.outgoing
        if goes_on(place, view):
            if not await view.notices.has_gone_on(place.channel, session):
                waits = await outgoing.has_waiting_answer(place.platform, {circle.id for circle in place.earlier})
                await self._go_on(place, view, session, prefix, waits=waits)
            return
        text = introduction(self._services.models.goes_to, prefix, shared=not place.is_private)
        await outgoing.say(place, text, partial(view.notices.greet, session))

    async def leave_behind(self, place: Place, view: View, session: Session, prefix: str) -> None:
        """Say once, in a room that replaces another, that nobody will see an answer that waits there."""
        if not await view.notices.has_gone_on(place.channel, session):
            await self._go_on(place, view, session, prefix, waits=True)
            return
        once = partial(view.notices.once, f"session:{session.id}", _LEFT_BEHIND, session)
        await self._services.outgoing.say(place, left_behind(), once)

    async def _go_on(self, place: Place, view: View, session: Session, prefix: str, *, waits: bool) -> None:
        text = continuation_notice(prefix, waits=waits)
        await self._services.outgoing.say(place, text, partial(view.notices.go_on, place.channel, session))


def goes_on(place: Place, view: View) -> bool:
    """Return whether a place replaces a room whose memory it goes on with."""
    return bool(place.earlier and view.others_of_place)
