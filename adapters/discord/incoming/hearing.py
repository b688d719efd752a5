"""Passes what was heard to the listener in order: after a new start first the backfill, then what came meanwhile."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import discord

from adapters.discord.access import readers
from adapters.discord.access.audiences import Audiences
from adapters.discord.client import Client
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming.backfill import Backfill
from adapters.discord.incoming.event_queue import ConnectionChange, GatewayEvent, VisibilityChange
from adapters.events import Event, Message, MessageEdited, MessagesDeleted, Unreadable, Vanished
from adapters.listener import Listener
from adapters.task_groups import go_on

_MOST_AT_ONCE = 500
_MOST_KNOWN = 20_000


_AT_ONCE = 100
"""The most events passed on together: a burst is committed soon, piece by piece."""


class Hearing:
    """The gate between a client and its listener, closed from a disconnect until the session resumes or the gap is filled."""

    def __init__(self, client: Client, listener: Listener, gaps: Backfill, gate: readers.Gate, audiences: Audiences) -> None:
        self._client = client
        self._listener = listener
        self._gaps = gaps
        self._gate = gate
        self._audiences = audiences
        self._open = False
        self._owed = True
        self.is_through = False
        """Whether everything was passed on until the session was left to the next process."""
        self._waiting: list[GatewayEvent] = []
        self._seen_again: list[discord.abc.GuildChannel] = []
        self._known: OrderedDict[int, None] = OrderedDict()
        self._turn = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """Whether what comes is passed on at once."""
        return self._open

    @property
    def is_whole(self) -> bool:
        """Whether nothing that was missed before is left to be read."""
        return self._gaps.whole

    async def run(self) -> None:
        """Pass on what comes, until cancelled, or until the session is left to the next process."""
        over = False
        while not over:
            over = await self._take(await self._client.items.get())
            while not over and not self._client.items.empty() and not (self._open and len(self._waiting) >= _AT_ONCE):
                over = await self._take(self._client.items.get_nowait())
            if self._open:
                await self._flush()
        self.is_through = self._open

    async def hand(self, heard: Sequence[GatewayEvent]) -> None:
        """Pass on events with their stream positions, leaving out messages that were passed on recently."""
        async with self._turn:
            moved: dict[str, str] = {}
            events = []
            for one in heard:
                if one.position and self._gaps.may_move(one.stream):
                    moved[one.stream] = str(max(one.position, int(moved.get(one.stream, 0))))
                if one.event is not None and not (one.position and self._is_known(one.position)):
                    events.append(self._quoting((await self._placed(one)).event))
            await self._audiences.settle()
            if events or moved:
                # The next event does not wait for answers.
                go_on(await self._listener.hear([one for one in events if one is not None], moved))
        await self._client.administrators.settle()

    async def _take(self, item: GatewayEvent | ConnectionChange | VisibilityChange | discord.Guild) -> bool:
        """Take in what came next; return whether it is the last."""
        match item:
            case GatewayEvent():
                self._waiting.append(item)
            case VisibilityChange():
                await self._listener.missed(item.prefix)
                self._seen_again += [item.seen_again] if item.seen_again is not None else []
                if self._open:
                    await self._flush()
                    await self._reopen()
            case ConnectionChange.BEGUN:
                self._owed, self._open = True, False
            case ConnectionChange.LOST:
                if self._open:
                    await self._flush()
                self._open = False
            case ConnectionChange.COMPLETE:
                # No earlier session can have told what happened between them.
                await self._listener.missed()
                await self._listener.ready()
                await self._gaps.fill(self._client.guilds, self.hand, streams=True)
                self._owed, self._open = False, True
                self._seen_again.clear()
            case ConnectionChange.TAKEN_UP:
                await self._gaps.take_up()
                self._owed, self._open = False, True
                # Whatever was left to be answered is answered afterwards, and only if it still stands.
                await self.hand([one for held in self._waiting if (one := _taking_back(held))])
                await self._listener.ready()
                await self._reopen()
            case ConnectionChange.RESUMED:
                self._open = not self._owed
                if self._open:
                    await self._gaps.retry(self.hand)
                    await self._reopen()
            case discord.Guild() if self._open:
                await self._flush()
                await self._listener.missed((str(item.id),))
                await self._gaps.fill([item], self.hand, streams=False)
        return item is ConnectionChange.LEFT

    async def _reopen(self) -> None:
        """Read what was said in channels while they were hidden from her, before anything later is heard there."""
        again, self._seen_again = self._seen_again, []
        for channel in again:
            await self._gaps.reopen(channel, self.hand)

    async def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if one.direct is not None:
                await self._gaps.catch_up(one.direct, one.position, self.hand)
        for start in range(0, len(waiting), _MOST_AT_ONCE):
            await self.hand(waiting[start : start + _MOST_AT_ONCE])

    def _quoting(self, event: Event | None) -> Event | None:
        """Return an event with its quote reduced to the id if somebody who reads its place now may not read that."""
        if not isinstance(event, Message):
            return event
        found = self._client.get_channel(int(event.place.thread or event.place.channel))
        # When the readers changed within a gap is unknown: everything in the gap counts as said before.
        newest = getattr(found, "last_message_id", None) or 0
        self._audiences.see(event.place, max(int(event.id), newest))
        return self._audiences.quoting(event)

    def _is_known(self, position: int) -> bool:
        known = position in self._known
        self._known[position] = None
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return known

    async def _placed(self, heard: GatewayEvent) -> GatewayEvent:
        """Look up the place of an event whose channel was not cached; if that fails, it stays in a place of its own."""
        event = heard.event
        if not heard.lost or not isinstance(event, Message | MessageEdited | Unreadable | MessagesDeleted):
            return heard
        try:
            found = await self._client.fetch_channel(heard.lost)
        except (*TROUBLE, discord.InvalidData):
            return heard
        if not isinstance(found, discord.abc.GuildChannel | discord.Thread):
            return heard
        return replace(heard, event=replace(event, place=readers.place(found, self._gate)))


def _taking_back(heard: GatewayEvent) -> GatewayEvent | None:
    """Return an event as far as it takes back something said earlier, None if it does not."""
    event = heard.event
    if isinstance(event, MessageEdited):
        # What an edit asks for the first time is heard in its turn.
        event = replace(event, addressed=None)
    return GatewayEvent(event, lost=heard.lost) if isinstance(event, MessageEdited | MessagesDeleted | Vanished) else None
