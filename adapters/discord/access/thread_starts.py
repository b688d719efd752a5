"""Since when people see a thread, and what of its conversation stands in the channel above it."""

import discord

_SECOND = 1_000_000


def opened_at(client: discord.Client, server: str, thread: str) -> int:
    """Return since when (microseconds UTC) people see a thread that a message can begin, as far as Discord told; 0 where it did not."""
    guild = client.get_guild(int(server)) if server and thread else None
    found = guild.get_thread(int(thread)) if guild else None
    # A private one begins with no message: nothing of it stands in the channel.
    if found is None or found.is_private() or found.created_at is None:
        return 0
    return round(found.created_at.timestamp() * _SECOND)


def stands_above(client: discord.Client, server: str, thread: str, message: str) -> bool:
    """Say whether a message of a thread's conversation stands above it: it begins that, or was said before that was opened."""
    if message == thread:
        return True
    if not (server and thread and message.isdecimal()):
        return False
    said_at = round(discord.utils.snowflake_time(int(message)).timestamp() * _SECOND)
    return said_at < opened_at(client, server, thread)
