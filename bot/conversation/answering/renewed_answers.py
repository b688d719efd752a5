"""Regenerated answers: offered below an answer, and given unasked where one was forgotten before anybody saw it."""

from collections.abc import Sequence

from adapters.base import Adapter
from adapters.command_table import Action
from adapters.errors import PlaceGone
from adapters.events import Message, MessageEdited, Person
from bot.commands.answer_commands import ANEW, DISLIKE
from bot.conversation.services import Services
from localization.current_language import reading
from localization.sentences import _
from memory.journal.journal import UnseenAnswer
from memory.types import MINUTE, Kind


def answer_actions(question: str, reply: str) -> Sequence[Action]:
    """Return the actions under the answer to a question, given both ids."""
    return Action(_("Once more"), ANEW, question), Action(_("Not good"), DISLIKE, reply)


async def answer_to(services: Services, revised: MessageEdited) -> str:
    """Return the key of the last part of the answer to an edited message, '' if there is none."""
    view, session = await services.domains.view_and_session(revised.place, _author(revised))
    asked = await view.messages.by_source(session, revised.id)
    return await view.posts.newest_answer(asked) if asked else ""


async def offer_new_answer(services: Services, revised: MessageEdited, answer: str) -> None:
    """Offer, under its answer, to answer an edited message again, if the new text is stored."""
    place, person = revised.place, _author(revised)
    view, session = await services.domains.view_and_session(place, person)
    if await view.messages.by_source(session, revised.id) is None:
        return
    with reading(await services.languages.to(place, person)):
        parts = services.outgoing.composer.offer(answer, [Action(_("Answer again"), ANEW, revised.id)])
    await view.notices.queue(session, parts, [])
    await services.outgoing.flush(place.platform, place.key, parts)


def _author(revised: MessageEdited) -> Person:
    return Person(revised.place.platform, revised.person, "")


async def unseen_questions(services: Services, adapter: Adapter) -> list[Message]:
    """Return what is to be answered once more, as nobody saw its answer: it still stands, and is not too old to be answered.

    The same question comes again, under the same id, until it was answered or something was told in place of an answer.
    """
    since = services.clock.now() - services.settings.answer_within_minutes * MINUTE
    lost = await services.memory.journal.unseen_answers(adapter.platform, since)
    return [message for one in lost if (message := await _question(services, adapter, one))]


async def _question(services: Services, adapter: Adapter, lost: UnseenAnswer) -> Message | None:
    try:
        place = await adapter.locate_key(lost.place)
    except PlaceGone:
        return None
    if place is None:
        return None
    reader = Person(place.platform, place.alone or await services.domains.person_of(lost.domain), "")
    view, session = await services.domains.view_and_session(place, reader)
    asked = await view.messages.by_source(session, lost.question)
    account = await view.messages.account_of(asked) if asked and asked.kind is Kind.SAID else None
    if asked is None or account is None:
        return None
    person = Person(account.platform, account.native_id, asked.speaker)
    return Message(asked.source_id, place, person, asked.text, asked.said_at, anew=f"unseen {lost.key}")
