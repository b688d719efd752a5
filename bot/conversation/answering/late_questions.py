"""The notice for questions that are too old to be answered: one line for all of them at a place."""

from bot.conversation.one_turn import TooLate
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from localization.sentences import lazy
from memory.types import MINUTE

LATE = lazy("You asked me something while I was not there. That was a while ago: ask again if you still want to know.")


class LateQuestions:
    """Posts that notice, at most once per place within the maximum age of a question."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._within = services.settings.answer_within_minutes * MINUTE
        self._told: dict[tuple[str, str], int] = {}

    async def tell(self, late: TooLate) -> None:
        """Post the notice at a place, unless it was posted recently."""
        now, place = self._services.clock.now(), (late.place.platform, late.place.key)
        self._told = {one: at for one, at in self._told.items() if 0 <= now - at < self._within}
        if place in self._told:
            return
        self._told[place] = now
        parts = await self._services.outgoing.composer.parts(late.place.platform, str(LATE), links=NO_LINKS)
        await late.view.notices.queue(late.session, parts, (), late.reply_target)
        await self._services.outgoing.flush(*place, parts)
