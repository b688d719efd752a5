"""The surroundings of a turn's messages: what they reply to, and what others said just before, which is not stored."""

from collections.abc import Sequence
from functools import partial

from adapters.base import Adapter
from adapters.events import Message, Person, Place
from adapters.message_parts import Quote
from bot.admission.access import Access
from bot.context.quoting import (
    messages_before,
    opted_out_forwards,
    unforgotten_quotes,
    unstored_quotes,
    without_confidences,
    without_forgotten,
    without_forwards,
    without_told_again,
)
from bot.context.unstored_names import with_display_names
from bot.conversation.inbox_events import asked_at
from bot.conversation.preferences import Preferences
from bot.rights.off_record import OffRecord
from memory.core import Memory
from memory.ports import Clock
from memory.text.off_loop import off_loop
from memory.types import MINUTE
from memory.view.view import View

_ASIDES, _SINCE = 10, 40
"""How many messages before a question are shown, and looked through for who asks to keep a message that it answers."""
_ASIDE_MINUTES = 60


class Surroundings:
    """Reads the surroundings of messages. Messages older than `within` (microseconds) are not answered any more."""

    def __init__(
        self, memory: Memory, preferences: Preferences, access: Access, clock: Clock, within: int, off_record: OffRecord
    ) -> None:
        self._memory = memory
        self._preferences = preferences
        self._access = access
        self._clock = clock
        self._within = within
        self._off_record = off_record

    async def said_before(self, adapter: Adapter, place: Place, messages: Sequence[Message]) -> Sequence[Quote]:
        """Return what other admitted people said at a shared place just before the first of these messages.

        A thread that is not far from its beginning comes with the message that it began with, whoever said that, and when.
        """
        now = adapter.platform_clock.time_of(self._clock.now())
        first = next((one.id for one in messages if one.addressed and asked_at(one) >= now - self._within), "")
        if not first or (place.is_private and not place.thread):
            return ()
        since = now if place.is_private else now - _ASIDE_MINUTES * MINUTE
        before = await messages_before(adapter, place, first, _ASIDES)
        found = [one for one in before if one.id == place.thread or (not one.own and one.said_at >= since)]
        return [one for one in found if one.own or await self._access.admits(Person(place.platform, one.person, ""), place)]

    async def quotes_in_view(
        self, view: View, adapter: Adapter, place: Place, messages: Sequence[Message], said: Sequence[Quote]
    ) -> tuple[Sequence[Quote], Sequence[Quote]]:
        """Return the quotes of messages and what others said just before, under the display names of this place.

        What a thread began with counts as quoted by what is said in it.
        """
        quoted = [one.quoted for one in messages if one.quoted and not one.quoted.hidden]
        unheeded = await opted_out_forwards(self._memory, self._preferences, adapter, [*quoted, *said])
        quoted, said = [without_forwards(one, unheeded) for one in quoted], [without_forwards(one, unheeded) for one in said]
        begins = [one for one in said if one.id == place.thread and one.id not in {quote.id for quote in quoted}]
        answered = await self._visible_quotes(view, adapter, messages[-1], [*begins, *quoted], place)
        asker = messages[-1].person.id if messages[-1].off_record else None
        aside = await self._aside(view, place, [one for one in said if one.id != place.thread], asker)
        quotes = await with_display_names(view.messages, adapter, place, [*answered, *aside])
        return quotes[: len(answered)], quotes[len(answered) :]

    async def _visible_quotes(
        self, view: View, adapter: Adapter, answer: Message, quotes: Sequence[Quote], place: Place
    ) -> list[Quote]:
        """Return the quotes that may be shown: stored messages only where their readers may know them, whatever the platform shows.

        Messages that are not stored and were said in confidence, be it by what was said since, are not shown in shared places.
        """
        kept = await view.messages.kept(place.platform, [quote.id for quote in quotes])
        heeded = await self._preferences.without_opted_out_people(
            place.platform, [quote for quote in quotes if kept.get(quote.id, True)], kept
        )
        if not place.is_private:
            others = [quote for quote in heeded if not quote.own and quote.id not in kept]
            said = await adapter.messages_before(place.key, answer.id, _SINCE) if others else ()
            before = [quote for quote in others if quote.id not in {one.id for one in said}]
            openly_said = await _openly_said([*before, *said])
            openly_said = await without_told_again(view, place.platform, openly_said)
            heeded = [quote for quote in heeded if quote not in others or quote.id in {one.id for one in openly_said}]
        return await unforgotten_quotes(self._memory, view, place, heeded)

    async def _aside(self, view: View, place: Place, said: Sequence[Quote], asker: str | None) -> list[Quote]:
        """Return the messages that are neither forgotten nor stored; stored ones are recalled instead, where their readers may know them.

        Confidences are left out, and so is what is off the record, unless the `asker` is off the record too.
        """
        overheard = [] if asker is None else [one for one in said if self._off_record.overheard(place, one.id, asker)]
        unstored = await unstored_quotes(self._memory, view, place, [one for one in said if one not in overheard])
        unstored += await without_forgotten(self._memory, view, place.platform, overheard)
        # What people say to her is stored, so mostly nothing is left that has to be looked through.
        openly_said = await _openly_said(said) if unstored else []
        shown = {one.id: one for one in unstored}
        return [shown[one.id] for one in await without_told_again(view, place.platform, openly_said) if one.id in shown]


async def _openly_said(quotes: Sequence[Quote]) -> list[Quote]:
    return await off_loop(sum(len(one.text) for one in quotes), partial(without_confidences, quotes))
