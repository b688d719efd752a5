"""Lyra's ear on one platform: what adapters hand over is judged, committed, and put into its mailbox."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.errors import PlaceGone
from adapters.events import Asked, Event, Joined, Message, Person, Place, Reach, Renamed, Revised, Unreadable, Withdrawn
from adapters.table import CommandSpec
from bot.admission import Admission
from bot.commands import Commands
from bot.errors import LyraError
from bot.house import House
from bot.intake import Intake
from bot.introduction import introduction
from bot.links import NO_LINKS
from bot.log import log
from bot.session import Answered, Mailboxes
from memory.errors import MemoryFailure

NO_CURSORS: Mapping[str, str] = {}


class Listening:
    """The listener of one adapter."""

    def __init__(self, adapter: Adapter, house: House, intake: Intake, commands: Commands, mailboxes: Mailboxes) -> None:
        self._adapter = adapter
        self._h = house
        self._intake = intake
        self._commands = commands
        self._mailboxes = mailboxes
        self._admission = Admission(house.preferences)
        self._moved: dict[str, str] = {}
        self.connected = asyncio.Event()
        """Set when the platform was connected for the first time."""

    @property
    def table(self) -> Mapping[str, CommandSpec]:
        """The commands, by name."""
        return self._commands.table

    async def ready(self) -> None:
        """Send what waits, and answer what was left unanswered."""
        self.connected.set()
        log.info("platform.connected", platform=self._adapter.platform)
        for place in await self._h.memory.journal.waiting(self._adapter.platform):
            await self._h.outgoing.flush(self._adapter.platform, place)
        await self._mailboxes.recover(self._adapter.platform)

    async def cursors(self) -> Mapping[str, str]:
        """Return how far each stream was heard."""
        return {**await self._h.memory.journal.cursors(self._adapter.platform), **self._moved}

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Commit events and cursors; return what to await until the events are answered.

        Cursors that come with nothing to keep are committed with the next event, or by `settle`.
        """
        waiting: list[Message | Asked] = []
        promises: list[asyncio.Future[None]] = []
        for event in events:
            if isinstance(event, Message | Asked):
                admitted = await self._admit(event) if isinstance(event, Message) else event
                waiting += [admitted] if admitted else []
                continue
            promises += await self._accept(waiting)
            waiting = []
            await self._changed(event)
        self._moved |= cursors
        promises += await self._accept(waiting)
        return Answered(promises)

    async def settle(self) -> None:
        """Commit how far the streams were heard."""
        moved, self._moved = self._moved, {}
        if moved:
            await self._h.memory.journal.move(self._adapter.platform, moved)

    async def suggest(self, asked: Asked, parameter: str, typed: str) -> Sequence[str]:
        """Return values that a person may want to give a parameter; none where that fails."""
        try:
            return await self._commands.suggest(asked, self._adapter, parameter, typed)
        except (LyraError, MemoryFailure) as error:
            log.info("suggest.failed", why=type(error).__name__)
            return ()

    async def _admit(self, message: Message) -> Message | None:
        command = self._commands.is_command(message, self._adapter)
        foreign = not command and self._commands.is_call(message, self._adapter)
        admitted = await self._admission.admit(message, command=command, foreign=foreign)
        if admitted is None or message.place.reach is not Reach.ROOM:
            return admitted
        replies = await self._h.preferences.value(message.place, "replies")
        # A command is about where it was given.
        if replies == "thread" and not message.place.thread and not command:
            return replace(admitted, place=await self._moved_to(message.place, message.id))
        if replies == "timeline" and message.place.thread:
            return replace(admitted, place=await self._moved_to(message.place, ""))
        return admitted

    async def _moved_to(self, place: Place, thread: str) -> Place:
        """Return another thread of a room, as it is called, with those who could read the room when something was said."""
        to = replace(place, thread=thread)
        try:
            now = await self._adapter.locate(to)
        except PlaceGone:
            return to
        return replace(to, name=now.name) if now else to

    async def _accept(self, events: Sequence[Message | Asked]) -> Sequence[asyncio.Future[None]]:
        if not events:
            return ()
        moved, self._moved = self._moved, {}
        try:
            return await self._mailboxes.accept(self._adapter.platform, events, moved)
        except MemoryFailure:
            self._moved = {**moved, **self._moved}
            raise

    async def _changed(self, event: Event) -> None:
        match event:
            case Revised():
                for place in _kept_at(event.place, [event.id]):
                    await self._revise(replace(event, place=place))
            case Withdrawn():
                for place in _kept_at(event.place, event.ids):
                    await self._intake.withdraw(replace(event, place=place))
            case Renamed():
                await self._h.domains.rename(event.place, event.before)
            case Joined():
                await self._introduce(event)
            case Unreadable():
                await self._say_unreadable(event)

    async def _revise(self, event: Revised) -> None:
        author = Person(event.place.platform, event.person, "")
        if event.person and await self._h.preferences.on(author, "paused"):
            # The old words do not stand any more, and the new ones are not hers to keep.
            await self._intake.withdraw(Withdrawn(event.place, (event.id,)))
            return
        await self._intake.revise(event, self._adapter)

    async def _say_unreadable(self, event: Unreadable) -> None:
        view, session = await self._h.domains.here(event.place, event.person)
        parts = await self._h.outgoing.parts(event.place.platform, event.why, links=NO_LINKS)
        await view.notify(session, parts, [], event.id)
        await self._h.outgoing.flush(event.place.platform, event.place.key, parts)

    async def _introduce(self, event: Joined) -> None:
        view, session = await self._h.domains.here(event.place)
        text = introduction(self._h.models.goes_to, self._adapter.prefix, shared=True)
        parts = await self._h.outgoing.parts(event.place.platform, text, links=NO_LINKS)
        if await view.greet(session, parts):
            await self._h.outgoing.flush(event.place.platform, event.place.key, parts)


def _kept_at(place: Place, ids: Sequence[str]) -> Sequence[Place]:
    """Return where messages of a place may be kept: in a room `replies` puts them into threads of their own, or out of one."""
    threads = [place.thread, "", *ids] if place.reach is Reach.ROOM else [place.thread]
    return [replace(place, thread=thread) for thread in dict.fromkeys(threads)]
