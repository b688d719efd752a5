"""Turns that end without an answer: too late, declined, stopped, held until the model is back, or taken back by whoever asked."""

from collections.abc import Collection, Sequence
from functools import partial

from bot.admission.allowance import too_much
from bot.conversation.inbox_events import HeardMessage
from bot.conversation.introduction import continues_room, say_left_behind
from bot.conversation.one_turn import ReadersChanged, TooLate, Turn
from bot.conversation.people import is_operator
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, configured
from bot.delivery.outgoing import READERS_CHANGED
from bot.errors import ModelDenied, ModelError, ModelMissing, ModelRefused, error_text
from bot.models.outage import passes
from bot.rights import unstored_answers
from bot.service.log import log
from bot.service.runtime_metrics import measures
from localization.current_language import reading
from localization.sentences import _, lazy
from memory.errors import SourceGone
from memory.journal.journal import Part
from memory.types import MINUTE

LATE = lazy("You asked me something while I was not there. That was a while ago: ask again if you still want to know.")
_LOGGED = {ModelDenied: "model.denied", ModelMissing: "model.missing", ModelRefused: "model.refused"}
_TRIES = 3
"""How often a question is put to a model that refuses it."""
_PUT_OFF = 5
"""How often a question is put off: each time it was answered three times in vain."""


class Unanswered:
    """Ends turns without an answer. Whoever asked privately waits for one, and is told each time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._within = services.settings.answer_within_minutes * MINUTE
        self._told_late: dict[tuple[str, str], int] = {}

    async def late(self, late: TooLate) -> None:
        """Say that questions are too old to be answered: one line for all of them at a place, once within their maximum age."""
        now, place = self._services.clock.now(), (late.place.platform, late.place.key)
        self._told_late = {one: at for one, at in self._told_late.items() if 0 <= now - at < self._within}
        if place in self._told_late:
            return
        self._told_late[place] = now
        queue = partial(late.view.notices.queue, late.session, finishes=(), answers=late.reply_target)
        await self._services.outgoing.say(late.place, str(LATE), queue)

    async def moved(self, moved: ReadersChanged) -> None:
        """Say at a place whose readers changed that a question was not answered for those who read it now."""
        await self._services.outgoing.tell(moved.place, moved.person, str(READERS_CHANGED), moved.reply_target)

    async def decline(self, turn: Turn, seconds: int) -> None:
        """Leave a message unanswered, with a notice if that lasts `seconds`."""
        measures.turns["declined"] += 1
        text = too_much(seconds, kept=not turn.off_record) if seconds else ""
        parts = await self._queued(turn, text, turn.leftover_preview, turn.inbox_keys)
        if parts:
            await self._services.outgoing.flush(turn.place.platform, turn.place.key, parts)

    async def stopped(self, turn: Turn, replaces: str) -> Sequence[Part]:
        """Close a turn that was stopped before there was anything of an answer."""
        return await self._queued(turn, _("Ended.") if turn.reply_address else "", replaces, turn.inbox_keys)

    async def left_behind(self, turn: Turn) -> None:
        """Say once in the room that replaces a turn's place, if she is there already, that nobody will see the answer."""
        place = await turn.adapter.successor(turn.place)
        if place is None:
            return
        view, session = await self._services.domains.view_and_session(place)
        if continues_room(place, view):
            with reading(await self._services.languages.among(place, view)):
                await say_left_behind(self._services, place, view, session, turn.adapter.prefix)

    async def hold(self, turn: Turn, error: ModelError, replaces: str) -> Sequence[Part]:
        """Hold the question until the model is back; return a notice, once, and another where it is given up."""
        measures.turns["held"] += 1
        measures.errors[type(error).__name__] += 1
        may_pass = passes(error)
        if not may_pass or self._services.models.outage.failed(error):
            log.error(_LOGGED.get(type(error), "model.away"), why=str(error))
        owner = is_operator(turn.place.platform)
        why = error_text(error, owner=owner)
        links = configured(why, owner=owner)
        if turn.off_record:
            return await unstored_answers.close_unanswered(self._services, turn, why, links)
        await self._services.memory.journal.hold(turn.inbox_keys, type(error).__name__, None if may_pass else _TRIES)
        text = "" if turn.retried else _("{why} Your message is kept; I answer it when the model does.", why=why)
        if not may_pass and not await self._services.memory.journal.open_payloads(turn.inbox_keys):
            text = _("{why} I tried three times, so I gave up: ask again if you still want to know.", why=why)
        return await self._queued(turn, text, replaces, links=links)

    async def postpone(self, turn: Turn, replaces: str) -> Sequence[Part]:
        """Hold a question for later, since its sources kept changing while it was answered; say so where it is given up."""
        if turn.off_record:
            return await unstored_answers.close_unanswered(
                self._services, turn, _("What I know changed again and again while I answered.")
            )
        journal = self._services.memory.journal
        await journal.hold(turn.inbox_keys, SourceGone.__name__, _PUT_OFF)
        text = _("What I know changed again and again while I answered, so I gave up: ask again if you still want to know.")
        return await self._queued(turn, "" if await journal.open_payloads(turn.inbox_keys) else text, replaces)

    async def give_up(self, turn: Turn, heard: Sequence[HeardMessage], replaces: str, *, told: bool = False) -> Sequence[Part]:
        """Drop what was taken back, or `told` that it gets no answer, and the preview of an answer to it."""
        await self._services.memory.journal.drop([one.key for one in heard])
        text = "" if told or not turn.reply_address else _("What you asked was forgotten, so I do not answer it.")
        return await self._queued(turn, text, replaces, question=turn.reply_address)

    async def _queued(
        self,
        turn: Turn,
        text: str,
        replaces: str,
        closes: Sequence[int] = (),
        *,
        links: Collection[str] = NO_LINKS,
        question: str | None = None,
    ) -> Sequence[Part]:
        """Queue a notice in place of an answer, or only the removal of its preview if there is nothing to say; return the parts."""
        composer = self._services.outgoing.composer
        parts = (
            await composer.parts(turn.place.platform, text, links=links, replaces=replaces)
            if text
            else composer.removal(replaces)
        )
        await turn.view.notices.queue(turn.session, parts, closes, turn.reply_target if question is None else question)
        return parts
