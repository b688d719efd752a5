"""Turns that end without an answer: declined, stopped, held until the model is back, or taken back by whoever asked."""

from collections.abc import Sequence

from adapters.base import Adapter
from bot.commands.general_commands import owned
from bot.conversation.error_texts import error_text, too_much
from bot.conversation.first_contact import FirstContact, goes_on
from bot.conversation.inbox_events import HeardMessage
from bot.conversation.one_turn import ReadersChanged, Turn
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, configured
from bot.errors import ModelDenied, ModelError
from bot.rights import unstored_answers
from bot.service.log import log
from bot.service.runtime_metrics import measures
from localization.current_language import reading
from localization.sentences import _
from memory.errors import SourceGone
from memory.journal.journal import Part

_TRIES = 3
"""How often a question is put to a model that refuses it."""
_PUT_OFF = 5
"""How often a question is put off: each time it was answered three times in vain."""


class Unanswered:
    """Ends turns without an answer. Whoever asked privately waits for one, and is told each time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._first_contact = FirstContact(services)

    async def decline(self, turn: Turn, seconds: int) -> None:
        """Leave a message unanswered, with a notice if that lasts `seconds`."""
        measures.turns["declined"] += 1
        composer, replaces = self._services.outgoing.composer, turn.leftover_preview
        text = too_much(seconds, kept=not turn.off_record) if seconds else ""
        parts = (
            await composer.parts(turn.place.platform, text, links=NO_LINKS, replaces=replaces)
            if text
            else composer.removal(replaces)
        )
        await turn.view.notices.queue(turn.session, parts, turn.inbox_keys, turn.reply_target)
        if parts:
            await self._services.outgoing.flush(turn.place.platform, turn.place.key, parts)

    async def stopped(self, turn: Turn, replaces: str) -> Sequence[Part]:
        """Close a turn that was stopped before there was anything of an answer."""
        parts = await self._last_word(turn, _("Ended."), replaces)
        await turn.view.notices.queue(turn.session, parts, turn.inbox_keys, turn.reply_target)
        return parts

    async def moved(self, moved: ReadersChanged) -> None:
        """Say at a place whose readers changed that a question was not answered for those who read it now."""
        await self._services.outgoing.tell_readers_changed(moved.place, moved.person, moved.reply_target)

    async def left_behind(self, turn: Turn, adapter: Adapter) -> None:
        """Say once in the room that replaces a turn's place, if she is there already, that nobody will see the answer."""
        place = await adapter.successor(turn.place)
        if place is None:
            return
        view, session = await self._services.domains.view_and_session(place)
        if goes_on(place, view):
            with reading(await self._services.languages.among(place, view)):
                await self._first_contact.leave_behind(place, view, session, adapter.prefix)

    async def hold(self, turn: Turn, error: ModelError, replaces: str) -> Sequence[Part]:
        """Hold the question until the model is back; return a notice, once, and another where it is given up."""
        measures.turns["held"] += 1
        measures.errors[type(error).__name__] += 1
        if isinstance(error, ModelDenied):
            log.error("model.denied", why=str(error))
        owner = owned(turn.place.platform)
        why = error_text(error, owner=owner)
        if turn.off_record:
            return await unstored_answers.dropped(self._services, turn, why, configured(why, owner=owner))
        may_pass = error.transient or isinstance(error, ModelDenied)
        await self._services.memory.journal.hold(turn.inbox_keys, type(error).__name__, None if may_pass else _TRIES)
        text = "" if turn.retried else _("{why} Your message is kept; I answer it when the model does.", why=why)
        if not may_pass and not await self._services.memory.journal.open_payloads(turn.inbox_keys):
            text = _("{why} I tried three times, so I gave up: ask again if you still want to know.", why=why)
        if text:
            links = configured(why, owner=owner)
            parts = await self._services.outgoing.composer.parts(turn.place.platform, text, links=links, replaces=replaces)
        else:
            parts = self._services.outgoing.composer.removal(replaces)
        await turn.view.notices.queue(turn.session, parts, [], turn.reply_target)
        return parts

    async def put_off(self, turn: Turn, replaces: str) -> Sequence[Part]:
        """Hold a question for later, since its sources kept changing while it was answered; say so where it is given up."""
        if turn.off_record:
            return await unstored_answers.dropped(
                self._services, turn, _("What I know changed again and again while I answered.")
            )
        journal, composer = self._services.memory.journal, self._services.outgoing.composer
        await journal.hold(turn.inbox_keys, SourceGone.__name__, _PUT_OFF)
        if await journal.open_payloads(turn.inbox_keys):
            parts = composer.removal(replaces)
        else:
            text = _("What I know changed again and again while I answered, so I gave up: ask again if you still want to know.")
            parts = await composer.parts(turn.place.platform, text, links=NO_LINKS, replaces=replaces)
        await turn.view.notices.queue(turn.session, parts, [], turn.reply_target)
        return parts

    async def give_up(self, turn: Turn, heard: Sequence[HeardMessage], replaces: str, *, told: bool = False) -> Sequence[Part]:
        """Drop what was taken back, or `told` that it gets no answer, and the preview of an answer to it."""
        await self._services.memory.journal.drop([one.key for one in heard])
        text = _("What you asked was forgotten, so I do not answer it.")
        parts = self._services.outgoing.composer.removal(replaces) if told else await self._last_word(turn, text, replaces)
        await turn.view.notices.queue(turn.session, parts, [], turn.reply_address)
        return parts

    async def _last_word(self, turn: Turn, text: str, replaces: str) -> Sequence[Part]:
        """Return the parts of a turn without an answer: only the removal of a preview, unless it was asked privately."""
        composer = self._services.outgoing.composer
        if not turn.reply_address:
            return composer.removal(replaces)
        return await composer.parts(turn.place.platform, text, links=NO_LINKS, replaces=replaces)
