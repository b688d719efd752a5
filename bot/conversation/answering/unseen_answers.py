"""Answers that went with what was forgotten before anybody saw them: their questions are answered once more."""

from adapters.base import Adapter
from adapters.errors import PlaceGone
from adapters.events import Message, Person
from bot.conversation.services import Services
from memory.journal.journal import UnseenAnswer
from memory.types import MINUTE, Kind


class UnseenAnswers:
    """The unseen answers of one platform."""

    def __init__(self, services: Services, adapter: Adapter) -> None:
        self._services = services
        self._adapter = adapter

    async def questions(self) -> list[Message]:
        """Return what is to be answered once more: it still stands, and is not too old to be answered.

        The same question comes again, under the same id, until it was answered or something was told in place of an answer.
        """
        since = self._services.clock.now() - self._services.settings.answer_within_minutes * MINUTE
        lost = await self._services.memory.journal.unseen_answers(self._adapter.platform, since)
        return [message for one in lost if (message := await self._question(one))]

    async def _question(self, lost: UnseenAnswer) -> Message | None:
        try:
            place = await self._adapter.locate_key(lost.place)
        except PlaceGone:
            return None
        if place is None:
            return None
        domains = self._services.domains
        reader = Person(place.platform, place.alone or await domains.person_of(lost.domain), "")
        view, session = await domains.view_and_session(place, reader)
        asked = await view.messages.by_source(session, lost.question)
        account = await view.messages.account_of(asked) if asked and asked.kind is Kind.SAID else None
        if asked is None or account is None:
            return None
        person = Person(account.platform, account.native_id, asked.speaker)
        return Message(asked.source_id, place, person, asked.text, asked.said_at, anew=f"unseen {lost.key}")
