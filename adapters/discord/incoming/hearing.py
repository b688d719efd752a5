"""Passes what was heard to the listener in order: after a new start first the backfill, then what came meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import discord

from adapters.discord.access import readers
from adapters.discord.access.audiences import Audiences
from adapters.discord.client import Client
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming.backfill import Backfill
from adapters.discord.resuming.session_position import SessionPosition
from adapters.discord.session_client import ConnectionChange, GatewayEvent, VisibilityChange
from adapters.events import Event, Message, MessageEdited, MessagesDeleted, Unreadable, Vanished
from adapters.listener import Listener
from adapters.recent import Recent
from adapters.task_groups import run_in_background

_MOST_AT_ONCE = 500
_MOST_KNOWN = 20_000


_BURST = 100
"""The most events passed on together: a burst is committed soon, piece by piece."""


@dataclass(eq=False)
class Hearing:
    """The gate between a client and its listener, closed from a disconnect until the session resumes or the gap is filled.

    It `is_open` while what comes is passed on at once, and `is_through` once everything was passed on until the session was
    left to the next process.
    """

    client: Client
    listener: Listener
    backfill: Backfill
    gate: readers.Gate
    audiences: Audiences
    position: SessionPosition
    is_open: bool = False
    is_through: bool = False

    def __post_init__(self) -> None:
        self._backfill_due = True
        self._waiting: list[GatewayEvent] = []
        self._visible_again: list[discord.abc.GuildChannel] = []
        self._returned: list[discord.Guild] = []
        self._passed_on: Recent[int, None] = Recent(_MOST_KNOWN)
        self._handing_over = asyncio.Lock()

    @property
    def is_complete(self) -> bool:
        """Whether nothing that was missed before is left to be read."""
        return self.backfill.is_complete

    async def run(self) -> None:
        """Pass on what comes, until cancelled, or until the session is left to the next process."""
        over = False
        while not over:
            over = await self._take(await self.client.queue.get())
            # All of what it was told is in the queue: it is handled as it comes.
            told = self.client.sequence
            while not over and not self.client.queue.empty() and not (self.is_open and len(self._waiting) >= _BURST):
                over = await self._take(self.client.queue.get_nowait())
            is_all = self.client.queue.empty()
            if self.is_open:
                await self._flush()
                if is_all and self.client.tells_dms:
                    await self.position.note(self.client, told)
        self.is_through = self.is_open

    async def hand_over(self, heard: Sequence[GatewayEvent]) -> None:
        """Pass on events with their stream positions, leaving out messages that were passed on recently."""
        async with self._handing_over:
            moved: dict[str, str] = {}
            events = []
            for one in heard:
                if one.position and self.backfill.may_move(one.stream):
                    moved[one.stream] = str(max(one.position, int(moved.get(one.stream, 0))))
                if one.event is not None and not (one.position and self._was_passed_on(one.position)):
                    events.append(self._with_permitted_quote((await self._with_place(one)).event))
            await self.audiences.settle()
            if events or moved:
                # The next event does not wait for answers.
                run_in_background(await self.listener.hear([one for one in events if one is not None], moved))
        await self.client.administrators.settle()

    async def _hand_over_missed(self, heard: Sequence[GatewayEvent]) -> None:
        """Pass on what was read from a history, as said to those who were known to read its place when something was last heard there.

        When a channel was opened to more people is unknown.
        """
        await self.hand_over(
            [
                replace(one, event=self.audiences.before_opening(one.event)) if isinstance(one.event, Message) else one
                for one in heard
            ]
        )

    async def _take(self, item: GatewayEvent | ConnectionChange | VisibilityChange | discord.Guild) -> bool:
        """Take in what came next; return whether it is the last."""
        match item:
            case GatewayEvent():
                self._waiting.append(item)
            case VisibilityChange():
                await self.listener.missed(item.prefix)
                self._visible_again += [item.visible_again] if item.visible_again is not None else []
                if self.is_open:
                    await self._flush()
                    await self._reopen()
            case ConnectionChange.BEGUN:
                self._backfill_due, self.is_open = True, False
                if self.client.tells_dms and not self.client.is_restored:
                    await self.position.begin(self.client, self.backfill.learn_dms)
            case ConnectionChange.LOST:
                if self.is_open:
                    await self._flush()
                self.is_open = False
            case ConnectionChange.COMPLETE:
                # No earlier session can have told what happened between them.
                await self.listener.missed()
                await self.listener.ready()
                await self.backfill.fill(self.client.guilds, self._hand_over_missed, streams=True)
                self._backfill_due, self.is_open = False, True
                self._visible_again.clear()
                self._returned.clear()
            case ConnectionChange.TAKEN_UP:
                await self.backfill.resume()
                self._backfill_due, self.is_open = False, True
                self._returned.clear()
                # Whatever was left to be answered is answered afterwards, and only if it still stands.
                await self.hand_over([one for held in self._waiting if (one := _retraction(held))])
                await self.listener.ready()
                await self._reopen()
            case ConnectionChange.RESUMED:
                self.is_open = not self._backfill_due
                if self.is_open:
                    await self.backfill.retry(self._hand_over_missed)
                    await self._catch_up()
                    await self._reopen()
            case discord.Guild():
                self._returned.append(item)
                if self.is_open:
                    await self._flush()
                    await self._catch_up()
        return item is ConnectionChange.LEFT

    async def _catch_up(self) -> None:
        """Read what was said in servers while they were out of order, or without her."""
        while self._returned:
            guild = self._returned.pop(0)
            await self.listener.missed((str(guild.id),))
            await self.backfill.fill([guild], self._hand_over_missed, streams=False)

    async def _reopen(self) -> None:
        """Read what was said in channels while they were hidden from her, before anything later is heard there."""
        again, self._visible_again = self._visible_again, []
        for channel in again:
            await self.backfill.reopen(channel, self._hand_over_missed)

    async def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        page: list[GatewayEvent] = []
        for one in waiting:
            if len(page) == _MOST_AT_ONCE or (one.dm is not None and not self.backfill.is_caught_up(one.dm)):
                # What came before goes first: the cursor of a DM must not be ahead of a channel that has none yet.
                await self.hand_over(page)
                page = []
            if one.dm is not None:
                await self.backfill.catch_up(one.dm, one.position, self.hand_over)
            page.append(one)
        await self.hand_over(page)

    def _with_permitted_quote(self, event: Event | None) -> Event | None:
        """Return an event with its quote reduced to the id if somebody who reads its place now may not read that."""
        if not isinstance(event, Message):
            return event
        found = self.client.get_channel(int(event.place.thread or event.place.channel))
        # When the readers changed within a gap is unknown: everything in the gap counts as said before.
        newest = getattr(found, "last_message_id", None) or 0
        self.audiences.see(event.place, max(int(event.id), newest))
        return self.audiences.quoting(event)

    def _was_passed_on(self, position: int) -> bool:
        was_passed_on = position in self._passed_on
        self._passed_on[position] = None
        return was_passed_on

    async def _with_place(self, heard: GatewayEvent) -> GatewayEvent:
        """Look up the place of an event whose channel was not cached; if that fails, it stays in a place of its own."""
        event = heard.event
        if not heard.uncached_channel or not isinstance(event, Message | MessageEdited | Unreadable | MessagesDeleted):
            return heard
        try:
            found = await self.client.fetch_channel(heard.uncached_channel)
        except TROUBLE:
            return heard
        if not isinstance(found, discord.abc.GuildChannel | discord.Thread):
            return heard
        return replace(heard, event=replace(event, place=readers.place(found, self.gate)))


def _retraction(heard: GatewayEvent) -> GatewayEvent | None:
    """Return an event as far as it takes back something said earlier, None if it does not."""
    event = heard.event
    if isinstance(event, MessageEdited):
        # What an edit asks for the first time is heard in its turn.
        event = replace(event, addressed=None)
    return (
        GatewayEvent(event, uncached_channel=heard.uncached_channel)
        if isinstance(event, MessageEdited | MessagesDeleted | Vanished)
        else None
    )
