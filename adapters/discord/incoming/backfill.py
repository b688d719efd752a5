"""Backfill: messages that were missed, read from the histories of channels."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import discord

from adapters.discord.access import readers
from adapters.discord.access.readers import Listed, channels_of, parent_of, reads_history, views
from adapters.discord.client import Client
from adapters.discord.connection import Pace
from adapters.discord.failures import TROUBLE, UNSURE, is_final
from adapters.discord.incoming import convert
from adapters.discord.limits import Limits
from adapters.discord.session_client import GatewayEvent
from adapters.events import EARLY, LATELY, Unreadable
from adapters.listener import Listener, Notes

MOST_MISSED = 1_000
"""The most missed messages of one channel read at a start."""

_BEGAN, _GONE, _DMS = "began", "gone", "dms"
"""The notes on what cursors do not tell: since which position Lyra listens, which channels are asked for no more, which are DMs."""
_MOST_NOTED = 2_000
"""How many channels of a kind are noted, the newest ones."""
_PAGE = 100
_TRIES = 5
_AT_ONCE = 8

Hand = Callable[[Sequence[GatewayEvent]], Awaitable[None]]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Gap:
    """What is to be read of one channel: everything after a message, and before another where that is not 0.

    A `hidden` one does not show its history.
    """

    stream: str
    channel: Listed | discord.DMChannel | None
    after: int
    hidden: bool = False
    read: int = 0
    before: int = 0


class Backfill:
    """Reads the missed messages of each stream. The cursor of a stream that cannot be read to its end stays."""

    def __init__(self, client: Client, listener: Listener, notes: Notes, limits: Limits, pace: Pace) -> None:
        self._client = client
        self._listener = listener
        self._notes = notes
        self._limits = limits
        self._pace = pace
        self.unreadable: set[str] = set()
        """The channels that do not show their history."""
        self._failed: dict[str, Gap] = {}
        self._unfinished: set[str] = set()
        self._caught_up: set[str] = set()
        self._first_heard = 0

    @property
    def is_complete(self) -> bool:
        """Whether all missed messages were read."""
        return not (self.unreadable or self._failed or self._unfinished)

    def may_move(self, stream: str) -> bool:
        """Whether everything before the newest message of a stream was heard."""
        return not any(stream in some for some in (self.unreadable, self._failed, self._unfinished))

    async def fill(self, guilds: Iterable[discord.Guild], hand: Hand, *, streams: bool) -> None:
        """Pass on the missed messages of servers, oldest first; with `streams`, of DMs and archived threads too."""
        cursors = await self._cursors()
        is_first_start = await self._remember_beginning(cursors)
        # With several shards, an unlisted channel may be another's, and the cursors of others say nothing about this one.
        cursors = await self._own_cursors(cursors)
        if streams:
            self._caught_up = cursors.keys() - set(await self._noted(_GONE))
        if is_first_start and not cursors:
            await self._begin(guilds, hand)
            return
        newest = max(cursors.values(), default=self._first_heard)
        gaps: list[Gap] = []
        listed: set[str] = set()
        for guild in (one for one in guilds if not one.unavailable):
            await self._tell_joined(guild, newest, hand)
            channels = channels_of(guild)
            listed |= {str(one.id) for one in channels}
            gaps += [gap for one in channels if (gap := self._gap(one, cursors, newest))]
        if streams:
            gaps += await self._unlisted_gaps(cursors, listed)
        # Save this first: if reading is interrupted, the position of one channel must not count for another.
        await hand([GatewayEvent(None, gap.stream, gap.after) for gap in gaps if gap.stream not in cursors])
        await self._read_all(gaps, hand)

    async def resume(self) -> None:
        """Continue after an earlier process that had missed nothing."""
        cursors = await self._cursors()
        await self._remember_beginning(cursors)
        self._caught_up = (await self._own_cursors(cursors)).keys() - set(await self._noted(_GONE))

    async def reopen(self, channel: discord.abc.GuildChannel, hand: Hand) -> None:
        """Pass on what was said in a channel and its threads while it was hidden from Lyra."""
        cursors = await self._cursors()
        newest = max(cursors.values(), default=self._first_heard)
        streams = [one for one in channels_of(channel.guild) if channel.id in (one.id, getattr(one, "parent_id", 0))]
        # The cached last message id is outdated.
        gaps = [Gap(str(one.id), one, cursors.get(str(one.id), newest)) for one in streams]
        await self._read_all([gap for gap in gaps if channel.permissions_for(channel.guild.me).read_message_history], hand)

    async def learn_dms(self, streams: Sequence[str]) -> None:
        """Mark DMs with missed messages; `fill` reads them from the beginning."""
        for stream in streams:
            await self._note(_DMS, stream)

    async def retry(self, hand: Hand) -> None:
        """Retry what could not be read before."""
        await self._read_all(list(self._failed.values()), hand)

    def is_caught_up(self, channel: discord.DMChannel) -> bool:
        """Return whether everything said in a DM before now was passed on."""
        stream = str(channel.id)
        return stream in self._caught_up and stream not in self._failed

    async def catch_up(self, channel: discord.DMChannel, before: int, hand: Hand) -> None:
        """Hand over what was said in a DM before somebody's first word there since the connection began (0: a command).

        Discord lists no DMs: of one whose very first message was missed nothing is known until then.
        """
        if self.is_caught_up(channel):
            return
        stream = str(channel.id)
        await self._note(_DMS, stream)
        cursors = await self._cursors()
        missed = Gap(stream, channel, cursors.get(stream, self._first_heard), before=before)
        gap = self._failed.pop(stream, missed)
        self._caught_up.add(stream)
        try:
            self._limits.require()
            if stream not in cursors:
                await self._tell_early(channel, min(before or self._first_heard, self._first_heard), hand)
            await self._read_history(gap, hand)
        except UNSURE as trouble:
            log.warning("The history of a DM could not be read: %s.", type(trouble).__name__)
            await self._keep_position(gap, hand)
            self._failed[stream] = gap

    async def _tell_early(self, channel: discord.DMChannel, before: int, hand: Hand) -> None:
        """Tell whoever wrote in a DM just before Lyra's first start that it was not read, unless Lyra wrote there last."""
        async for message in channel.history(limit=1, before=discord.Object(before)):
            lately = discord.utils.utcnow() - message.created_at < timedelta(microseconds=LATELY)
            if lately and convert.spoken(message) and not convert.machine(message):
                place = readers.direct(str(channel.id))
                await hand([GatewayEvent(Unreadable(str(message.id), place, convert.speaker(message), EARLY, once=True))])

    async def _cursors(self) -> dict[str, int]:
        return {stream: int(position) for stream, position in (await self._listener.cursors()).items()}

    async def _own_cursors(self, cursors: Mapping[str, int]) -> dict[str, int]:
        """Return the cursors of this shard: of the channels of its servers and, for the first, the DMs."""
        if self._client.shard_count in (None, 1):
            return dict(cursors)
        own = {str(one.id) for guild in self._client.guilds for one in channels_of(guild)}
        own.update(() if self._client.shard_id else await self._noted(_DMS))
        return {stream: at for stream, at in cursors.items() if stream in own}

    async def _remember_beginning(self, cursors: Mapping[str, int]) -> bool:
        """Record the first start, before which nothing is for Lyra; return whether it is this one."""
        noted: int | None = await self._notes.get(_BEGAN)
        self._first_heard = noted or min(cursors.values(), default=self._client.session_start)
        if not noted:
            await self._notes.put(_BEGAN, self._first_heard)
        return not noted

    async def _begin(self, guilds: Iterable[discord.Guild], hand: Hand) -> None:
        """Save the last message ids at the first start, so that the next one knows what it missed."""
        last_ids = {one.id: one.last_message_id or one.id for guild in guilds for one in channels_of(guild)}
        if last_ids:
            newest = max(last_ids, key=lambda channel: last_ids[channel])
            await hand([GatewayEvent(None, str(newest), last_ids[newest])])

    def _gap(self, channel: Listed, cursors: Mapping[str, int], newest: int) -> Gap | None:
        stream = str(channel.id)
        after = cursors.get(stream, newest)
        parent = parent_of(channel)
        if (channel.last_message_id or 0) <= after or parent is None or not views(channel.guild.me, parent):
            return None
        return Gap(stream, channel, after, hidden=not reads_history(channel.guild.me, parent))

    async def _unlisted_gaps(self, cursors: Mapping[str, int], listed: set[str]) -> list[Gap]:
        gone = set(await self._noted(_GONE))
        dms = await self._noted(_DMS) if self._client.tells_dms else ()
        known = {**dict.fromkeys(dms, self._first_heard), **cursors}
        return [Gap(stream, None, after) for stream, after in known.items() if stream not in listed and stream not in gone]

    async def _tell_joined(self, guild: discord.Guild, newest: int, hand: Hand) -> None:
        joined = guild.me.joined_at if guild.me else None
        if joined and joined > discord.utils.snowflake_time(newest) and (event := self._client.joined(guild)):
            await hand([GatewayEvent(event)])

    async def _read_all(self, gaps: Sequence[Gap], hand: Hand) -> None:
        slots = asyncio.Semaphore(_AT_ONCE)

        async def read(gap: Gap) -> None:
            async with slots:
                await self._read(gap, hand)

        try:
            async with asyncio.TaskGroup() as group:
                for gap in gaps:
                    group.create_task(read(gap))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None

    async def _read(self, gap: Gap, hand: Hand) -> None:
        self._failed.pop(gap.stream, None)
        if gap.hidden:
            log.warning("The channel %s hides its history; what was said there meanwhile is not known.", gap.stream)
            return await self._give_up(gap, hand)
        for failures in range(1, _TRIES + 1):
            await self._limits.hold()
            try:
                return await self._read_history(gap, hand)
            except TROUBLE as trouble:
                if is_final(trouble):
                    await self._remember_gone(gap, trouble)
                    # What is not there any more hides nothing.
                    return None if isinstance(trouble, discord.NotFound) else await self._give_up(gap, hand)
                log.warning("The history of channel %s could not be read: %s.", gap.stream, type(trouble).__name__)
                if failures < _TRIES:
                    await self._pace.retry(failures)
        await self._keep_position(gap, hand)
        self._failed[gap.stream] = gap
        return None

    async def _read_history(self, gap: Gap, hand: Hand) -> None:
        channel = gap.channel or await self._find(gap)
        if channel is None:
            return
        self.unreadable.discard(gap.stream)
        self._unfinished.discard(gap.stream)
        page: list[GatewayEvent] = []
        more = False
        after, before = discord.Object(gap.after), discord.Object(gap.before) if gap.before else None
        async for message in channel.history(limit=MOST_MISSED + 1 - gap.read, after=after, before=before, oldest_first=True):
            if more := gap.read + len(page) == MOST_MISSED:
                break
            page.append(self._client.gateway_event(message))
            if len(page) == _PAGE:
                await self._hand_over_page(gap, page, hand)
                page = []
        await self._hand_over_page(gap, page, hand)
        if more:
            self._unfinished.add(gap.stream)
            log.warning("More than %d messages were missed in channel %s; the next start reads on.", MOST_MISSED, gap.stream)

    async def _hand_over_page(self, gap: Gap, page: Sequence[GatewayEvent], hand: Hand) -> None:
        if page:
            await hand(page)
            gap.after = page[-1].position
            gap.read += len(page)

    async def _find(self, gap: Gap) -> Listed | discord.DMChannel | None:
        """Return the channel of a stream that is in no server's list, if something was said there."""
        number = int(gap.stream)
        async for _ in self._client.get_partial_messageable(number).history(limit=1, after=discord.Object(gap.after)):
            found = await self._client.fetch_channel(number)
            if isinstance(found, discord.DMChannel):
                return found
            return found if isinstance(found, discord.Thread) and not found.guild.unavailable else None
        return None

    async def _give_up(self, gap: Gap, hand: Hand) -> None:
        await self._keep_position(gap, hand)
        self.unreadable.add(gap.stream)

    async def _keep_position(self, gap: Gap, hand: Hand) -> None:
        await hand([GatewayEvent(None, gap.stream, gap.after)])

    async def _remember_gone(self, gap: Gap, trouble: Exception) -> None:
        """Do not ask again for a deleted channel: refused requests count against the IP address."""
        if gap.channel is None and isinstance(trouble, discord.NotFound | discord.Forbidden):
            await self._note(_GONE, gap.stream)

    async def _noted(self, name: str) -> list[str]:
        return list(await self._notes.get(name) or ())

    async def _note(self, name: str, stream: str) -> None:
        others = [one for one in await self._noted(name) if one != stream]
        await self._notes.put(name, [*others, stream][-_MOST_NOTED:])
