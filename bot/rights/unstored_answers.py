"""Answers to messages off the record: sent from this process's memory, or reported as lost."""

from collections.abc import Sequence

from bot.conversation.answering.turn_validity import stored
from bot.conversation.one_turn import GeneratedAnswer, Turn
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from localization.sentences import _
from memory.errors import SourceGone
from memory.journal.journal import Part
from memory.text.display_names import LYRA
from memory.types import Kind


async def hold_reply(services: Services, turn: Turn, answer: GeneratedAnswer) -> Sequence[Part]:
    """Hold a reply until it is sent, and append it to the conversation in memory; return its parts, without text.

    Raises SourceGone if something in view was forgotten or changed meanwhile, or a message that it answers was taken back.
    """
    await turn.view.validity.require({}, stored(answer.seen), answer.read_at)
    if len(await services.memory.journal.open_payloads(turn.inbox_keys)) < len(turn.inbox_keys):
        raise SourceGone("What was asked was taken back while it was answered.")
    outgoing, off_record, now = services.outgoing, services.off_record, services.clock.now()
    parts = outgoing.pending_texts.hold(await outgoing.composer.parts(turn.place.platform, answer.text, links=answer.links))
    await turn.view.notices.queue(turn.session, parts, turn.inbox_keys, turn.reply_target)
    reply = off_record.message(turn.session, Kind.REPLY, LYRA, answer.text, turn.reply_id, now, None)
    off_record.add(turn.session, turn.aside_of, turn.questions, reply)
    return parts


async def close_unanswered(services: Services, turn: Turn, why: str, links: frozenset[str] = NO_LINKS) -> Sequence[Part]:
    """Close a turn without an answer; return the notice, since nothing is stored that could be answered later."""
    text = _("{why} This is off the record, so that I keep nothing to answer later: say it again in a while.", why=why)
    parts = await services.outgoing.composer.parts(turn.place.platform, text, links=links)
    await turn.view.notices.queue(turn.session, parts, turn.inbox_keys, turn.reply_target)
    return parts
