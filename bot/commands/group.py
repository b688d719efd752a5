"""The base of all command groups: shared services, and the way from a call to its view."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from adapters.base import Adapter
from adapters.command_table import Action, Call, CommandSpec, Parameter, Reply
from adapters.errors import PlaceGone
from adapters.events import Message, Person, Reach
from bot.commands.command_calls import GONE, AnswerPages
from bot.context.unstored_names import name_of, names_in_use
from bot.conversation.preferences import PAUSED
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.current_language import current
from localization.sentences import Sentence, lazy
from memory.index.hits import Hit
from memory.tiers.exchanges import PlacedMessage
from memory.types import Identity, NameUse, Session
from memory.view.view import View

Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Reply]])


def command(
    name: str, help: Sentence, *parameters: Parameter, given: Sequence[str] = (), **how: Any
) -> Callable[[Handler], Handler]:
    """Declare a command of a group beside its handler, which is called with what is `given` before the call.

    `how` is the rest of its CommandSpec.
    """

    def declared(handler: Handler) -> Handler:
        known = vars(handler).setdefault("commands", [])
        # The last of several is the first to be run.
        known.insert(0, lambda group: CommandSpec(name, help, partial(handler, group, *given), parameters, **how))
        return handler

    return declared


@dataclass(frozen=True, slots=True)
class Group:
    """A group of commands."""

    _services: Services
    _adapters: Mapping[str, Adapter]
    _pages: AnswerPages

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group as they are declared, what is chosen from a menu last."""
        handlers = vars(type(self)).values()
        return sorted((made(self) for one in handlers for made in getattr(one, "commands", ())), key=lambda spec: bool(spec.menu))

    async def _here(self, call: Call) -> tuple[View, Session]:
        view = await self._view(call)
        return view, await self._services.domains.current_session(view, call.place)

    async def _here_to_store(self, call: Call) -> tuple[View, Session]:
        """Like `_here`, for commands that store something: the session is then named after the place."""
        if call.off_record:
            return await self._here(call)
        view = await self._view(call)
        return view, await self._services.domains.named_session(view, call.place, call.person)

    async def _view(self, call: Call) -> View:
        return await self._services.domains.view(call.place, call.person, self._adapters[call.place.platform])

    async def _name(self, call: Call, view: View) -> str:
        return await name_of(view.messages, self._adapters[call.place.platform], call.place, call.person)

    async def _name_use(self, call: Call, view: View, person: Person) -> NameUse:
        """Return whether somebody else who is present has or had the display name of a person."""
        found = await names_in_use(view.messages, self._adapters[call.place.platform], call.place, [person])
        return next(iter(found.values()), NameUse.NOT)

    @staticmethod
    def _shared(call: Call) -> bool:
        return not call.place.is_private

    async def _with_current_readers(self, call: Call) -> Call:
        """Return a call that is continued later, with its place's current readers.

        Raises BadInput if the caller is not among them any more.
        """
        adapter = self._adapters[call.place.platform]
        with suppress(PlaceGone):
            place = await adapter.locate(call.place)
            if place is not None and await adapter.is_reader(call.person, place):
                return replace(call, place=place)
        raise BadInput(GONE)

    async def _announce(self, call: Call, said: Sentence) -> None:
        """Post something for everybody at a call's place, in the language of the place; in a room, outside of threads."""
        adapter, place = self._adapters[call.place.platform], call.place
        if place.reach is Reach.ROOM and place.thread:
            place = await adapter.locate(replace(place, thread="")) or place
        view = await self._services.domains.view(place, call.person)
        text = said.read_in(await self._services.languages.among(place, view) or current())
        await self._services.outgoing.tell(place, call.person, text)

    async def _domains_out_of_reach(self, call: Call) -> set[int]:
        """Return the domains that a person may read here, but whose messages this account cannot open on the platform."""
        elsewhere = [] if self._shared(call) else await self._services.domains.other_homes(call.person)
        return {one.home.key for one in elsewhere}

    def _link_to(self, call: Call, found: Hit | PlacedMessage, out_of_reach: Collection[int]) -> str:
        """Return the link to a message that the caller can open, '' if there is none."""
        adapter = self._adapters[call.place.platform]
        if found.platform != adapter.platform or found.exchange.domain in out_of_reach:
            return ""
        return adapter.link(found.place, found.exchange.source_id)

    def _require_private(self, call: Call) -> None:
        if self._shared(call):
            raise BadInput("Say that to me in a DM.")

    async def _require_kept(self, call: Call) -> None:
        """Raise BadInput if the caller wants nothing kept, altogether or here."""
        await self._require_not_paused(call)
        if call.off_record:
            raise BadInput(off_record(self._sign(call)))

    async def _require_not_paused(self, call: Call) -> None:
        if await self._services.preferences.on(call.person, PAUSED):
            raise BadInput(opt_out_notice(self._sign(call)))

    def _sign(self, call: Call) -> str:
        return self._adapters[call.place.platform].prefix or "/"

    def _only(self, call: Call) -> Identity | None:
        """Return the account whose messages alone a person may have forgotten here; None for everybody's."""
        return caller(call) if self._shared(call) and not call.admin else None


def caller(call: Call) -> Identity:
    """Return the account that made a call."""
    return Identity(call.person.platform, call.person.id)


def opt_out_notice(sign: str) -> Sentence:
    """Return why nothing of somebody who opted out is stored, although they asked for it."""
    return lazy("You told me to keep nothing of yours; {sign}privacy resume undoes it.", sign=sign)


def off_record(sign: str) -> Sentence:
    """Return why something is not stored although somebody asked for it."""
    return lazy("You are off the record here, where I keep nothing; {sign}incognito shows what ends that.", sign=sign)


def off_record_here(sign: str) -> Sentence:
    """Return that a place is off the record."""
    return lazy("What is said here is off the record; {sign}incognito off ends it.", sign=sign)


def plain(text: str, *, actions: Sequence[Action] = (), shows: Collection[int] = (), asks: Message | None = None) -> Reply:
    """Return a reply in which no links may pass; the rest is as in `Reply`."""
    return Reply(text, NO_LINKS, tuple(actions), frozenset(shows), asks)
