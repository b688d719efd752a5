"""T2: a heard message is stored as it is now, at its place, before anything is derived from it.

Edits and deletions pass here too, so that a message and its edit are never reordered.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from adapters.base import Adapter
from adapters.events import Message, MessageEdited, MessagesDeleted, Person
from adapters.message_parts import Attachment, Contents
from adapters.recent import Recent
from bot.admission.access import Access
from bot.context.quoting import opted_out_forwards, without_forgotten, without_forwards
from bot.context.unstored_names import names_in_use
from bot.conversation.answering.turn_validity import current, have_same_readers
from bot.conversation.attachments import images, text_with_attachments
from bot.conversation.concurrent_changes import ConcurrentChanges
from bot.conversation.domain_access import DomainAccess
from bot.conversation.inbox_events import HeardMessage, asked_at, only_messages, reword, unfinished
from bot.conversation.one_turn import ReadersChanged, TooLate, Turn
from bot.conversation.preferences import Preferences, speakers
from bot.conversation.surroundings import Surroundings
from bot.rights.off_record import Holding, OffRecord
from memory.core import Memory
from memory.journal.journal import OpenEvents
from memory.places.shown_names import Person as Account
from memory.ports import Clock
from memory.text.off_loop import off_loop
from memory.text.told import discretion
from memory.tiers.messages import storing
from memory.types import MINUTE, DiscretionScope, Exchange, Identity, Kind, NameUse, NewExchange, Session
from memory.view.view import View

_SETTLED = 10_000
"""How many accounts a process remembers as stored under their names."""


class Intake:
    """Stores heard messages."""

    def __init__(
        self, memory: Memory, domains: DomainAccess, preferences: Preferences, access: Access, clock: Clock, answer_within_minutes: int,
        off_record: OffRecord,
    ) -> None:  # fmt: skip
        self._memory = memory
        self._domains = domains
        self._preferences = preferences
        self._clock = clock
        self._within = answer_within_minutes * MINUTE
        self._off_record = off_record
        self._holding = Holding(memory, off_record)
        self._surroundings = Surroundings(memory, preferences, access, clock, self._within, off_record)
        self._concurrent_changes = ConcurrentChanges()
        self._lock = asyncio.Lock()
        self._settled = Recent[tuple[int, Person], None](_SETTLED)

    async def keep(self, heard: Sequence[HeardMessage], adapter: Adapter) -> Turn | TooLate | ReadersChanged | None:
        """Store these messages of one person at one place; return the turn to run, None if nothing is to be answered.

        Messages off the record are only held in memory until they are answered. Raises PlaceUnknown if its readers are unknown.
        """
        began_at = self._clock.now()
        last = heard[-1].message
        place = await current(adapter, last.place)
        # What only some could read stays with them, even if the place was opened up before this was stored.
        moved = place is None or not have_same_readers(place, last.place)
        stored_place = last.place if place is None or moved else place
        watch = self._concurrent_changes.watch(stored_place.platform)
        said_before = () if moved else await self._surroundings.said_before(adapter, stored_place, [one.message for one in heard])
        chosen = await self._preferences.read(stored_place, last.person, *speakers(stored_place.platform, said_before))
        view, known_session = await self._domains.view_with_session(stored_place, last.person, adapter, chosen)
        off_record = last.off_record
        session = known_session or await (self._domains.current_session if off_record else self._domains.named_session)(
            view, stored_place, left=moved
        )
        kept = await (self._hold if off_record else self._store_current)(adapter, view, session, heard)
        if not kept.questions or moved or place is None:
            await self._memory.journal.drop([one.key for one in heard])
            if moved:
                return ReadersChanged(place, last.person, last.answers or last.id) if place and kept.questions else None
            return TooLate(view, session, place, kept.too_late, kept.stale_previews) if place and kept.too_late else None
        await self._memory.journal.drop([one.key for one in heard if one.key not in kept.inbox_keys])
        # A private answer replies to nothing visible. What could not even be stored is not in its view, and waits on.
        waiting_rows = kept.open_events.held if place.is_private and not off_record else {}
        stored = await view.messages.stored(place.platform, list(waiting_rows.values()))
        waiting = [key for key, id in waiting_rows.items() if id in stored]
        quotes, aside = await self._surroundings.quotes_in_view(
            view, adapter, place, kept.messages, chosen.without_opted_out_people(place.platform, said_before)
        )
        turn = Turn(
            view, session, place, last.person, adapter, kept.questions, watch, began_at, chosen,
            inbox_keys=sorted({*waiting, *kept.inbox_keys}), quotes=quotes, aside=aside,
            images=images([file for files in kept.attachments for file in files]), retried=any(one.row.tries for one in heard),
            leftover_preview=kept.leftover_preview, stale_previews=kept.stale_previews,
            ended_confidences=kept.ended_confidences, discretion_scopes=kept.discretion_scopes,
            anew=last.anew, reply_address=last.answers, off_record=off_record,
        )  # fmt: skip
        if not off_record:
            return turn
        return replace(turn, unstored_history=self._off_record.begin(session, turn.aside_of, turn.questions))

    async def once(self, message: Message, adapter: Adapter) -> Turn:
        """Return the turn of one message that is not stored and has no history. Raises PlaceUnknown."""
        place, person, began_at = message.place, message.person, self._clock.now()
        chosen = await self._preferences.read(place, person)
        view, known_session = await self._domains.view_with_session(place, person, adapter, chosen)
        session = known_session or await self._domains.current_session(view, place)
        question = await self._holding.message(adapter, view, session, message, message.text)
        watch = self._concurrent_changes.watch(place.platform)
        return Turn(view, session, place, person, adapter, [question], watch, began_at, chosen, off_record=True)

    @asynccontextmanager
    async def changes_held_off(self, turn: Turn, shown: Collection[str]) -> AsyncIterator[None]:
        """Hold off all changes during the block. Raises SourceGone if something shown was removed meanwhile."""
        async with self._lock:
            turn.watch.require(shown)
            yield

    async def withdraw(self, event: MessagesDeleted) -> None:
        """Forget messages that were deleted on the platform."""
        platform = event.place.platform
        async with self._lock:
            self._concurrent_changes.tell(platform, event.ids)
            self._off_record.forget(platform, event.ids)
            await self._requote(platform, event.ids, None)
            await self._memory.kept.withdraw(platform, event.place.key, event.ids)

    async def revise(self, event: MessageEdited, adapter: Adapter) -> bool:
        """Replace the text of an edited message; return whether anything stored changed.

        If the new text cannot be read, or its author is no longer stored there, the old text is removed.
        """
        platform, key = event.place.platform, event.place.key
        self._concurrent_changes.tell(platform, [event.id])
        if self._off_record.knows(platform, event.id):
            self._off_record.forget(platform, [event.id])
            return False
        if not await self._memory.kept.follows(platform, key, event.id):
            async with self._lock:
                await self._requote(platform, [event.id], event.text)
            return False
        is_kept = await self._preferences.keeps(event.place, Person(platform, event.person, ""))
        if not is_kept or event.text is None:
            await self.withdraw(MessagesDeleted(event.place, (event.id,)))
            return True
        message = Message(
            event.id, event.place, Person(platform, "", ""), event.text, event.edited_at, attachments=event.attachments
        )
        is_empty = not (event.text or event.attachments)
        read = await adapter.read_attachments(message) if event.attachments else ()
        text = "" if is_empty else text_with_attachments(message, read)
        async with self._lock:
            await self._requote(platform, [event.id], event.text or None)
            for waiting in () if is_empty else only_messages(await unfinished(self._memory.journal, platform, key)):
                if waiting.message.id == event.id and not waiting.message.off_record:
                    changed = replace(waiting.message, text=event.text, attachments=event.attachments)
                    await reword(self._memory.journal, changed)
            return await self._memory.kept.revise(platform, key, event.id, text, event.edited_at, stays=True)

    async def _requote(self, platform: str, ids: Collection[str], text: str | None) -> None:
        """Update quotes of these messages in waiting ones; remove the quotes if `text` is None."""
        for message in (one.message for one in only_messages(await unfinished(self._memory.journal, platform))):
            if message.quoted and not message.quoted.hidden and message.quoted.id in ids:
                quoted = replace(message.quoted, text=text) if text else None
                await reword(self._memory.journal, replace(message, quoted=quoted))

    async def _shown(self, view: View, heard: Sequence[HeardMessage], unheeded: Collection[str]) -> list[HeardMessage]:
        """Return messages without what they forward that is forgotten or was said by people who opted out."""
        platform = heard[0].message.place.platform if heard else ""
        heeded = [without_forwards(one.message, unheeded) for one in heard]
        shown = await without_forgotten(self._memory, view, platform, heeded)
        return [replace(one, message=message) for one, message in zip(heard, shown, strict=True)]

    async def _store_current(self, adapter: Adapter, view: View, session: Session, heard: Sequence[HeardMessage]) -> "_Kept":
        """T2: store messages as they are now, with their attachments, which were read before."""
        current_messages = list(heard)
        # The display name of an account is fixed once something is stored under it.
        new_names = {(view.home.key, one.message.person) for one in heard} - self._settled.keys()
        people = [person for _, person in sorted(new_names, key=str)]
        names_taken = await names_in_use(view.messages, adapter, heard[-1].message.place, people)
        where = session.ref.platform, session.ref.place
        files: _ReadFiles = {}
        unheeded = await opted_out_forwards(self._memory, self._preferences, adapter, [one.message for one in heard])
        while True:
            for message in (one.message for one in await self._shown(view, current_messages, unheeded)):
                if message.attachments and _files_key(message) not in files:
                    files[_files_key(message)] = await adapter.read_attachments(message)
            async with self._lock:
                open_events = await self._memory.journal.open_events([one.key for one in heard], *where)
                payloads = open_events.payloads
                current_messages = [one.with_words(payloads[one.key]) for one in heard if one.key in payloads]
                current_messages = await self._shown(view, current_messages, unheeded)
                # An edit meanwhile may have changed the attachments: then those are read first.
                if all(not one.message.attachments or _files_key(one.message) in files for one in current_messages):
                    kept = await self._store(adapter, view, session, current_messages, files, open_events, names_taken)
                    self._settled.update(dict.fromkeys((view.home.key, message.person) for message in kept.messages))
                    return kept

    async def _hold(self, adapter: Adapter, view: View, session: Session, heard: Sequence[HeardMessage]) -> "_Kept":
        """Return the messages to be answered off the record, as far as nobody deleted them meanwhile."""
        open_events = await self._memory.journal.open_events([one.key for one in heard], session.ref.platform, session.ref.place)
        left = [one for one in heard if one.key in open_events.payloads and self._is_to_be_answered(one, adapter)]
        messages = [one.message for one in left]
        unheeded = await opted_out_forwards(self._memory, self._preferences, adapter, messages)
        messages = [without_forwards(one, unheeded) for one in messages]
        questions, attachments = await self._holding.messages(adapter, view, session, messages)
        return _Kept(questions, [one.key for one in left], messages, attachments, open_events)

    def _is_to_be_answered(self, one: HeardMessage, adapter: Adapter) -> bool:
        """Return whether a message is for her, and recent enough, asked again, or promised an answer."""
        oldest = adapter.platform_clock.time_of(self._clock.now()) - self._within
        return one.message.addressed and (bool(one.message.anew) or one.promised or asked_at(one.message) >= oldest)

    async def _store(
        self, adapter: Adapter, view: View, session: Session, heard: Sequence[HeardMessage], files: "_ReadFiles",
        open_events: OpenEvents, names_taken: Mapping[Account, NameUse],
    ) -> "_Kept":  # fmt: skip
        first_time = [one.message for one in heard if not one.message.anew]
        texts = [await new_exchange(one, files.get(_files_key(one), ())) for one in first_time]
        new = [replace(one, borne=names_taken.get((one.identity, one.speaker), NameUse.NOT)) for one in texts]
        outcome = await view.say(session, new) if new else storing.StoringOutcome([])
        stored = {exchange.source_id: exchange for exchange in outcome.stored}
        attachments = [files[_files_key(one.message)] for one in heard if one.message.attachments]
        kept = _Kept([], [], [], attachments, open_events, outcome.ended, outcome.covered)
        too_late = ""
        for one in heard:
            message = one.message
            exchange = stored.get(message.id) or await view.messages.by_source(session, message.id)
            if exchange and self._is_to_be_answered(one, adapter):
                kept.questions.append(exchange)
                kept.inbox_keys.append(one.key)
                kept.messages.append(message)
            elif exchange and message.addressed:
                too_late = message.id
        return replace(kept, too_late=too_late)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The result of storing messages, or of holding them off the record.

    `questions` are those to be answered, as stored; `messages` the same as heard, and `inbox_keys` the rows that an answer
    closes. `attachments` are the contents read, by message. `ended_confidences` and `discretion_scopes` are as in Turn. `too_late`
    is the id of the last message that is too old to be answered, '' for none.
    """

    questions: list[Exchange]
    inbox_keys: list[int]
    messages: list[Message]
    attachments: Sequence[Sequence[Contents]]
    open_events: OpenEvents
    ended_confidences: int = 0
    discretion_scopes: Mapping[int, DiscretionScope] = field(default_factory=dict)
    too_late: str = ""

    @property
    def leftover_preview(self) -> str:
        """The key of the preview that a kill left behind and the answer replaces, '' if there is none."""
        previews = self.open_events.previews
        return next((previews[key] for key in reversed(self.inbox_keys) if key in previews), "")

    @property
    def stale_previews(self) -> Sequence[str]:
        """The keys of other previews that a kill left behind, which nothing replaces."""
        return [key for key in self.open_events.previews.values() if key != self.leftover_preview]


_ReadFiles = dict[tuple[str, tuple[Attachment, ...]], Sequence[Contents]]
"""The contents of attachments, by `_files_key`."""


def _files_key(message: Message) -> tuple[str, tuple[Attachment, ...]]:
    """Return the key of a message's attachments; an edit may change them."""
    return message.id, message.attachments


async def new_exchange(message: Message, contents: Sequence[Contents]) -> NewExchange:
    """Return a message as it is stored with its attachments, and the discretion it asks for if others read along."""
    text = text_with_attachments(message, contents)
    identity = Identity(message.person.platform, message.person.id)
    read = partial(discretion.request_in, message.text)
    request = None if message.place.is_private else await off_loop(len(message.text), read)
    quoted = message.quoted
    if request and quoted and not quoted.own and (request.ends or request.back):
        # A permission means what it answers, and nothing that is kept if that is another's message; a request keeps no message of another.
        of_another = not request.ends and quoted.person != message.person.id
        request = replace(request, back=True, about="" if of_another else quoted.id, of_another=of_another)
    return NewExchange(Kind.SAID, text, message.id, message.said_at, message.person.name, "user", identity, discretion=request)
