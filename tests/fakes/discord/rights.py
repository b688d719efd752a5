"""What a user may do in a channel, reckoned as Discord does."""

from tests.fakes.discord.things import EVERY_RIGHT, NO_RIGHT, SPOKEN, Channel, Guild, Kind, Right, User


def in_guild(guild: Guild, user: User) -> Right:
    """What the user's roles allow in the whole guild; nothing for a stranger."""
    member = guild.members.get(user.id)
    if member is None:
        return NO_RIGHT
    rights = guild.roles[guild.id].rights
    for role in member.roles:
        rights |= guild.roles[role].rights
    return EVERY_RIGHT if guild.owner is user or rights & Right.ADMINISTRATOR else rights


def in_channel(channel: Channel, user: User) -> Right:
    """What the user may do there. A thread asks its parent; a private thread only knows its members and moderators."""
    guild = channel.guild
    if guild is None:
        return EVERY_RIGHT if channel.recipient is user or user.bot else NO_RIGHT
    base = in_guild(guild, user)
    if base == EVERY_RIGHT or user.id not in guild.members:
        return base
    rights = _overwritten(channel.parent if channel.is_thread and channel.parent else channel, guild, user, base)
    hidden = channel.kind is Kind.PRIVATE_THREAD and user.id not in channel.joined and not rights & Right.MANAGE_THREADS
    # What is said beside a voice channel is for those who may come into it.
    outside = channel.kind in SPOKEN and not rights & Right.CONNECT
    return NO_RIGHT if hidden or outside or not rights & Right.VIEW_CHANNEL else rights


def sees(channel: Channel, user: User) -> bool:
    """Whether the user can read what is said there now."""
    return bool(in_channel(channel, user) & Right.VIEW_CHANNEL)


def to_send(channel: Channel) -> Right:
    """The right that sending there takes."""
    return Right.SEND_MESSAGES_IN_THREADS if channel.is_thread else Right.SEND_MESSAGES


def _overwritten(channel: Channel, guild: Guild, user: User, base: Right) -> Right:
    own = channel.overwrites
    rights = base
    if everyone := own.get(guild.id):
        rights = rights & ~everyone.deny | everyone.allow
    deny = allow = NO_RIGHT
    for role in guild.members[user.id].roles:
        if one := own.get(role):
            deny |= one.deny
            allow |= one.allow
    rights = rights & ~deny | allow
    if (mine := own.get(user.id)) and not mine.of_role:
        rights = rights & ~mine.deny | mine.allow
    return rights
