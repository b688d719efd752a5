"""A channel's history, read and not kept: what was said before a message, and which messages still stand.

A message counts as removed only if the history shows its neighbourhood without it, and Discord, asked for it individually,
does not know it: without the permission to read it, a history is simply empty.
"""

import json
from collections.abc import Mapping, Sequence

import discord

from adapters.base import Presence
from adapters.discord.access.channels import ThreadStarts, is_forum
from adapters.discord.access.permissions import Permissions
from adapters.discord.access.readers import parent_of, reads_history
from adapters.discord.client import Client
from adapters.discord.failures import UNKNOWN_MESSAGE, UNSURE
from adapters.discord.incoming import convert
from adapters.discord.limits import Limits
from adapters.events import split_key
from adapters.message_parts import Quote
from adapters.task_groups import shielded

_PAGE = 100


async def earlier(
    client: Client, limits: Limits, starts: ThreadStarts, place: str, message: str, n: int, reader: Permissions | None
) -> Sequence[Quote]:
    """Return the n messages before one, oldest first; none if Lyra or the reader may not or cannot read them now."""
    server, parent, thread = split_key(place)
    me = client.user
    # What was said before a message above a thread stands there too.
    thread = "" if starts.stands_above(client, place, message) else thread
    try:
        limits.require()
        number = int(thread or parent)
        found = client.get_channel(number) or await shielded(client.fetch_channel(number))
        if me is None or not isinstance(found, discord.abc.Messageable):
            return ()
        if server and not (client.live and reads(found)):
            return ()
        if reader is not None and not await reader.reads(found):
            return ()
        said = await _messages_before(client, number, found, snowflake(message), n)
    except UNSURE:
        return ()
    quotes = [convert.quote(spoken, me) for one in reversed(said) if (spoken := _spoken(one))]
    # Without the message content intent most of it is blank.
    return tuple(one for one in quotes if one.text)


def snowflake(source_id: str) -> int | None:
    """Return the snowflake in one of Lyra's ids, such as `reply:123`; None if there is none."""
    last = source_id.rpartition(":")[2]
    return int(last) if last.isdecimal() else None


def reads(channel: object) -> bool:
    """Return whether Lyra can read a server channel with its history, as far as is known now."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    return not channel.guild.unavailable and reads_history(channel.guild.me, parent_of(channel))


def _spoken(message: discord.Message) -> discord.Message | None:
    """Return what somebody said, for the notice that begins a thread the message it was opened on; None for Discord's own."""
    begins = message.reference if message.type is discord.MessageType.thread_starter_message else None
    said = begins.resolved if begins is not None else message
    return said if isinstance(said, discord.Message) and convert.spoken(said) else None


async def _messages_before(
    client: Client, number: int, channel: discord.abc.Messageable, before: int | None, n: int
) -> list[discord.Message]:
    """Return the n messages before one, newest first: from memory if nothing is missing there, else from Discord."""
    heard = client.recent_messages.before(number, before, n) if before is not None else None
    if heard is not None:
        return heard
    changes = client.recent_messages.changes
    history = await shielded(_history(channel, before, n))
    client.recent_messages.fill(number, history, changes, complete=len(history) < n)
    return history


async def _history(channel: discord.abc.Messageable, before: int | None, n: int) -> list[discord.Message]:
    point = discord.Object(before) if before is not None else None
    return [one async for one in channel.history(limit=n, before=point)]


class Presences:
    """Looks into the channels of one connection."""

    def __init__(self, client: Client, limits: Limits) -> None:
        self._client = client
        self._limits = limits

    async def look_up(self, place: str, ids: Sequence[str]) -> Mapping[str, Presence]:
        """Look at a place's hundred messages, backwards from the first of these; return what is known of those among them.

        The message that starts a thread stands above it, and is looked for there; so is anything the thread lacks, which
        may have been said before it was opened. A post in a forum has all of it itself.
        """
        server, parent, thread = split_key(place)
        if thread and is_forum(self._client, server, parent):
            return await self._look_up(place, ids)
        found = await self._look_up(place, [one for one in ids if one != thread])
        above = [one for one in ids if thread and (one == thread or (one in found and not found[one].there))]
        seen = await self._look_up(json.dumps([server, parent, ""]), above) if above else {}
        return {id: now for id, now in {**found, **seen}.items() if id not in above or id in seen}

    async def _look_up(self, place: str, ids: Sequence[str]) -> Mapping[str, Presence]:
        channel = self._channel(place) if self._client.live else None
        if channel is None or not ids or not ids[0].isdecimal():
            return {}
        newest = int(ids[0])
        try:
            self._limits.require()
            page = await shielded(_history(channel, newest + 1, _PAGE))
            oldest = min((one.id for one in page), default=0) if len(page) == _PAGE else 0
            there = {one.id: one for one in page}
            wanted = [int(one) for one in ids if one.isdecimal() and oldest <= int(one) <= newest]
            missing = [one for one in wanted if one not in there]
            if missing and not await self.is_unknown(channel, max(missing)):
                missing = []
        except UNSURE:
            return {}
        standing = {str(one): self._client.presence(there[one]) for one in wanted if one in there}
        return {**standing, **{str(one): Presence(there=False) for one in missing}}

    async def is_unknown(self, channel: discord.abc.Messageable, message: int) -> bool:
        """Return whether Discord, asked for a message individually, does not know it."""
        try:
            await shielded(channel.fetch_message(message))
        except discord.NotFound as error:
            return error.code == UNKNOWN_MESSAGE
        return False

    def _channel(self, place: str) -> discord.abc.Messageable | None:
        """Return a channel whose history Lyra may read now, None if she may not or that is unknown."""
        server, parent, thread = split_key(place)
        number = int(thread or parent)
        if not server:
            return self._client.get_partial_messageable(number)
        guild = self._client.get_guild(int(server))
        above = guild.get_channel_or_thread(int(parent)) if guild is not None else None
        if guild is None or not reads(above):
            return None
        known = guild.get_channel_or_thread(number)
        if isinstance(known, discord.abc.Messageable):
            return known
        return self._client.get_partial_messageable(number, guild_id=guild.id)
