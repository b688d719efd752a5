"""The listener of one platform: events from its adapter are admitted, committed, and put into their mailboxes."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.command_table import Action, CommandSpec
from adapters.errors import PlaceGone
from adapters.events import (
    Announced,
    Asked,
    Event,
    Joined,
    Message,
    Place,
    Posted,
    Renamed,
    Revised,
    Unreadable,
    Vanished,
    Withdrawn,
)
from bot.admission.access import Access, Admission
from bot.commands.table import Commands
from bot.conversation.intake import Intake
from bot.conversation.introduction import introduction, onward
from bot.conversation.mailboxes import Answered, Mailboxes
from bot.conversation.offering import answer_to, offer
from bot.conversation.placing import Placing
from bot.conversation.preferences import Chosen
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.delivery.overtaken import Overtaken
from bot.errors import LyraError
from bot.reconciliation.reconciliation import Reconciliation
from bot.service.log import log
from localization.languages import reading
from localization.sentences import _
from memory.errors import MemoryFailure

NO_CURSORS: Mapping[str, str] = {}


class Listening:
    """The listener of one adapter."""

    def __init__(
        self,
        adapter: Adapter,
        services: Services,
        intake: Intake,
        commands: Commands,
        mailboxes: Mailboxes,
        reconciliation: Reconciliation,
        access: Access,
    ) -> None:
        self._adapter = adapter
        self._services = services
        self._intake = intake
        self._commands = commands
        self._mailboxes = mailboxes
        self._reconciliation = reconciliation
        self._access = access
        self._admission = Admission()
        self._placing = Placing(services, adapter)
        self._overtaken = Overtaken(services.memory.journal, services.outgoing, services.clock)
        self._moved: dict[str, str] = {}
        self.connected = asyncio.Event()
        """Set when the platform has connected for the first time."""

    @property
    def table(self) -> Mapping[str, CommandSpec]:
        """The commands available here, by name."""
        return self._commands.table_of(self._adapter.platform)

    async def ready(self) -> None:
        """Send waiting parts and answer what was left unanswered; start the comparison with the platform in the background."""
        platform = self._adapter.platform
        self.connected.set()
        log.info("platform.connected", platform=platform)
        await self._services.outgoing.clear(platform)
        await self._reconciliation.vanishing.look(platform)
        await self._reconciliation.verifying.recheck(platform)
        for place in await self._services.memory.journal.waiting(platform):
            await self._services.outgoing.flush(platform, place)
        await self._mailboxes.recover(platform)
        await self._reconciliation.comparing.begin(platform)

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Mark what is stored of these places as unverified, and start comparing it."""
        await self._reconciliation.verifying.missed(self._adapter.platform, tuple(prefix))
        if self.connected.is_set():
            await self._reconciliation.comparing.begin(self._adapter.platform)

    async def cursors(self) -> Mapping[str, str]:
        """Return the cursor of each stream."""
        return {**await self._services.memory.journal.cursors(self._adapter.platform), **self._moved}

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Commit events and cursors; return what to await until the events are answered.

        Cursors without events to store are committed with the next event, or by `settle`.
        """
        waiting: list[Message | Asked] = []
        promises: list[asyncio.Future[None]] = []
        await self._reconciliation.vanishing.returned(
            self._adapter.platform, [event.place.key for event in events if isinstance(event, Message | Asked)]
        )
        for event in events:
            if isinstance(event, Message | Asked):
                admitted = await (self._admit(event, waiting) if isinstance(event, Message) else self._let_in(event))
                waiting += [admitted] if admitted else []
                continue
            if isinstance(event, Posted):
                await self._overtaken.hear(event)
                continue
            promises += await self._accept(waiting)
            await self._changed(event)
            # A mention added by an edit is answered; a message heard before is not heard again.
            now = replace(event.now, became_hers_at=event.at) if isinstance(event, Revised) and event.now else None
            asks = await self._admit(now) if now else None
            waiting = [asks] if asks else []
        promises += await self._accept(waiting, cursors)
        return Answered(promises)

    async def keep(self, ahead: Message) -> None:
        """Commit a message read ahead; it is answered once it is heard."""
        if admitted := await self._admit(ahead):
            await self._mailboxes.keep(self._adapter.platform, admitted)

    async def settle(self) -> None:
        """Commit the cursors."""
        moved, self._moved = self._moved, {}
        if moved:
            await self._services.memory.journal.move(self._adapter.platform, moved)

    async def suggest(self, asked: Asked, parameter: str, typed: str) -> Sequence[str]:
        """Return suggestions for a parameter; none on failure."""
        try:
            return await self._commands.suggest(asked, self._adapter, parameter, typed)
        except (LyraError, MemoryFailure) as error:
            log.info("suggest.failed", why=type(error).__name__)
            return ()

    async def _let_in(self, asked: Asked) -> Asked | None:
        """Return a call if it is admitted; else tell the caller that it is not."""
        if self._commands.is_right(asked, self._adapter) or await self._access.admits(asked.person, asked.place):
            chosen = await self._services.preferences.read(asked.person, asked.place)
            off_record = self._commands.goes_off_record(asked, self._adapter)
            return replace(asked, off_record=off_record or chosen.is_off_record(asked.place, asked.person))
        await self._commands.refuse(asked)
        return None

    async def _admit(self, message: Message, ahead: Sequence[Message | Asked] = ()) -> Message | None:
        command = self._commands.is_command(message, self._adapter)
        foreign = not command and self._commands.is_call(message, self._adapter)
        right = command and self._commands.is_right(message, self._adapter)
        if not right and not await self._access.admits(message.person, message.place):
            return None
        chosen = await self._services.preferences.read(message.person, message.place)
        admitted = self._admission.admit(message, chosen, command=command, foreign=foreign)
        if admitted is None:
            await self._overhear(message, chosen)
            return None
        if command and self._commands.goes_off_record(message, self._adapter):
            admitted = replace(admitted, off_record=True)
        return await self._unshown(await self._placing.placed(admitted, ahead, command=command))

    async def _unshown(self, message: Message) -> Message:
        """Keep a message off the record, and quotes of it, out of every prompt but its own, from before it is committed."""
        off_record, platform = self._services.off_record, message.place.platform
        if message.off_record:
            await self._services.domains.here(message.place, message.person)
            await self._services.memory.disregard(platform, message.place.key, message.id)
            off_record.note(platform, message.id)
        elif message.quoted and off_record.knows(platform, message.quoted.id):
            return replace(message, quoted=None)
        return message

    async def _overhear(self, message: Message, chosen: Chosen) -> None:
        """Keep overheard messages off the record out of prompts that are on the record."""
        if chosen.is_off_record(message.place, message.person):
            await self._unshown(replace(message, off_record=True))
            alone = "" if chosen.all_off_record(message.place) else message.person.id
            self._services.off_record.overhear(message.place, message.id, alone)

    async def _accept(
        self, events: Sequence[Message | Asked], cursors: Mapping[str, str] = NO_CURSORS
    ) -> Sequence[asyncio.Future[None]]:
        if not events:
            self._moved |= cursors
            return ()
        moved, self._moved = self._moved, {}
        try:
            return await self._mailboxes.accept(self._adapter.platform, events, {**moved, **cursors})
        except MemoryFailure:
            # What could not be kept is read again: its own cursors stay where they were.
            self._moved = {**moved, **self._moved}
            raise

    async def _changed(self, event: Event) -> None:
        match event:
            case Revised():
                for place in await self._placing.kept_at(event.place, [event.id]):
                    revised = replace(event, place=place)
                    # The answer that contains its old text is removed with it.
                    answer = await answer_to(self._services, revised) if event.person else ""
                    if await self._intake.revise(revised, self._adapter) and answer:
                        await offer(self._services, revised, answer)
            case Withdrawn():
                self._overtaken.note(event.ids)
                for place in await self._placing.kept_at(event.place, event.ids):
                    await self._intake.withdraw(replace(event, place=place))
            case Vanished():
                await self._reconciliation.vanishing.vanish(event)
            case Renamed():
                await self._services.domains.rename(event.place, event.before)
            case Joined():
                await self._introduce(event)
            case Unreadable():
                await self._say_unreadable(event)
            case Announced():
                await self._announce(event)
        if self._adapter.opens_threads and isinstance(event, Revised | Withdrawn):
            await self._services.outgoing.unname()

    async def _say_unreadable(self, event: Unreadable) -> None:
        if event.once and not await self._is_worth_a_hint(event):
            return
        if not await self._access.admits(event.person, event.place):
            return
        view, session = await self._services.domains.here(event.place, event.person)
        with reading(await self._services.languages.to(event.place, event.person)):
            parts = await self._services.outgoing.composer.parts(event.place.platform, str(event.why), links=NO_LINKS)
        if event.once and not await view.notices.hint(session, parts, event.id):
            return
        if not event.once:
            await view.notices.queue(session, parts, [], event.id)
        await self._services.outgoing.flush(event.place.platform, event.place.key, parts)

    async def _announce(self, event: Announced) -> None:
        """Deliver a notice of the platform itself, with the possible answers."""
        if not await self._access.admits(event.person, event.place):
            return
        view, session = await self._services.domains.here(event.place, event.person)
        with reading(await self._services.languages.to(event.place, event.person)):
            answers = (Action(_("The same"), event.asks, "yes"), Action(_("Not the same"), event.asks, "no"))
            parts = await self._services.outgoing.composer.parts(
                event.place.platform, str(event.says), links=NO_LINKS, actions=answers if event.asks else ()
            )
        await view.notices.queue(session, parts, [], event.answers)
        await self._services.outgoing.flush(event.place.platform, event.place.key, parts)

    async def _is_worth_a_hint(self, event: Unreadable) -> bool:
        """Return whether an unreadable message would have been answered."""
        always = event.addressed or await self._services.preferences.value(event.place, "answers") == "always"
        return always and not await self._services.preferences.on(event.person, "paused")

    async def _introduce(self, event: Joined) -> None:
        if self._access.shuts_out(event.place):
            return
        place = await self._now(event.place)
        view, session = await self._services.domains.here(place)
        goes_on, prefix = bool(place.earlier and view.also), self._adapter.prefix
        if place.alone and not goes_on:
            # Whoever is alone there with her is greeted with the first answer.
            return
        waits = goes_on and await self._services.outgoing.waits_in(place.platform, {circle.id for circle in place.earlier})
        with reading(await self._services.languages.among(place, view)):
            goes_to = self._services.models.goes_to
            text = onward(prefix, waits=waits) if goes_on else introduction(goes_to, prefix, shared=True)
            parts = await self._services.outgoing.composer.parts(place.platform, text, links=NO_LINKS)
        if await (view.notices.go_on(place.channel, session, parts) if goes_on else view.notices.greet(session, parts)):
            await self._services.outgoing.flush(place.platform, place.key, parts)

    async def _now(self, place: Place) -> Place:
        """Return a place with its current readers, if they are known."""
        try:
            return await self._adapter.locate(place) or place
        except PlaceGone:
            return place
