"""/incognito once: one message answered off the record anywhere, for its sender alone."""

from dataclasses import replace

from adapters.base import Adapter
from adapters.command_table import Call, Reply
from adapters.events import Message
from bot.admission.allowance import Allowance, Grant
from bot.conversation.answering.speaking import Speaking
from bot.conversation.error_texts import too_much
from bot.conversation.intake import Intake
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.service.priority import Priority


class Once:
    """Answers such a message, within the usual limits."""

    def __init__(self, services: Services, intake: Intake, speaking: Speaking, priority: Priority, allowance: Allowance) -> None:
        self._services = services
        self._intake = intake
        self._speaking = speaking
        self._priority = priority
        self._allowance = allowance

    async def answer(self, call: Call, text: str, adapter: Adapter) -> Reply:
        """Return the answer to a text, storing nothing. Raises ModelError, SourceGone, PlaceUnknown."""
        message = Message(call.id, call.place, call.person, text, self._services.clock.now())
        turn = await self._intake.once(message, adapter)
        grant, seconds = await self._allowance.take(call.person, call.place, turn.began, turn.chosen)
        if grant in (Grant.TOLD, Grant.NOTHING):
            return Reply(too_much(seconds, kept=False), NO_LINKS)
        with self._priority.taken():
            less = replace(turn, frugal=grant is not Grant.FULL, cheaper=grant is Grant.LEAST)
            spoken = await self._speaking.answer(less, None)
        await self._intake.require_readers(turn, adapter)
        self._allowance.had(call.person, call.place, spoken.tokens, turn.chosen)
        return Reply(spoken.text, spoken.links, conversation=True)
