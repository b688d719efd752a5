"""Channels and threads in their current state: who reads them, which are certainly gone, and since when people see a thread."""

from collections.abc import Collection, Sequence

import discord

from adapters.discord.access import readers
from adapters.discord.access.readers import sees
from adapters.discord.client import Client
from adapters.discord.failures import HAS_THREAD, TOO_MANY_THREADS, TROUBLE, UNKNOWN_CHANNEL, UNSURE, is_final
from adapters.discord.limits import Limits
from adapters.errors import PlaceGone, PlaceHidden, PlatformFailure
from adapters.events import Place, Vanished, split_key
from adapters.listener import NotedValues
from adapters.task_groups import shielded
from localization.sentences import lazy

_OPENING = discord.Permissions(create_public_threads=True, send_messages_in_threads=True)
_FORBIDDEN = 403
_SECOND = 1_000_000
_NOT_NOW = lazy("Discord opens no thread just now.")
_LEFT = lazy("Lyra is not in that server any more; invite her again to talk to her there.")
_GONE = lazy("That channel or thread is gone; talk to Lyra in another one.")
_HIDDEN = lazy(
    "Lyra does not see that channel any more; give her the permission to view it, and to connect to it where it is a voice channel."
)


async def locate(client: Client | None, key: str, gate: readers.Gate) -> Place | None:
    """Return a place with its current readers; None if they are unknown now. Raises PlaceGone."""
    server, parent, thread = split_key(key)
    if not server:
        return readers.direct(parent)
    if client is None or not client.live:
        return None
    guild = client.get_guild(int(server))
    if guild is None:
        raise PlaceHidden(_LEFT)
    if guild.unavailable:
        return None
    channel: discord.abc.GuildChannel | discord.Thread | None = guild.get_channel_or_thread(int(thread or parent))
    if channel is None and not thread:
        raise PlaceGone(_GONE)
    channel = channel or await _archived(client, int(thread))
    # The connection may have been lost meanwhile.
    if channel is None or not client.live:
        return None
    if not sees(guild.me, channel):
        raise PlaceHidden(_HIDDEN)
    return readers.place(channel, gate)


async def opened(client: Client | None, limits: Limits, place: Place, name: str, gate: readers.Gate) -> Place | None:
    """Return the thread on a channel message, opening it under `name` if need be; None if Lyra may not open it.

    Raises PlatformFailure if it cannot be opened now.
    """
    guild = client.get_guild(int(place.server)) if client is not None and client.live else None
    if client is None or guild is None or guild.unavailable:
        raise PlatformFailure(_NOT_NOW)
    channel, thread = guild.get_channel(int(place.channel)), guild.get_thread(int(place.thread))
    if thread is None:
        if not isinstance(channel, discord.TextChannel) or not channel.permissions_for(guild.me).is_superset(_OPENING):
            return None
        try:
            limits.require()
            thread = await channel.get_partial_message(int(place.thread)).create_thread(name=name)
        except discord.HTTPException as error:
            if error.status == _FORBIDDEN or error.code == TOO_MANY_THREADS:
                return None
            thread = await _closed(client, int(place.thread)) if error.code == HAS_THREAD else None
        except UNSURE:
            raise PlatformFailure(_NOT_NOW) from None
        if thread is None:
            raise PlatformFailure(_NOT_NOW)
    return readers.place(thread, gate) if thread is not None and thread.parent_id == int(place.channel) else None


async def private(client: Client, person: int) -> Place:
    """Return the DM with a person, made if need be. Raises PlatformFailure."""
    try:
        return readers.direct(str((await client.create_dm(discord.Object(person))).id))
    except (discord.HTTPException, OSError) as error:
        raise PlatformFailure("Discord lets Lyra write this person no DM ({error}).", error=type(error).__name__) from None


async def _archived(client: Client, thread: int) -> discord.Thread | None:
    """Request a thread that is not among the active ones."""
    try:
        found = await shielded(client.fetch_channel(thread))
    except TROUBLE as trouble:
        if isinstance(trouble, discord.NotFound | discord.Forbidden) and is_final(trouble):
            raise PlaceGone(_GONE) from None
        return None
    return found if isinstance(found, discord.Thread) else None


async def _closed(client: Client, thread: int) -> discord.Thread | None:
    """Request a thread that was opened before. Raises PlatformFailure where it is gone."""
    try:
        return await _archived(client, thread)
    except PlaceGone as gone:
        raise PlatformFailure(str(gone)) from None


async def vanished(client: Client, limits: Limits, places: Collection[str]) -> Sequence[Vanished]:
    """Return which of these places are certainly gone; for a gone server, only the server.

    A channel missing from its server's list is requested individually; an outage or a refusal does not count.
    """
    found: dict[tuple[str, ...], Vanished] = {}
    for place in places:
        server, channel, thread = split_key(place)
        known = any((server, channel, thread)[: len(prefix)] == prefix for prefix in found)
        if server and not known and (event := await _looked_for(client, limits, server, channel, thread)):
            found[event.prefix] = event
    return list(found.values())


async def _looked_for(client: Client, limits: Limits, server: str, channel: str, thread: str) -> Vanished | None:
    if not client.live:
        return None
    guild = client.get_guild(int(server))
    if guild is None:
        return client.administrators.gone((server,))
    if guild.unavailable:
        return None
    if guild.get_channel(int(channel)) is None:
        return client.administrators.gone((server, channel)) if await _is_unknown(client, limits, int(channel)) else None
    if thread and guild.get_thread(int(thread)) is None and await _is_unknown(client, limits, int(thread)):
        return client.administrators.gone((server, channel, thread))
    return None


async def _is_unknown(client: Client, limits: Limits, channel: int) -> bool:
    try:
        limits.require()
        await shielded(client.fetch_channel(channel))
    except discord.NotFound as error:
        return error.code == UNKNOWN_CHANNEL
    except UNSURE:
        pass
    return False


class ThreadStarts(NotedValues[int]):
    """The starts of threads, by thread id: in microseconds UTC.

    They tell which of a thread's conversation stands in the channel above it. Discord knows those of open threads; of closed ones
    they are noted while they are open, if something was said for them before.
    """

    note = "threads"
    most = 1_000

    def opened_at(self, client: discord.Client, server: str, thread: str) -> int:
        """Return since when (microseconds UTC) people see a thread on a message, if known; 0 if not."""
        guild = client.get_guild(int(server)) if server and thread else None
        found = guild.get_thread(int(thread)) if guild else None
        if found is None:
            return self._values.get(thread, 0)
        # A private one does not start with a message: nothing of it stands in the channel.
        if found.is_private() or found.created_at is None:
            return 0
        return round(found.created_at.timestamp() * _SECOND)

    def stands_above(self, client: discord.Client, place: str, message: str) -> bool:
        """Return whether a message of a thread's conversation stands above it: its first message, or one from before."""
        server, parent, thread = split_key(place)
        if not (server and thread and message.isdecimal()) or is_forum(client, server, parent):
            return False
        if message == thread:
            return True
        opened_at = self.opened_at(client, server, thread)
        if round(discord.utils.snowflake_time(int(message)).timestamp() * _SECOND) >= opened_at:
            return False
        if thread not in self._values:
            self._values[thread] = opened_at
            self._changed = True
        return True

    def link(self, client: discord.Client | None, place: str, message: int | None) -> str:
        """Return the address of a message, '' for none; one of a thread's conversation may stand above it."""
        server, channel, thread = split_key(place)
        above = self.stands_above(client, place, str(message)) if client else thread == str(message)
        where = channel if above else thread or channel
        return f"https://discord.com/channels/{server or '@me'}/{where}/{message}" if message is not None else ""


def is_forum(client: discord.Client, server: str, channel: str) -> bool:
    """Return whether a channel is known to consist of threads alone: nothing stands above these, not even their first message."""
    guild = client.get_guild(int(server))
    return guild is not None and isinstance(guild.get_channel(int(channel)), discord.ForumChannel)
