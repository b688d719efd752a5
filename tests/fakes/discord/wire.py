"""Users, guilds, channels and messages in Discord's JSON. Ids are texts there, and rights too."""

import dataclasses
from datetime import UTC, datetime

from tests.fakes.discord.ids import made_at
from tests.fakes.discord.rights import in_channel, in_guild
from tests.fakes.discord.things import OF_POSTS, SPOKEN, Attachment, Channel, Flag, Guild, Json, Kind, Member, Message, Role, User
from tests.fakes.discord.world import World


def when(moment: datetime | None) -> str | None:
    """A time as Discord writes it."""
    return moment.astimezone(UTC).isoformat() if moment else None


def user(one: User) -> Json:
    """A user as others see them."""
    names = {"id": str(one.id), "username": one.name, "discriminator": "0000" if one.bot else "0", "global_name": one.display}
    return names | {"avatar": None, "bot": one.bot, "public_flags": 0, "flags": 0, "primary_guild": None}


def me(one: User) -> Json:
    """The bot as it sees itself."""
    return user(one) | {"mfa_enabled": True, "locale": "en-US", "verified": True, "email": None, "bio": ""}


def member(one: Member, *, with_user: bool = True) -> Json:
    """A user in a guild."""
    data: Json = {
        "nick": one.nick,
        "roles": [str(role) for role in one.roles],
        "joined_at": when(one.joined),
        "avatar": None,
        "banner": None,
        "communication_disabled_until": None,
        "premium_since": None,
        "pending": False,
        "mute": False,
        "deaf": False,
        "flags": 0,
    }
    return data | ({"user": user(one.user)} if with_user else {})


def role(one: Role) -> Json:
    """A role with its rights."""
    tags: Json = {"tags": {"bot_id": str(one.bot)}} if one.bot is not None else {}
    return tags | {
        "id": str(one.id),
        "name": one.name,
        "description": None,
        "permissions": str(one.rights.value),
        "position": one.position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": one.bot is not None,
        "mentionable": False,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }


def channel(one: Channel) -> Json:
    """A channel, thread or DM."""
    if one.kind is Kind.DM:
        assert one.recipient is not None
        last = {"last_message_id": _last(one)}
        return {"id": str(one.id), "type": int(one.kind), "flags": 0, "recipients": [user(one.recipient)]} | last
    if one.is_thread:
        return _thread(one)
    assert one.guild is not None
    overwrites = [
        {"id": str(who), "type": 0 if it.of_role else 1, "allow": str(it.allow.value), "deny": str(it.deny.value)}
        for who, it in one.overwrites.items()
    ]
    data: Json = {
        "id": str(one.id),
        "type": int(one.kind),
        "guild_id": str(one.guild.id),
        "name": one.name,
        "position": one.position,
    }
    data |= {"permission_overwrites": overwrites, "parent_id": None, "nsfw": one.age_restricted, "flags": 0, "topic": one.topic}
    data |= {"rate_limit_per_user": 0, "last_message_id": _last(one)}
    data |= {"bitrate": 64_000, "user_limit": 0} if one.kind in SPOKEN else {}
    return data | ({"available_tags": []} if one.kind in OF_POSTS else {})


def thread_member(thread: Channel, who: User) -> Json:
    """Someone who has joined a thread."""
    return {"id": str(thread.id), "user_id": str(who.id), "join_timestamp": when(thread.joined[who.id]), "flags": 0}


def guild(one: Guild) -> Json:
    """A guild as REST gives it."""
    nothing = "icon description home_header splash discovery_splash banner application_id afk_channel_id system_channel_id \
        widget_channel_id max_presences vanity_url_code rules_channel_id safety_alerts_channel_id public_updates_channel_id \
        incidents_data".split()
    zero = "system_channel_flags verification_level default_message_notifications mfa_level explicit_content_filter nsfw_level \
        premium_tier premium_subscription_count".split()
    data: Json = dict.fromkeys(nothing) | dict.fromkeys(zero, 0)
    data |= {"id": str(one.id), "name": one.name, "owner_id": str(one.owner.id), "region": "", "preferred_locale": "en-US"}
    data |= {"features": [], "emojis": [], "stickers": [], "roles": [role(it) for it in one.roles.values()]}
    data |= {"nsfw": False, "widget_enabled": False, "premium_progress_bar_enabled": False, "afk_timeout": 300}
    return data | {"max_members": 500_000, "max_stage_video_channel_users": 50, "max_video_channel_users": 25}


def guild_created(world: World, one: Guild, *, all_members: bool = False, joined: bool = False) -> Json:
    """A guild as the gateway gives it: with its channels and the threads that the bot sees.

    One that the bot has just joined does not say `unavailable`: that is how a client tells the two apart.
    """
    threads = [thread_for(world, it) for it in world.threads_of(one) if in_channel(it, world.bot)]
    members = [it for it in one.members.values() if all_members or it.user is world.bot]
    data = guild(one) | ({} if joined else {"unavailable": False})
    data |= {"large": False, "member_count": len(one.members), "joined_at": when(made_at(one.id))}
    data |= {"channels": [_without_guild(channel(it)) for it in world.channels_of(one)], "threads": threads}
    empty: Json = {
        name: [] for name in ("voice_states", "presences", "stage_instances", "guild_scheduled_events", "soundboard_sounds")
    }
    return data | empty | {"members": [member(it) for it in members]}


def thread_for(world: World, thread: Channel) -> Json:
    """A thread as the bot sees it: with its own membership."""
    own = {"member": thread_member(thread, world.bot)} if world.bot.id in thread.joined else {}
    return channel(thread) | own


def attachment(base: str, place: Channel, one: Attachment) -> Json:
    """A file, with the address where it can be fetched."""
    url = f"{base}/attachments/{place.id}/{one.id}/{one.name}?ex={one.turn}&is=1&hm=1"
    data: Json = {"id": str(one.id), "filename": one.name, "size": len(one.data), "url": url, "proxy_url": url}
    data |= {"content_type": one.content_type} if one.content_type else {}
    return data | ({"description": one.description} if one.description else {})


def legible(world: World, one: Message) -> bool:
    """Whether the bot may read the text without the content intent: its own, in a DM, or told to it."""
    return one.channel.guild is None or one.author is world.bot or world.bot in one.mentions


def message(world: World, base: str, one: Message, *, content: bool, depth: int = 1) -> Json:
    """A message as REST gives it. Without `content` the text is blank, unless the bot may read it anyway."""
    shown = content or legible(world, one)
    data: Json = {
        "id": str(one.id),
        "channel_id": str(one.channel.id),
        "type": one.type,
        "content": one.content if shown else "",
        "author": _author(one),
        "timestamp": when(made_at(one.id)),
        "edited_timestamp": when(one.edited),
        "attachments": [attachment(base, one.channel, it) for it in one.attachments] if shown else [],
        "embeds": one.embeds if shown else [],
        "components": one.components if shown else [],
        "mentions": [user(it) for it in one.mentions],
        "mention_roles": [str(it) for it in one.mention_roles],
        "mention_everyone": one.mention_everyone,
        "pinned": False,
        "tts": False,
        "flags": one.flags,
    }
    data |= {"nonce": one.nonce} if one.nonce is not None else {}
    data |= {"webhook_id": str(one.webhook)} if one.webhook else {}
    data |= one.interaction or {}
    data |= one.more if shown else {}
    if (thread := world.channels.get(one.id)) and one.flags & Flag.HAS_THREAD:
        data["thread"] = thread_for(world, thread)
    return data | _reference(world, base, one, content, depth)


def message_event(world: World, base: str, one: Message, *, content: bool) -> Json:
    """A message as the gateway gives it: with its guild and member, or as of a DM without either."""
    data = message(world, base, one, content=content)
    place = one.channel.guild
    data["channel_type"] = int(one.channel.kind)
    if place is None:
        return data
    data["guild_id"] = str(place.id)
    if (known := place.members.get(one.author.id)) and not one.webhook:
        data["member"] = member(known, with_user=False)
    for told, raw in zip(one.mentions, data["mentions"], strict=True):
        if known := place.members.get(told.id):
            raw["member"] = member(known, with_user=False)
    return data


def acting_member(place: Channel, who: User) -> Json:
    """The member who acted, with what they may do there."""
    assert place.guild is not None
    return member(place.guild.members[who.id]) | {"permissions": str(in_channel(place, who).value)}


def partial_guild(world: World, one: Guild) -> Json:
    """A guild in the list of the bot's guilds."""
    rights = str(in_guild(one, world.bot).value)
    data: Json = {"id": str(one.id), "name": one.name, "icon": None, "banner": None, "owner": False}
    return data | {"permissions": rights, "features": []}


def _reference(world: World, base: str, one: Message, content: bool, depth: int) -> Json:
    if one.reply_to is None and one.reference_channel is None:
        return {}
    place = one.reference_channel or one.channel.id
    pointer: Json = {"type": 0, "channel_id": str(place)}
    pointer |= {"message_id": str(one.reply_to)} if one.reply_to else {}
    pointer |= {"guild_id": str(one.channel.guild.id)} if one.channel.guild else {}
    data: Json = {"message_reference": pointer}
    if depth and one.type in (19, 21) and one.reply_to:
        source = world.channels.get(place)
        target = source.messages.get(one.reply_to) if source else None
        data["referenced_message"] = message(world, base, target, content=content, depth=0) if target else None
    return data


def _author(one: Message) -> Json:
    shown = dataclasses.replace(one.author, id=one.webhook) if one.webhook and one.interaction is None else one.author
    return user(shown)


def _thread(one: Channel) -> Json:
    assert one.guild is not None and one.parent is not None and one.owner is not None
    said = len([it for it in one.history() if it.id != one.id])
    details: Json = {"archived": one.archived, "archive_timestamp": when(made_at(one.id)), "locked": one.locked}
    details |= {"auto_archive_duration": one.archive_minutes, "create_timestamp": when(made_at(one.opened or one.id))}
    details |= {"invitable": one.invitable} if one.kind is Kind.PRIVATE_THREAD else {}
    data: Json = {"id": str(one.id), "type": int(one.kind), "guild_id": str(one.guild.id), "parent_id": str(one.parent.id)}
    data |= {"name": one.name, "owner_id": str(one.owner.id), "flags": 0, "thread_metadata": details, "message_count": said}
    return data | {
        "member_count": len(one.joined),
        "total_message_sent": said,
        "rate_limit_per_user": 0,
        "last_message_id": _last(one),
    }


def _last(one: Channel) -> str | None:
    return str(max(one.messages)) if one.messages else None


def _without_guild(data: Json) -> Json:
    return {key: value for key, value in data.items() if key != "guild_id"}
