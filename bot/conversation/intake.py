"""T2: a heard message is stored as it is now, at its place, before anything is derived from it.

Edits and deletions pass here too, so that a message and its edit are never reordered.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from adapters.base import Adapter
from adapters.events import Attachment, Contents, Message, Person, Revised, Withdrawn
from bot.admission.access import Access
from bot.context.naming import borne
from bot.context.quoting import without_forgotten
from bot.conversation.answering.readers import current, have_same_readers
from bot.conversation.attachments import images, told
from bot.conversation.domains import Domains
from bot.conversation.heard import Heard, asked_at, only_messages, reword, unfinished
from bot.conversation.meanwhile import Meanwhile
from bot.conversation.one_turn import Moved, TooLate, Turn
from bot.conversation.preferences import Preferences, speakers
from bot.conversation.surroundings import Surroundings
from bot.rights.off_record import Holding, OffRecord
from localization.sentences import lazy
from memory.core import Memory
from memory.errors import SourceGone
from memory.journal.journal import OpenEvents
from memory.places.shown_names import Person as Account
from memory.ports import Clock
from memory.text.apart import apart
from memory.text.told import confidence
from memory.tiers.messages import storing
from memory.types import MINUTE, Borne, Covered, Exchange, Identity, Kind, NewExchange, Session
from memory.view.view import View


class Intake:
    """Stores heard messages."""

    def __init__(
        self, memory: Memory, domains: Domains, preferences: Preferences, access: Access, clock: Clock, answer_within_minutes: int,
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
        self._meanwhile = Meanwhile()
        self._one = asyncio.Lock()
        self._settled: set[tuple[int, Person]] = set()

    async def keep(self, heard: Sequence[Heard], adapter: Adapter) -> Turn | TooLate | Moved | None:
        """Store these messages of one person at one place; return the turn to run, None if nothing is to be answered.

        Messages off the record are only held in memory until they are answered. Raises PlaceUnknown if its readers are unknown.
        """
        began = self._clock.now()
        last = heard[-1].message
        place = await current(adapter, last.place)
        # What only some could read stays with them, even if the place was opened up before this was stored.
        moved = place is None or not have_same_readers(place, last.place)
        there = last.place if place is None or moved else place
        watch = self._meanwhile.watch(there.platform)
        said = () if moved else await self._surroundings.said_before(adapter, there, [one.message for one in heard])
        chosen = await self._preferences.read(there, last.person, *speakers(there.platform, said))
        view, known = await self._domains.arrive(there, last.person, adapter, chosen)
        off_record = last.off_record
        session = known or await (self._domains.session if off_record else self._domains.named)(view, there, left=moved)
        kept = await (self._held if off_record else self._stored)(adapter, view, session, heard)
        if not kept.asked or moved or place is None:
            await self._memory.journal.drop([one.key for one in heard])
            if moved:
                return Moved(place, last.person, last.answers or last.id) if place and kept.asked else None
            return TooLate(view, session, place, kept.late) if place and kept.late else None
        await self._memory.journal.drop([one.key for one in heard if one.key not in kept.finishes])
        # A private answer replies to nothing visible. What could not even be stored is not in its view, and waits on.
        held = kept.open.held if place.is_private and not off_record else {}
        stored = await view.messages.stored(place.platform, list(held.values()))
        waiting = [key for key, id in held.items() if id in stored]
        turn = Turn(
            view,
            session,
            place,
            last.person,
            kept.asked,
            sorted({*waiting, *kept.finishes}),
            *await self._surroundings.shown(view, adapter, place, kept.messages, chosen.heeded(place.platform, said)),
            images([one for contents in kept.read for one in contents]),
            any(one.row.tries for one in heard),
            watch,
            began,
            chosen,
            next((kept.open.previews[key] for key in reversed(kept.finishes) if key in kept.open.previews), ""),
            kept.ended,
            kept.covered,
            anew=last.anew,
            to=last.answers,
            off_record=off_record,
        )
        return replace(turn, before=self._off_record.before(session, turn.aside_of)) if off_record else turn

    async def once(self, message: Message, adapter: Adapter) -> Turn:
        """Return the turn of one message that is not stored and has no history. Raises PlaceUnknown."""
        place, person, began = message.place, message.person, self._clock.now()
        chosen = await self._preferences.read(place, person)
        view, known = await self._domains.arrive(place, person, adapter, chosen)
        session = known or await self._domains.session(view, place)
        asked = await self._holding.message(adapter, view, session, message, message.text)
        watch = self._meanwhile.watch(place.platform)
        return Turn(view, session, place, person, [asked], (), (), (), (), False, watch, began, chosen, "", off_record=True)

    @asynccontextmanager
    async def undisturbed(self, turn: Turn, shown: Collection[str]) -> AsyncIterator[None]:
        """Hold off all changes during the block. Raises SourceGone if something shown was removed meanwhile."""
        async with self._one:
            if not turn.watch.gone.isdisjoint(shown):
                raise SourceGone(lazy("Something that this answer was shown was changed or removed while it was made."))
            yield

    async def withdraw(self, event: Withdrawn) -> None:
        """Forget messages that were deleted on the platform."""
        platform = event.place.platform
        async with self._one:
            self._meanwhile.tell(platform, event.ids)
            self._off_record.forget(platform, event.ids)
            await self._requote(platform, event.ids, None)
            await self._memory.withdraw(platform, event.place.key, event.ids)

    async def revise(self, event: Revised, adapter: Adapter) -> bool:
        """Replace the text of an edited message; return whether anything stored changed.

        If the new text cannot be read, or its author is no longer stored there, the old text is removed.
        """
        platform, key = event.place.platform, event.place.key
        self._meanwhile.tell(platform, [event.id])
        if self._off_record.knows(platform, event.id):
            self._off_record.forget(platform, [event.id])
            return False
        if not await self._memory.follows(platform, key, event.id):
            async with self._one:
                await self._requote(platform, [event.id], event.text)
            return False
        keeps = await self._preferences.keeps(event.place, Person(platform, event.person, ""))
        if not keeps or event.text is None or not (event.text or event.attachments):
            await self.withdraw(Withdrawn(event.place, (event.id,)))
            return True
        now = Message(event.id, event.place, Person(platform, "", ""), event.text, event.at, attachments=event.attachments)
        text = told(now, await adapter.read(now) if event.attachments else ())
        async with self._one:
            await self._requote(platform, [event.id], event.text)
            for one in only_messages(await unfinished(self._memory.journal, platform, key)):
                if one.message.id == event.id and not one.message.off_record:
                    changed = replace(one.message, text=event.text, attachments=event.attachments)
                    await reword(self._memory.journal, changed)
            return await self._memory.revise(platform, key, event.id, text, event.at)

    async def _requote(self, platform: str, ids: Collection[str], text: str | None) -> None:
        """Update quotes of these messages in waiting ones; remove the quotes if `text` is None."""
        for message in (one.message for one in only_messages(await unfinished(self._memory.journal, platform))):
            if message.quoted and not message.quoted.hidden and message.quoted.id in ids:
                quoted = replace(message.quoted, text=text) if text else None
                await reword(self._memory.journal, replace(message, quoted=quoted))

    async def _unforgotten(self, view: View, heard: Sequence[Heard]) -> list[Heard]:
        """Return messages without forwarded content that is forgotten."""
        platform = heard[0].message.place.platform if heard else ""
        shown = await without_forgotten(self._memory, view, platform, [one.message for one in heard])
        return [replace(one, message=message) for one, message in zip(heard, shown, strict=True)]

    async def _stored(self, adapter: Adapter, view: View, session: Session, heard: Sequence[Heard]) -> "_Kept":
        """T2: store messages as they are now, with their attachments, which were read before."""
        now = list(heard)
        # The display name of an account is fixed once something is stored under it.
        met = {(view.home.key, one.message.person) for one in heard} - self._settled
        taken = await borne(view.messages, adapter, heard[-1].message.place, [person for _, person in sorted(met, key=str)])
        where = session.ref.platform, session.ref.place
        read: dict[tuple[str, tuple[Attachment, ...]], Sequence[Contents]] = {}
        while True:
            for message in (one.message for one in await self._unforgotten(view, now)):
                if message.attachments and _came(message) not in read:
                    read[_came(message)] = await adapter.read(message)
            async with self._one:
                open_events = await self._memory.journal.open_events([one.key for one in heard], *where)
                payloads = open_events.payloads
                now = [one.with_words(payloads[one.key]) for one in heard if one.key in payloads]
                now = await self._unforgotten(view, now)
                if all(not one.message.attachments or _came(one.message) in read for one in now):
                    kept = await self._store(view, session, now, read, open_events, taken)
                    self._settled = self._settled if len(self._settled) < _SETTLED else set()
                    self._settled |= {(view.home.key, one.person) for one in kept.messages}
                    return kept

    async def _held(self, adapter: Adapter, view: View, session: Session, heard: Sequence[Heard]) -> "_Kept":
        """Return the messages to be answered off the record, as far as nobody deleted them meanwhile."""
        open_events = await self._memory.journal.open_events([one.key for one in heard], session.ref.platform, session.ref.place)
        oldest = self._clock.now() - self._within
        now = [one for one in heard if one.key in open_events.payloads]
        now = [one for one in now if one.message.addressed and (one.message.anew or asked_at(one.message) >= oldest)]
        messages = [one.message for one in now]
        asked, read = await self._holding.messages(adapter, view, session, messages)
        return _Kept(asked, [one.key for one in now], messages, read, open_events, 0, {})

    async def _store(
        self, view: View, session: Session, heard: Sequence[Heard],
        read: Mapping[tuple[str, tuple[Attachment, ...]], Sequence[Contents]], open_events: OpenEvents,
        taken: Mapping[Account, Borne],
    ) -> "_Kept":  # fmt: skip
        first = [one.message for one in heard if not one.message.anew]
        words = [await said(message, told(message, read.get(_came(message), ()))) for message in first]
        new = [replace(one, borne=taken.get((one.identity, one.speaker), Borne.NOT)) for one in words]
        kept = await view.say(session, new) if new else storing.Kept([])
        stored = {exchange.source_id: exchange for exchange in kept.stored}
        oldest = self._clock.now() - self._within
        asked, finishes, answered, late = [], [], [], ""
        for one in heard:
            message = one.message
            exchange = stored.get(message.id) or await view.messages.by_source(session, message.id)
            if exchange and message.addressed and (message.anew or asked_at(message) >= oldest):
                asked.append(exchange)
                finishes.append(one.key)
                answered.append(message)
            elif exchange and message.addressed:
                late = message.id
        came = [read[_came(one.message)] for one in heard if one.message.attachments]
        return _Kept(asked, finishes, answered, came, open_events, kept.ended, kept.covered, late)


_SETTLED = 10_000
"""How many accounts a process remembers as stored under their names."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """The result of storing messages: those to be answered, with the events that an answer closes; `read` are all attachments.

    `ended` counts the messages whose confidence they end, `covered` is what requests for discretion keep back. `late` is the
    last message that is too old to be answered, '' for none.
    """

    asked: list[Exchange]
    finishes: list[int]
    messages: list[Message]
    read: Sequence[Sequence[Contents]]
    open: OpenEvents
    ended: int
    covered: Mapping[int, Covered]
    late: str = ""


def _came(message: Message) -> tuple[str, tuple[Attachment, ...]]:
    """Return the key by which a message's attachments are known to be read already."""
    return message.id, message.attachments


async def said(message: Message, text: str) -> NewExchange:
    """Return a message as it is stored, with the discretion it asks for if others read along."""
    identity = Identity(message.person.platform, message.person.id)
    ask = None if message.place.is_private else await apart(len(message.text), partial(confidence.asked, message.text))
    answered = message.quoted
    if ask and ask.back and answered and answered.person == message.person.id:
        ask = replace(ask, about=answered.id)
    return NewExchange(Kind.SAID, text, message.id, message.said_at, message.person.name, "user", identity, discretion=ask)
