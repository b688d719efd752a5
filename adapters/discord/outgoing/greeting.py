"""Where Lyra may introduce herself in a server that let her in."""

from collections.abc import Iterator

import discord


def greeting_place(guild: discord.Guild) -> discord.TextChannel | None:
    """Return the channel where a server greets, or else its first one, where she may write; None where there is none."""
    return next((one for one in _places(guild) if _may_write(one)), None)


def _places(guild: discord.Guild) -> Iterator[discord.TextChannel]:
    if guild.system_channel is not None:
        yield guild.system_channel
    yield from guild.text_channels


def _may_write(channel: discord.TextChannel) -> bool:
    rights = channel.permissions_for(channel.guild.me)
    return rights.view_channel and rights.send_messages
