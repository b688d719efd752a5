"""Since when people see a thread, and which of its conversation stands in the channel above it.

Discord tells that of open threads. What is needed of closed ones is saved while they are open: when a thread was opened, if
something was said for it before.
"""

import discord

from adapters.events import split_key
from adapters.listener import NotedValues

_SECOND = 1_000_000


class ThreadStarts(NotedValues[int]):
    """The starts of threads, by thread id: in microseconds UTC."""

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
