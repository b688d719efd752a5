"""What Lyra sees of a server, and where she may introduce herself."""

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
    parent = parent_of(channel)
    return parent is None or views(me, parent)


def parent_of(channel: discord.abc.GuildChannel | discord.Thread) -> discord.abc.GuildChannel | None:
    """Return the channel whose permissions count: of a thread the one above it, None if that is unknown."""
    return channel.parent if isinstance(channel, discord.Thread) else channel


def views(who: discord.Member | None, channel: discord.abc.GuildChannel) -> bool:
    """Return whether a member may view a channel's messages; in a voice channel that takes the right to connect.

    Nobody's rights are known of a server that did not tell of Lyra herself.
    """
    if who is None:
        return False
    rights = channel.permissions_for(who)
    return rights.view_channel and (rights.connect or channel.type not in _SPOKEN)


def reads_history(who: discord.Member | None, channel: discord.abc.GuildChannel | None) -> bool:
    """Return whether a member may view a channel's messages, with those from before."""
    if who is None or channel is None:
        return False
    return views(who, channel) and channel.permissions_for(who).read_message_history


def joined(guild: discord.Guild, gate: readers.Gate) -> ServerJoined | None:
    """Return that she was let into a server, with the place where she may write; None if there is none.

    That is the server's system channel, or else the first one where she may.
    """
    channels = [*filter(None, [guild.system_channel]), *guild.text_channels]
    channel = next((one for one in channels if _may_write(one)), None)
    if channel is None or guild.me is None or guild.me.joined_at is None:
        return None
    return ServerJoined(f"join:{guild.id}:{round(guild.me.joined_at.timestamp() * 1000)}", readers.place(channel, gate))


def _may_write(channel: discord.TextChannel) -> bool:
    me: discord.Member | None = channel.guild.me
    rights = channel.permissions_for(me) if me else discord.Permissions.none()
    return rights.view_channel and rights.send_messages
