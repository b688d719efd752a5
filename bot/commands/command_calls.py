"""Calls of commands: what one comes with, how its caller is asked back, and how it is answered, page by page."""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from adapters.base import Adapter
from adapters.command_table import Action, Call, Reply, Surface
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import MenuCall, Message, Person, Place
from adapters.splitting import split
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, configured
from bot.delivery.outgoing import Outgoing
from bot.delivery.urls import addresses
from bot.errors import BadInput
from bot.service.log import log
from localization.sentences import _, lazy
from memory.errors import SourceGone

_ID = re.compile(r"[a-z2-7]{6,26}")
"""A public id in base 32, or the beginning of one."""
Next = Callable[[], Awaitable[Reply]]
GONE = lazy("That list is not there any more; ask again.")
MORE = "more"
"""The command that shows a page."""
_MOST = 500


def call_text(event: Message | MenuCall) -> str:
    """Return the text with which a person called a command: links in it may appear in the answer."""
    return event.text if isinstance(event, Message) else "\n".join(map(str, event.arguments.values()))


def replied_to(message: Message) -> Message | None:
    """Return the message that a message answers, or None."""
    quoted = message.quoted
    if quoted is None:
        return None
    person = Person(message.place.platform, quoted.person, quoted.speaker)
    return Message(
        quoted.id,
        message.place,
        person,
        quoted.text,
        quoted.said_at,
        attachments=quoted.attachments,
        forwards=quoted.forwards,
        hidden=quoted.hidden,
    )


def source_id(what: str) -> str:
    """Return the platform's message id from an id or a link, '' for neither."""
    if what.startswith("$"):
        return what
    last = unquote(what.partition("?")[0].rstrip("/").rpartition("/")[2])
    if what.startswith("matrix:"):
        return f"${last}"
    return last if last.startswith("$") or last.isdigit() else ""


def may_be_id(what: str) -> bool:
    """Return whether words could be the id of a message, or a link to it, rather than what it is about."""
    return bool(source_id(what) or _ID.fullmatch(what))


def named_message(call: Call) -> str:
    """Return the id of the message that a call names by its id or link, or answers; '' for neither."""
    named = str(call.arguments.get("message", ""))
    return source_id(named) or named or (call.target.id if call.target else "")


@dataclass(frozen=True, slots=True)
class GatedConfirmation:
    """Asks the caller to confirm, through the exit gate like everything sent.

    `written` is what the person wrote, `owner` whether they are the operator.
    """

    surface: Surface
    outgoing: Outgoing
    platform: str
    written: str
    owner: bool

    async def confirm(self, question: str) -> bool:
        links = addresses(self.written) | configured(question, owner=self.owner)
        return await self.surface.confirm(await self.outgoing.composer.displayable(self.platform, question, links))

    def enter(self, thread: str, name: str) -> bool:
        return self.surface.enter(thread, name)


class AnswerPages:
    """Follow-up pages by unguessable token."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Person, Next]] = {}
        self._last: dict[tuple[str, str], str] = {}

    def keep(self, person: Person, following: Next) -> Action:
        """Store a page for a person, and return the action that shows it."""
        word = secrets.token_urlsafe(16)
        self._kept[word] = (person, following)
        self._last[person.platform, person.id] = word
        while len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        self._last = {whose: one for whose, one in self._last.items() if one in self._kept}
        return Action(_("Show more"), MORE, word)

    def last(self, person: Person) -> str:
        """Remove and return the token of a person's latest page; '' if there is none."""
        return self._last.pop((person.platform, person.id), "")

    async def show(self, person: Person, word: str) -> Reply:
        """Return a stored page to its owner. Raises BadInput."""
        page = self._kept.get(word)
        if page is None or (page[0].platform, page[0].id) != (person.platform, person.id):
            raise BadInput(GONE)
        return await page[1]()


_ROOM = 60
"""UTF-16 units reserved for the frame of a page."""
_READS_NO_MORE = lazy("You can no longer read that place, so I do not answer what you asked there.")
_NOT_REACHED = lazy("I answer that only in private, and could not reach you there: write me a DM, or ask again in a minute.")


@dataclass(frozen=True, slots=True)
class CommandAnswers:
    """Queues and sends the answers of commands."""

    _services: Services
    _pages: AnswerPages

    async def say(
        self, event: Message | MenuCall, adapter: Adapter, reply: Reply, finishes: Sequence[int], *, aside: bool = False,
        made_for: Place | None = None,
    ) -> None:  # fmt: skip
        """Queue an answer together with the completion of its command, and send it; a long one starts with its first page.

        A quiet call gets no answer. An answer for the asker alone goes `aside` if the place cannot show it privately.
        `made_for` is the place with its readers at the time the answer was made.
        """
        if isinstance(event, MenuCall) and event.quiet:
            await self._services.memory.journal.drop(finishes)
            return
        if isinstance(event, MenuCall):
            reply = await self._first_page(event, adapter, reply)
        elif any(action.command == MORE for action in reply.actions):
            reply = replace(
                reply, text=_("{text}\n{prefix}{more} shows more.", text=reply.text, prefix=adapter.prefix, more=MORE)
            )
        place = made_for or event.place
        if isinstance(event, MenuCall) and event.private:
            place = await _as_read_now(adapter, place)
            if not await adapter.is_reader(event.person, place):
                reply = Reply(str(_READS_NO_MORE), NO_LINKS)
        if aside:
            place, reply = await self._aside(event, adapter, reply)
        view, session = await self._services.domains.view_and_session(place, event.person)
        answers = event.answers if isinstance(event, MenuCall) else event.id if place.key == event.place.key else ""
        links = reply.links | addresses(call_text(event))
        parts = await self._services.outgoing.composer.parts(
            adapter.platform, reply.text, links=links, actions=reply.actions, cards=reply.cards
        )
        if event.off_record or reply.files:
            parts = self._services.outgoing.pending_texts.hold(parts, notice=not reply.conversation, files=reply.files)
        lasting = not (isinstance(event, MenuCall) and event.private)
        try:
            await view.notices.queue(session, parts, finishes, answers, reply.shows, lasting=lasting)
        except SourceGone:
            text = _("Something that this would have shown was forgotten just now; ask again.")
            parts = await self._services.outgoing.composer.parts(adapter.platform, text, links=NO_LINKS)
            await view.notices.queue(session, parts, finishes, answers)
        await self._services.outgoing.flush(adapter.platform, place.key, parts)

    async def _aside(self, event: Message | MenuCall, adapter: Adapter, reply: Reply) -> tuple[Place, Reply]:
        """Return the place where the asker alone reads an answer, and the answer; without such a place, a notice."""
        asker = event.person
        try:
            asked_at = await adapter.locate(event.place)
            if asked_at and asked_at.is_private and asked_at.alone in ("", asker.id):
                return event.place, reply
            if asked_at and await adapter.is_reader(asker, asked_at):
                place = await adapter.private_place(asker, encrypted=asked_at.encrypted)
                if place is None:
                    return event.place, reply
                text = _('{text}\n(This is about "{name}".)', text=reply.text, name=asked_at.name)
                return place, replace(reply, text=text)
        except PlatformFailure as error:
            log.info("aside.failed", why=type(error).__name__)
        return event.place, Reply(str(_NOT_REACHED), NO_LINKS)

    async def _first_page(self, event: MenuCall, adapter: Adapter, reply: Reply) -> Reply:
        if reply.cards and adapter.card_limits:
            return reply
        first, *rest = await asyncio.to_thread(split, reply.text, adapter.most_characters - _ROOM) or [""]
        if not rest:
            return reply
        remainder = replace(reply, text="\n".join(rest))

        async def following() -> Reply:
            return remainder

        return replace(reply, text=first, actions=(self._pages.keep(event.person, following),))


async def _as_read_now(adapter: Adapter, place: Place) -> Place:
    """Return a place with its current readers, if known: a private answer goes out whoever they are."""
    try:
        return await adapter.locate(place) or place
    except PlaceGone:
        return place
