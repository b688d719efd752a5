"""The listener of one platform: events from its adapter are admitted, committed, and put into their mailboxes."""

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from adapters.command_table import Action, CommandSpec
from adapters.errors import PlaceGone
from adapters.events import (
    Event,
    MenuCall,
    Message,
    MessageEdited,
    MessagesDeleted,
    Place,
    PlatformNotice,
    Posted,
    Renamed,
    ServerJoined,
    Unreadable,
    Vanished,
)
from bot.admission.access import Access, Admission
from bot.commands.table import Commands
from bot.conversation.answering.renewed_answers import answer_to, offer_new_answer, unseen_questions
from bot.conversation.concurrent_changes import Overtaken
from bot.conversation.conversation_threads import SessionRouting
from bot.conversation.intake import Intake
from bot.conversation.introduction import continues_room, introduce
from bot.conversation.mailboxes import Answered, Mailboxes
from bot.conversation.preferences import PAUSED, Chosen
from bot.conversation.services import Services
from bot.errors import LyraError
from bot.reconciliation.reconciliation import Reconciliation
from bot.service.log import log
from localization.current_language import reading
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
        self._session_routing = SessionRouting(services, adapter)
        self._overtaken = Overtaken(services.memory.journal, services.outgoing, services.clock)
        self._uncommitted_cursors: dict[str, str] = {}
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
        await self._services.outgoing.remove_stale_previews(platform)
        await self._reconciliation.vanishing.scan(platform)
        await self._reconciliation.verification.recheck(platform)
        for place in await self._services.memory.journal.waiting(platform):
            await self._services.outgoing.flush(platform, place)
        await self._mailboxes.recover(platform)
        await self._reconciliation.history_comparison.begin(platform)

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Mark what is stored of these places as unverified, and start comparing it."""
        await self._reconciliation.verification.unverified.missed(self._adapter.platform, tuple(prefix))
        if self.connected.is_set():
            await self._reconciliation.history_comparison.begin(self._adapter.platform)

    async def cursors(self) -> Mapping[str, str]:
        """Return the cursor of each stream."""
        return {**await self._services.memory.journal.cursors(self._adapter.platform), **self._uncommitted_cursors}

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Commit events and cursors; return what to await until the events are answered.

        Cursors without events to store are committed with the next event, or by `settle`.
        """
        admitted_events: list[Message | MenuCall] = []
        promises: list[asyncio.Future[None]] = []
        await self._reconciliation.vanishing.restore(
            self._adapter.platform, [event.place.key for event in events if isinstance(event, Message | MenuCall)]
        )
        for event in events:
            if isinstance(event, Message | MenuCall):
                admitted = await (
                    self._admit_message(event, admitted_events) if isinstance(event, Message) else self._admit_call(event)
                )
                admitted_events += [admitted] if admitted else []
                continue
            if isinstance(event, Posted):
                await self._overtaken.hear(event)
                continue
            promises += await self._accept(admitted_events)
            await self._apply(event)
            admitted_events = []
            if isinstance(event, MessageEdited) and event.addressed:
                # A mention added by an edit is answered; a message heard before is not heard again.
                edited = await self._admit_message(replace(event.addressed, became_hers_at=event.edited_at))
                admitted_events += [edited] if edited else []
        promises += await self._accept(admitted_events, cursors)
        return Answered(promises)

    async def keep(self, ahead: Message) -> None:
        """Commit a message read ahead; it is answered once it is heard."""
        if admitted := await self._admit_message(ahead):
            await self._mailboxes.keep(self._adapter.platform, admitted)

    async def answer_unseen(self) -> Collection[str]:
        """Answer once more what was answered with something forgotten since, where nobody saw that; return the ids of the questions."""
        questions = await unseen_questions(self._services, self._adapter)
        if questions:
            await self._mailboxes.accept(self._adapter.platform, questions, {})
        return {question.id for question in questions}

    async def settle(self) -> None:
        """Commit the cursors."""
        moved, self._uncommitted_cursors = self._uncommitted_cursors, {}
        if moved:
            await self._services.memory.journal.move(self._adapter.platform, moved)

    async def suggest(self, call: MenuCall, parameter: str, typed: str) -> Sequence[str]:
        """Return suggestions for a parameter; none on failure, and for who is not admitted."""
        try:
            if not await self._access.admits(call.person, call.place):
                return ()
            return await self._commands.suggest(call, self._adapter, parameter, typed)
        except (LyraError, MemoryFailure) as error:
            log.info("suggest.failed", why=type(error).__name__)
            return ()

    async def _admit_call(self, call: MenuCall) -> MenuCall | None:
        """Return a call if it is admitted; else tell the caller that it is not."""
        if self._commands.is_open_to_all(call, self._adapter) or await self._access.admits(call.person, call.place):
            chosen = await self._services.preferences.read(call.person, call.place)
            off_record = self._commands.goes_off_record(call, self._adapter)
            return replace(call, off_record=off_record or chosen.is_off_record(call.place, call.person))
        await self._commands.refuse(call)
        return None

    async def _admit_message(self, message: Message, ahead: Sequence[Message | MenuCall] = ()) -> Message | None:
        is_command = self._commands.is_command(message, self._adapter)
        is_foreign_call = not is_command and self._commands.is_call(message, self._adapter)
        open_to_all = is_command and self._commands.is_open_to_all(message, self._adapter)
        if not open_to_all and not await self._access.admits(message.person, message.place):
            return None
        chosen = await self._services.preferences.read(message.person, message.place)
        admitted = self._admission.admit(message, chosen, command=is_command, foreign=is_foreign_call)
        if admitted is None:
            await self._overhear(message, chosen)
            return None
        if is_command and self._commands.goes_off_record(message, self._adapter):
            admitted = replace(admitted, off_record=True)
        return await self._keep_out_of_prompts(await self._session_routing.placed(admitted, ahead, command=is_command))

    async def _keep_out_of_prompts(self, message: Message) -> Message:
        """Keep a message off the record, and quotes of it, out of every prompt but its own, from before it is committed."""
        off_record, platform = self._services.off_record, message.place.platform
        if message.off_record:
            await self._services.domains.view_and_session(message.place, message.person)
            await self._services.memory.kept.disregard(platform, message.place.key, message.id)
            off_record.note(platform, message.id)
        elif message.quoted and off_record.knows(platform, message.quoted.id):
            return replace(message, quoted=None)
        return message

    async def _overhear(self, message: Message, chosen: Chosen) -> None:
        """Keep overheard messages off the record out of prompts that are on the record."""
        if chosen.is_off_record(message.place, message.person):
            await self._keep_out_of_prompts(replace(message, off_record=True))
            whose = "" if chosen.all_off_record(message.place) else message.person.id
            self._services.off_record.overhear(message.place, message.id, whose)

    async def _accept(
        self, events: Sequence[Message | MenuCall], cursors: Mapping[str, str] = NO_CURSORS
    ) -> Sequence[asyncio.Future[None]]:
        if not events:
            self._uncommitted_cursors |= cursors
            return ()
        moved, self._uncommitted_cursors = self._uncommitted_cursors, {}
        try:
            return await self._mailboxes.accept(self._adapter.platform, events, {**moved, **cursors})
        except MemoryFailure:
            # What could not be kept is read again: its own cursors stay where they were.
            self._uncommitted_cursors = {**moved, **self._uncommitted_cursors}
            raise

    async def _apply(self, event: Event) -> None:
        match event:
            case MessageEdited():
                for place in await self._session_routing.kept_at(event.place, [event.id]):
                    edit = replace(event, place=place)
                    # The answer that contains its old text is removed with it.
                    answer = await answer_to(self._services, edit) if event.person else ""
                    if not await self._intake.revise(edit, self._adapter):
                        continue
                    if event.id not in await self.answer_unseen() and answer:
                        await offer_new_answer(self._services, edit, answer)
            case MessagesDeleted():
                self._overtaken.note(event.ids)
                for place in await self._session_routing.kept_at(event.place, event.ids):
                    await self._intake.withdraw(replace(event, place=place))
                await self.answer_unseen()
            case Vanished():
                await self._reconciliation.vanishing.vanish(event)
            case Renamed():
                await self._services.domains.rename(event.place, event.before)
            case ServerJoined():
                await self._introduce(event)
            case Unreadable():
                await self._say_unreadable(event)
            case PlatformNotice():
                await self._announce(event)
        if self._adapter.opens_threads and isinstance(event, MessageEdited | MessagesDeleted):
            await self._services.outgoing.remove_thread_names()

    async def _say_unreadable(self, event: Unreadable) -> None:
        if event.once and not await self._is_worth_a_hint(event):
            return
        if not await self._access.admits(event.person, event.place):
            return
        view, session = await self._services.domains.view_and_session(event.place, event.person)
        notices = view.notices
        queue = partial(notices.hint if event.once else partial(notices.queue, finishes=()), session, answers=event.id)
        with reading(await self._services.languages.to(event.place, event.person)):
            await self._services.outgoing.say(event.place, str(event.why), queue)

    async def _announce(self, event: PlatformNotice) -> None:
        if not await self._access.admits(event.person, event.place):
            return
        view, session = await self._services.domains.view_and_session(event.place, event.person)
        with reading(await self._services.languages.to(event.place, event.person)):
            answers = (Action(_("The same"), event.asks, "yes"), Action(_("Not the same"), event.asks, "no"))
            queue = partial(view.notices.queue, session, finishes=(), answers=event.answers)
            await self._services.outgoing.say(event.place, str(event.says), queue, answers if event.asks else ())

    async def _is_worth_a_hint(self, event: Unreadable) -> bool:
        """Return whether an unreadable message would have been answered."""
        answers_all = event.addressed or await self._services.preferences.value(event.place, "answers") == "always"
        return answers_all and not await self._services.preferences.on(event.person, PAUSED)

    async def _introduce(self, event: ServerJoined) -> None:
        if self._access.shuts_out(event.place):
            return
        place = await self._current_place(event.place)
        view, session = await self._services.domains.view_and_session(place)
        if place.alone and not continues_room(place, view):
            # Whoever is alone there with her is greeted with the first answer.
            return
        with reading(await self._services.languages.among(place, view)):
            await introduce(self._services, place, view, session, self._adapter.prefix)

    async def _current_place(self, place: Place) -> Place:
        try:
            return await self._adapter.locate(place) or place
        except PlaceGone:
            return place
