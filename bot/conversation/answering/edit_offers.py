"""Messages edited after they were answered: the answer gets an offer to answer again, which never happens unasked."""

from collections.abc import Sequence

from adapters.command_table import Action
from adapters.events import MessageEdited, Person
from bot.commands.feedback_commands import DISLIKE
from bot.commands.question_commands import ANEW
from bot.conversation.services import Services
from localization.current_language import reading
from localization.sentences import _


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
