"""Discord's gateway events, in the order they came, as what happened at places."""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from adapters.base import Presence
from adapters.discord.access import readers
from adapters.discord.access.rulers import Rulers
from adapters.discord.access.sight import Sight, joined
from adapters.discord.connection import Absence, ClientOptions
from adapters.discord.incoming import convert
from adapters.discord.incoming.files import Files
from adapters.discord.incoming.heard import ConnectionChange, GatewayEvent, Unheard
from adapters.discord.incoming.recent_messages import RecentEdits, RecentMessages
from adapters.discord.limits import Limits
from adapters.discord.resuming.resumption import Resumption
from adapters.events import Joined, Message, Place, Renamed, Revised, Unreadable, Withdrawn

log = logging.getLogger(__name__)


class Client(discord.Client):
    """One account, connected. `items` is what came, in order; `live` says that the cache is true now.

    What has a higher id than `since` came after the session began.
    """

    def __init__(
        self, settings: ClientOptions, limits: Limits, files: Files, rulers: Rulers, resumption: Resumption,
        prepare: Callable[["Client"], Awaitable[None]],
    ) -> None:  # fmt: skip
        super().__init__(**settings.arguments(), http_trace=limits.trace())
        self.since = 0
        self.items: asyncio.Queue[GatewayEvent | ConnectionChange | Unheard | discord.Guild] = asyncio.Queue()
        self.live = False
        self.absence = Absence(settings.pace.patience)
        self.asked: Callable[[discord.Interaction], Awaitable[None]] | None = None
        self.rulers, self._settings = rulers, settings
        self._limits, self._files = limits, files
        self._prepare = prepare
        self.window = RecentMessages()
        self._sight = Sight()
        self._known = self._complete = self._away = False
        self._edits = RecentEdits()
        self._resumption = resumption
        resumption.attach(self, self._look, lambda: not self.live)

    # What discord.py asks

    async def setup_hook(self) -> None:
        """Prepare what needs the token, before the connection."""
        await self._prepare(self)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Keep to the starts that Discord allows, unless an earlier session is resumed. Raises StartsSpent."""
        if not self._resumption.begin():
            await self._limits.start(initial=initial)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Note that an event could not be handled, and nothing of what it said."""
        kind = sys.exc_info()[0]
        log.error("Discord's %s could not be handled: %s.", event_method.removeprefix("on_"), kind.__name__ if kind else "?")

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Pass an event on, unless this is closed: the library still waits for the last server then, and speaks of it."""
        if self.loop is not discord.utils.MISSING:
            super().dispatch(event, *args, **kwargs)

    # The session

    async def on_connect(self) -> None:
        """A new session began; its servers are not known yet."""
        self.since = discord.utils.time_snowflake(discord.utils.utcnow())
        self.window.clear()
        self._resumption.connected()
        self.live = self._known = self._complete = self._away = False
        self.items.put_nowait(ConnectionChange.BEGUN)

    async def on_ready(self) -> None:
        """The session's servers are known; of an earlier process's, as they were when it ended."""
        self._known = True
        self._begin()

    async def on_resumed(self) -> None:
        """The session goes on, and what was missed has been replayed."""
        self._away = False
        self._resumption.replayed()
        if not self._complete:
            self._begin()
            return
        self.live = True
        self.absence.end()
        self.items.put_nowait(ConnectionChange.RESUMED)

    def _begin(self) -> None:
        if self._away or self._resumption.replaying or not self._known:
            return
        self.rulers.learn(self.guilds)
        self._look()
        self.live = self._complete = True
        self.absence.end()
        taken_up = self._resumption.restored and self._resumption.proven
        self.items.put_nowait(ConnectionChange.TAKEN_UP if taken_up else ConnectionChange.COMPLETE)

    def _look(self) -> None:
        for guild in self.guilds:
            self._sight.changed(guild)

    async def on_disconnect(self) -> None:
        """The connection was lost: what is known of places may not be true any more."""
        self.live, self._away = False, True
        self.absence.begin()
        self.items.put_nowait(ConnectionChange.LOST)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server came back, or came late."""
        self._resumption.see(guild.id)
        self.window.drop_server(guild.id)
        self.rulers.learn([guild])
        self.items.put_nowait(guild)

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """A server is out of order, and what happens there is not told."""
        self._resumption.doubt()

    # What happened

    async def on_message(self, message: discord.Message) -> None:
        """Somebody said something."""
        self.window.hear(message)
        self.items.put_nowait(self.heard(message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message was changed, by its author or only in how it is shown."""
        message = payload.message
        self.window.change(message)
        if message.edited_at is None or not self._is_heard(message):
            return
        at = convert.edited_at(message)
        if not self._edits.note(message.id, at):
            return
        now, heard = self.presence(message), self.heard(message).event
        asks = heard if isinstance(heard, Message) and heard.addressed and not heard.place.is_private else None
        revised = Revised(self._place(message.channel), str(message.id), now.text, at, now.attachments, now.person, asks)
        self.items.put_nowait(GatewayEvent(revised, lost=_lost(message.channel)))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A message was removed."""
        self._withdraw(payload.guild_id, payload.channel_id, [payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Messages were removed together."""
        self._withdraw(payload.guild_id, payload.channel_id, sorted(payload.message_ids))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """She was let into a server, or one was out of order before a session was complete."""
        known = self._resumption.see(guild.id) and not self.live
        self.rulers.learn([guild])
        if not known and (let_in := self.joined(guild)):
            self.items.put_nowait(GatewayEvent(let_in))
        # She may have been in it before.
        self.items.put_nowait(guild)

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """A channel was changed."""
        self._rename(before, after)
        self._look_again(after.guild)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """A role was changed, and with it perhaps what she sees."""
        self._look_again(after.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """A role was removed, and with it perhaps what she sees."""
        self._look_again(role.guild)

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """Somebody has other roles; it may be herself."""
        if after == after.guild.me:
            self._look_again(after.guild)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """A server was changed."""
        self.rulers.learn([after])

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was removed, with its threads."""
        prefix = (str(channel.guild.id), str(channel.id))
        self.items.put_nowait(GatewayEvent(self.rulers.gone(prefix, self._place(channel).name)))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread was removed."""
        prefix = (str(payload.guild_id), str(payload.parent_id), str(payload.thread_id))
        self.items.put_nowait(GatewayEvent(self.rulers.gone(prefix, self._place(payload.thread).name if payload.thread else "")))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """She is not in a server any more, or it does not exist any more."""
        self.items.put_nowait(GatewayEvent(self.rulers.gone((str(guild.id),))))

    async def on_thread_join(self, thread: discord.Thread) -> None:
        """She was added to a thread, or sees it again: what happened there before was not told to her."""
        self._miss(thread)

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        """She was removed from a thread, or does not see it any more."""
        self._miss(thread)

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        """A thread was changed."""
        self._rename(before, after)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody put a sign under a message, or took it away again."""
        place = self._cached(payload.guild_id, payload.channel_id)
        now = time.time_ns() // 1000
        if place and (asked := convert.pressed(payload, place, self._me.id, self.get_user(payload.user_id), now)):
            self.items.put_nowait(GatewayEvent(asked))

    on_raw_reaction_remove = on_raw_reaction_add

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Somebody used a command or a button, and waits: this stands in no queue."""
        # One that a replay tells of is judged by all that it tells.
        if await self._resumption.is_lost(interaction):
            return
        self.rulers.see(interaction.user)
        if isinstance(interaction.channel, discord.DMChannel) and interaction.context.dm_channel:
            self.items.put_nowait(GatewayEvent(None, str(interaction.channel.id), direct=interaction.channel))
        if self.asked is not None:
            await self.asked(interaction)

    # As Lyra reads it

    def heard(self, message: discord.Message) -> GatewayEvent:
        """Return a message as it is handed over; her own, ignored bots' and Discord's own notices only move their stream."""
        event: Message | Unreadable | None = None
        if self._is_heard(message) and not self._is_readable(message):
            event = convert.unreadable(message, self._place(message.channel), self._me)
        elif self._is_heard(message):
            event = convert.message(message, self._place(message.channel), self._me)
            self._files.remember(message)
            self.rulers.see(message.author)
        direct = message.channel if isinstance(message.channel, discord.DMChannel) else None
        return GatewayEvent(event, str(message.channel.id), message.id, _lost(message.channel), direct)

    def presence(self, message: discord.Message) -> Presence:
        """Return what a message says now, as far as it can be read."""
        text = convert.text(message, self._me) if self._is_readable(message) else None
        return Presence(True, text, convert.edited_at(message), convert.attachments(message), convert.speaker(message).id)

    def joined(self, guild: discord.Guild) -> Joined | None:
        """Return that she was let into a server, with the place where she may speak; None where there is none."""
        return joined(guild, self._settings.gate)

    def _is_heard(self, message: discord.Message) -> bool:
        return convert.is_heard(message, self._me, self._settings.bots)

    def _is_readable(self, message: discord.Message) -> bool:
        return self.intents.message_content or convert.is_always_readable(message, self._me)

    def _withdraw(self, guild: int | None, channel: int, messages: list[int]) -> None:
        self.window.remove(channel, messages)
        place, lost = self._cached(guild, channel), 0
        if place is None:
            place, lost = self._place(self.get_partial_messageable(channel, guild_id=guild)), channel
        self.items.put_nowait(GatewayEvent(Withdrawn(place, tuple(map(str, messages))), lost=lost))

    def _cached(self, guild: int | None, channel: int) -> Place | None:
        """Return a DM, or a channel or thread that the cache holds, as a place."""
        if guild is None:
            return readers.direct(str(channel))
        found = self.get_channel(channel)
        return self._place(found) if isinstance(found, discord.abc.GuildChannel | discord.Thread) else None

    def _look_again(self, guild: discord.Guild) -> None:
        for channel, sees_again in self._sight.changed(guild).items():
            self.window.drop(channel)
            self.items.put_nowait(Unheard((str(guild.id), str(channel)), guild.get_channel(channel) if sees_again else None))

    def _miss(self, thread: discord.Thread) -> None:
        self.window.drop(thread.id)
        # What happens in a public one is told to her, whether she was added to it or not.
        if thread.is_private():
            self.items.put_nowait(Unheard((str(thread.guild.id), str(thread.parent_id), str(thread.id))))

    def _rename(self, before: readers.Channel, after: readers.Channel) -> None:
        old, new = self._place(before), self._place(after)
        if old.name != new.name:
            self.items.put_nowait(GatewayEvent(Renamed(new, old.name)))

    def _place(self, channel: readers.Channel) -> Place:
        return readers.place(channel, self._settings.gate)

    @property
    def _me(self) -> discord.ClientUser:
        assert self.user is not None  # it is there from the login on
        return self.user


def _lost(channel: readers.Channel) -> int:
    return channel.id if isinstance(channel, discord.PartialMessageable) else 0
