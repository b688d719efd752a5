"""What Lyra sees of a server, and where she may introduce herself."""

from collections.abc import Iterator

import discord

from adapters.discord.access import readers
from adapters.events import ServerJoined

Listed = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
"""What a server lists where things are said."""
_SPOKEN = frozenset({discord.ChannelType.voice, discord.ChannelType.stage_voice})


class Visibility:
    """The channels of her servers that are hidden from her, as of the last look.

    She is not told of deletes and edits there.
    """

    def __init__(self) -> None:
        self._hidden: dict[int, set[int]] = {}

    def changed(self, guild: discord.Guild) -> dict[int, bool]:
        """Check a server's channels, and return those that changed since the last check, by whether she sees them again."""
        before = self._hidden.get(guild.id, set())
        hidden = self._hidden[guild.id] = {one.id for one in guild.channels if not views(guild.me, one)}
        return {one.id: one.id in before for one in guild.channels if (one.id in before) != (one.id in hidden)}


def channels_of(guild: discord.Guild) -> list[Listed]:
    """Return the channels and threads of a server where things are said."""
    return [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]


def sees(me: discord.Member | None, channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """Return whether a member may view a channel, or a thread's channel."""
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return parent is None or views(me, parent)


def views(who: discord.Member | None, channel: discord.abc.GuildChannel) -> bool:
    """Return whether a member may view a channel's messages; in a voice channel that takes the right to connect.

    Nobody's rights are known of a server that did not tell of Lyra herself.
    """
    if who is None:
        return False
    rights = channel.permissions_for(who)
    return rights.view_channel and (rights.connect or channel.type not in _SPOKEN)


def joined(guild: discord.Guild, gate: readers.Gate) -> ServerJoined | None:
    """Return that she was let into a server, with the place where she may write; None if there is none."""
    channel = _greeting_place(guild)
    if channel is None or guild.me is None or guild.me.joined_at is None:
        return None
    return ServerJoined(f"join:{guild.id}:{round(guild.me.joined_at.timestamp() * 1000)}", readers.place(channel, gate))


def _greeting_place(guild: discord.Guild) -> discord.TextChannel | None:
    """Return the server's system channel, or else its first channel, where she may write; None if there is none."""
    return next((one for one in _places(guild) if _may_write(one)), None)


def _places(guild: discord.Guild) -> Iterator[discord.TextChannel]:
    if guild.system_channel is not None:
        yield guild.system_channel
    yield from guild.text_channels


def _may_write(channel: discord.TextChannel) -> bool:
    me: discord.Member | None = channel.guild.me
    rights = channel.permissions_for(me) if me else discord.Permissions.none()
    return rights.view_channel and rights.send_messages
