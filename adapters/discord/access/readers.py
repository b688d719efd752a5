"""Who can read a channel now, and what Lyra sees. Anything uncertain counts as readable by few, and its readers as reading little."""

from collections.abc import Callable

import discord

from adapters.discord.incoming.convert import PLATFORM
from adapters.display import line
from adapters.events import Circle, Place, Reach, ServerJoined

Gate = Callable[[str], str]
"""Returns the id of the role that stands for everyone on a server, '' for @everyone."""
Channel = discord.abc.GuildChannel | discord.Thread | discord.DMChannel | discord.GroupChannel | discord.PartialMessageable

Listed = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
"""What a server lists where things are said."""
_SPOKEN = frozenset({discord.ChannelType.voice, discord.ChannelType.stage_voice})
_ORDINARY = frozenset({discord.ChannelType.text, discord.ChannelType.news, discord.ChannelType.forum, discord.ChannelType.media})
READING = discord.Permissions(view_channel=True, read_message_history=True)


def place(channel: Channel, gate: Gate) -> Place:
    """Return a channel as a place with its current readers."""
    if isinstance(channel, discord.DMChannel):
        return direct(str(channel.id))
    if isinstance(channel, discord.Thread):
        return _thread(channel, gate)
    if isinstance(channel, discord.abc.GuildChannel):
        public, wider = _circles(channel, gate)
        return _place(channel.guild.id, channel.id, f"#{line(channel.name, 100)}", "", public or _few(channel.id), wider)
    server = channel.guild_id if isinstance(channel, discord.PartialMessageable) else None
    return _place(server or 0, channel.id, "a channel", "", _few(channel.id), None)


def gated(server: str, role: str) -> Circle:
    """Return the circle of a role's holders; if the role is no longer named, what they said does not become everyone's."""
    return Circle(Reach.PUBLIC, f"{server}/{role}")


def direct(channel: str) -> Place:
    """Return a DM as a place."""
    return Place(PLATFORM, channel, "DM", Reach.DIRECT)


def _thread(thread: discord.Thread, gate: Gate) -> Place:
    public, wider = _circles(thread.parent, gate) if thread.parent is not None else (None, None)
    name = line(thread.name, 100) or "a thread"
    circle = _few(thread.id) if thread.is_private() else public or _few(thread.parent_id)
    return _place(thread.guild.id, thread.parent_id, name, str(thread.id), circle, wider)


def _place(server: int, channel: int, name: str, thread: str, circle: Circle, wider: Circle | None) -> Place:
    more = wider if circle.reach is Reach.RESTRICTED else None
    return Place(PLATFORM, str(channel), name, circle.reach, thread, str(server) if server else "", circle, more)


def _few(channel: int) -> Circle:
    """Return the circle of a channel or private thread that only some of the server can read."""
    return Circle(Reach.RESTRICTED, str(channel))


def _circles(channel: discord.abc.GuildChannel, gate: Gate) -> tuple[Circle | None, Circle | None]:
    """Return the server's circle if everyone reads this channel, and the server's if its readers can read public channels."""
    guild = channel.guild
    everyone = guild.get_role(guild.id)
    if guild.unavailable or everyone is None or channel.type not in _ORDINARY:
        return None, None
    server = str(guild.id)
    named = gate(server)
    if named in ("", server):
        whole = Circle(Reach.PUBLIC, server)
        return (whole if _all_read(channel, everyone) and not is_age_restricted(channel) else None), whole
    role = guild.get_role(int(named)) if named.isdecimal() else None
    is_gate = role is not None and _only_these_read(channel, role) and not is_age_restricted(channel)
    return (gated(server, named) if is_gate else None), None


def is_age_restricted(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """Return whether Discord shows a channel, or a thread's, to adults alone; who is one, it does not tell."""
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return bool(getattr(parent, "nsfw", False))


def _all_read(channel: discord.abc.GuildChannel, role: discord.Role) -> bool:
    """Return whether every holder of a role reads a channel and its history, whatever their other roles."""
    if not channel.permissions_for(role).is_superset(READING):
        return False
    for who, overwrite in channel.overwrites.items():
        _, denied = overwrite.pair()
        if denied.value & READING.value and not (isinstance(who, discord.Role) and who.is_default()):
            return False
    return True


def _only_these_read(channel: discord.abc.GuildChannel, role: discord.Role) -> bool:
    """Return whether only the role's holders, Lyra, and administrators read a channel."""
    guild = channel.guild
    own_role, me = guild.self_role, guild.me
    for one in guild.roles:
        rights = channel.permissions_for(one)
        if rights.view_channel and not one.permissions.administrator and one not in (role, own_role):
            return False
    for who, overwrite in channel.overwrites.items():
        if not isinstance(who, discord.Role) and who != me and overwrite.view_channel:
            return False
    return _all_read(channel, role)


class Visibility:
    """The channels of her servers that are hidden from her, as of the last look. Discord reports no deletes and edits there."""

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


def joined(guild: discord.Guild, gate: Gate) -> ServerJoined | None:
    """Return that she was let into a server, with the place where she may write; None if there is none.

    That is the server's system channel, or else the first one where she may.
    """
    channels = [*filter(None, [guild.system_channel]), *guild.text_channels]
    channel = next((one for one in channels if _may_write(one)), None)
    if channel is None or guild.me is None or guild.me.joined_at is None:
        return None
    return ServerJoined(f"join:{guild.id}:{round(guild.me.joined_at.timestamp() * 1000)}", place(channel, gate))


def _may_write(channel: discord.TextChannel) -> bool:
    me: discord.Member | None = channel.guild.me
    rights = channel.permissions_for(me) if me else discord.Permissions.none()
    return rights.view_channel and rights.send_messages
