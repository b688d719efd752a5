"""Conversion of Discord's gateway events to Lyra's, in order."""

import time
from collections.abc import Awaitable, Callable

import discord

from adapters.base import Presence
from adapters.discord.access import readers
from adapters.discord.access.administrators import Administrators
from adapters.discord.access.readers import joined
from adapters.discord.connection import ClientOptions
from adapters.discord.incoming import convert
from adapters.discord.incoming.files import Files
from adapters.discord.limits import Limits
from adapters.discord.resuming.resumption import Resumption
from adapters.discord.session_client import GatewayEvent, SessionClient, VisibilityChange
from adapters.events import Message, MessageEdited, MessagesDeleted, Place, Posted, Renamed, ServerJoined, Unreadable
from adapters.posting import PostedKeys
from adapters.recent import Recent

_MOST_EDITED = 5_000


class Client(SessionClient):
    """A connected account: every gateway event is converted and queued."""

    def __init__(
        self,
        settings: ClientOptions,
        limits: Limits,
        files: Files,
        administrators: Administrators,
        resumption: Resumption,
        prepare: Callable[["Client"], Awaitable[None]],
    ) -> None:
        super().__init__(settings, limits, administrators, resumption)
        self.posted = PostedKeys(convert.PLATFORM)
        self.on_call: Callable[[discord.Interaction], Awaitable[None]] | None = None
        self._files = files
        self._edited_at: Recent[int, int] = Recent(_MOST_EDITED)
        self._prepare = prepare

    async def setup_hook(self) -> None:
        """Run what needs the token, before connecting."""
        await self._prepare(self)

    # Gateway events

    async def on_message(self, message: discord.Message) -> None:
        """Queue a message."""
        if message.author.id == self._me.id:
            self.posted.see(str(message.nonce or ""), convert.said_at(message.id))
        self.recent_messages.hear(message)
        self.queue.put_nowait(self.gateway_event(message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Queue an edit, unless only the rendering of the message changed."""
        message = payload.message
        self.recent_messages.change(message)
        if message.edited_at is None or not self._is_heard(message):
            return
        edited_at = convert.edited_at(message)
        # Discord repeats an edit whenever it renders the message differently.
        if self._edited_at.get(message.id) == edited_at:
            return
        self._edited_at[message.id] = edited_at
        state, current = self.presence(message), self.gateway_event(message).event
        addressed = current if isinstance(current, Message) and current.addressed and not current.place.is_private else None
        edit = MessageEdited(
            self._place(message.channel),
            str(message.id),
            state.text,
            edited_at,
            state.attachments,
            state.person,
            addressed=addressed,
        )
        self.queue.put_nowait(GatewayEvent(edit, uncached_channel=_uncached_channel(message.channel)))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Queue the deletion of a message."""
        self._queue_deletion(payload.guild_id, payload.channel_id, [payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Queue the deletion of several messages."""
        self._queue_deletion(payload.guild_id, payload.channel_id, sorted(payload.message_ids))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Queue that Lyra was added to a server, or that one became available late."""
        was_known = self._resumption.see(guild.id) and not self.live
        self.administrators.learn([guild])
        if not was_known and (joined_event := self.joined(guild)):
            self.queue.put_nowait(GatewayEvent(joined_event))
        # She may have been in it before.
        self.queue.put_nowait(guild)

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Queue a rename, and a change of what Lyra can see."""
        self._queue_rename(before, after)
        self._update_visibility(after.guild)

    async def on_guild_role_delete(self, role: discord.Role, *_: discord.Role) -> None:
        """Queue a change of what Lyra can see, because a role changed."""
        self._update_visibility(role.guild)

    on_guild_role_update = on_guild_role_delete

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """Queue a change of what Lyra can see, if her own roles changed."""
        if after == after.guild.me:
            self._update_visibility(after.guild)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """Take note of a server's administrators."""
        self.administrators.learn([after])

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Queue the deletion of a channel with its threads."""
        prefix = (str(channel.guild.id), str(channel.id))
        self.queue.put_nowait(GatewayEvent(self.administrators.gone(prefix, self._place(channel).name)))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Queue the deletion of a thread."""
        prefix = (str(payload.guild_id), str(payload.parent_id), str(payload.thread_id))
        self.queue.put_nowait(
            GatewayEvent(self.administrators.gone(prefix, self._place(payload.thread).name if payload.thread else ""))
        )

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Queue that Lyra was removed from a server, or that it was deleted."""
        self.queue.put_nowait(GatewayEvent(self.administrators.gone((str(guild.id),))))

    async def on_thread_join(self, thread: discord.Thread) -> None:
        """Queue that messages of a thread may have been missed: Lyra was added to it or removed from it."""
        self._mark_thread_missed(thread)

    on_thread_remove = on_thread_join

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        """Queue a rename."""
        self._queue_rename(before, after)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Queue the command of a reaction that was added or removed."""
        place = self._cached_place(payload.guild_id, payload.channel_id)
        now = time.time_ns() // 1000
        if place and (call := convert.pressed(payload, place, self._me.id, self.get_user(payload.user_id), now)):
            self.queue.put_nowait(GatewayEvent(call))

    on_raw_reaction_remove = on_raw_reaction_add

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Handle a command or button at once: its user is waiting."""
        # One in a replay is handled after the replay is complete.
        if await self._resumption.is_lost(interaction):
            return
        self.administrators.see(interaction.user)
        if isinstance(interaction.channel, discord.DMChannel) and interaction.context.dm_channel:
            self.queue.put_nowait(GatewayEvent(None, str(interaction.channel.id), dm=interaction.channel))
        if self.on_call is not None:
            await self.on_call(interaction)

    # As Lyra reads it

    def gateway_event(self, message: discord.Message) -> GatewayEvent:
        """Convert a message; those of ignored bots and Discord's own only move the cursor of their stream."""
        event = convert.as_far_as_legible(message, self._event)
        dm = message.channel if isinstance(message.channel, discord.DMChannel) else None
        return GatewayEvent(event, str(message.channel.id), message.id, _uncached_channel(message.channel), dm)

    def _event(self, message: discord.Message) -> Message | Unreadable | Posted | None:
        if message.author.id == self._me.id:
            return Posted(self._place(message.channel), str(message.id))
        if not self._is_heard(message):
            return None
        if not self._is_readable(message):
            return convert.unreadable(message, self._place(message.channel), self._me)
        event = convert.message(message, self._place(message.channel), self._me)
        self._files.remember(message)
        self.administrators.see(message.author)
        return event

    def presence(self, message: discord.Message) -> Presence:
        """Return what a message says now, as far as it can be read."""
        return convert.as_far_as_legible(message, self._presence) or Presence(True)

    def _presence(self, message: discord.Message) -> Presence:
        text = convert.text(message, self._me) if self._is_readable(message) else None
        return Presence(True, text, convert.edited_at(message), convert.attachments(message), convert.speaker(message).id)

    def joined(self, guild: discord.Guild) -> ServerJoined | None:
        """Return that she was let into a server, with the place where she may speak; None where there is none."""
        return joined(guild, self._settings.gate)

    def _is_heard(self, message: discord.Message) -> bool:
        return convert.is_heard(message, self._me, self._settings.bots)

    def _is_readable(self, message: discord.Message) -> bool:
        return self.intents.message_content or convert.is_always_readable(message, self._me)

    def _queue_deletion(self, guild: int | None, channel: int, messages: list[int]) -> None:
        self.recent_messages.remove(channel, messages)
        place, uncached_channel = self._cached_place(guild, channel), 0
        if place is None:
            place, uncached_channel = self._place(self.get_partial_messageable(channel, guild_id=guild)), channel
        deletion = MessagesDeleted(place, tuple(map(str, messages)))
        self.queue.put_nowait(GatewayEvent(deletion, uncached_channel=uncached_channel))

    def _cached_place(self, guild: int | None, channel: int) -> Place | None:
        """Return a DM, or a channel or thread that the cache holds, as a place."""
        if guild is None:
            return readers.direct(str(channel))
        found = self.get_channel(channel)
        return self._place(found) if isinstance(found, discord.abc.GuildChannel | discord.Thread) else None

    def _update_visibility(self, guild: discord.Guild) -> None:
        for channel, is_visible in self._visibility.changed(guild).items():
            self.recent_messages.drop(channel)
            self.queue.put_nowait(
                VisibilityChange((str(guild.id), str(channel)), guild.get_channel(channel) if is_visible else None)
            )

    def _mark_thread_missed(self, thread: discord.Thread) -> None:
        self.recent_messages.drop(thread.id)
        # Discord sends her the events of a public one whether she was added to it or not.
        if thread.is_private():
            self.queue.put_nowait(VisibilityChange((str(thread.guild.id), str(thread.parent_id), str(thread.id))))

    def _queue_rename(self, before: readers.Channel, after: readers.Channel) -> None:
        old, new = self._place(before), self._place(after)
        if old.name != new.name:
            self.queue.put_nowait(GatewayEvent(Renamed(new, old.name)))

    def _place(self, channel: readers.Channel) -> Place:
        return readers.place(channel, self._settings.gate)

    @property
    def _me(self) -> discord.ClientUser:
        assert self.user is not None  # it is there from the login on
        return self.user


def _uncached_channel(channel: readers.Channel) -> int:
    """Return the id of a channel that the cache does not hold, else 0."""
    return channel.id if isinstance(channel, discord.PartialMessageable) else 0
