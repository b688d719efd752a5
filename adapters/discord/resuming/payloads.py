"""Gateway payloads made from discord.py's cache, as READY and GUILD_CREATE would contain them.

Only documented attributes are read. Left out are pictures, colours, emojis, stickers, sounds, events and presences.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import discord

Payload = dict[str, Any]

# The attributes that have the same name on the wire.
_GUILD = (
    *("name", "description", "features", "member_count", "afk_timeout", "vanity_url_code", "max_members", "max_presences"),
    *("max_video_channel_users", "premium_tier", "premium_subscription_count", "premium_progress_bar_enabled", "widget_enabled"),
)
_LEVELS = ("verification_level", "explicit_content_filter", "nsfw_level", "mfa_level")
_CHANNEL = ("name", "position", "nsfw", "topic", "bitrate", "user_limit", "default_auto_archive_duration", "last_message_id")
"""Each kind of channel has some of these."""
_ROLE = ("name", "position", "hoist", "managed", "mentionable")
_THREAD = ("name", "message_count", "member_count", "total_message_sent")
_THREAD_STATE = ("archived", "auto_archive_duration", "locked", "invitable")
_USER = ("global_name", "discriminator", "bot", "system")
_VOICE_STATE = ("session_id", "deaf", "mute", "self_deaf", "self_mute", "self_stream", "self_video", "suppress")


def ready(client: discord.Client, session: str, url: str, guilds: list[int]) -> Payload:
    """Return the READY payload of a client that is logged in."""
    me = client.user
    assert me is not None
    return {
        "v": 10,
        "user": _user(me) | {"verified": me.verified, "mfa_enabled": me.mfa_enabled, "locale": _text(me.locale)},
        "session_id": session,
        "resume_gateway_url": url,
        "guilds": [{"id": str(one), "unavailable": True} for one in guilds],
        "application": {"id": str(client.application_id), "flags": client.application_flags.value},
        "private_channels": [],
    }


def guild(one: discord.Guild) -> Payload:
    """Return the GUILD_CREATE payload of an available server."""
    return {
        **_same(one, _GUILD),
        **{name: getattr(one, name).value for name in _LEVELS},
        "id": str(one.id),
        "unavailable": False,
        "owner_id": _text(one.owner_id),
        "default_message_notifications": one.default_notifications.value,
        "max_stage_video_channel_users": one.max_stage_video_users,
        "preferred_locale": str(one.preferred_locale),
        "system_channel_id": _text(one.system_channel.id if one.system_channel else None),
        "roles": [_role(role) for role in one.roles],
        "channels": [_channel(channel) for channel in one.channels],
        "threads": [_thread(thread) for thread in one.threads],
        "members": [_member(member) for member in one.members],
        "voice_states": list(_voice_states(one)),
    }


def _same(one: object, names: Iterable[str]) -> Payload:
    return {name: getattr(one, name) for name in names}


def _role(one: discord.Role) -> Payload:
    data = _same(one, _ROLE) | {"id": str(one.id), "permissions": str(one.permissions.value), "flags": one.flags.value}
    if (tags := one.tags) is not None:
        named = {
            "bot_id": tags.bot_id,
            "integration_id": tags.integration_id,
            "subscription_listing_id": tags.subscription_listing_id,
        }
        # These apply if their key is there, with a null value.
        there = {
            "premium_subscriber": tags.is_premium_subscriber(),
            "available_for_purchase": tags.is_available_for_purchase(),
            "guild_connections": tags.is_guild_connection(),
        }
        ids = {name: str(id) for name, id in named.items() if id is not None}
        data["tags"] = ids | {name: None for name, applies in there.items() if applies}
    return data


def _channel(one: discord.abc.GuildChannel) -> Payload:
    data = {
        name: _text(value) if name.endswith("_id") else value
        for name in _CHANNEL
        if (value := getattr(one, name, None)) is not None
    }
    return data | {
        "id": str(one.id),
        "type": one.type.value,
        "parent_id": _text(one.category_id),
        "rate_limit_per_user": getattr(one, "slowmode_delay", 0),
        "default_thread_rate_limit_per_user": getattr(one, "default_thread_slowmode_delay", 0),
        "flags": one.flags.value if isinstance(one, discord.ForumChannel) else 0,
        "permission_overwrites": [_overwrite(who, overwrite) for who, overwrite in one.overwrites.items()],
    }


def _overwrite(who: discord.Role | discord.Member | discord.Object, overwrite: discord.PermissionOverwrite) -> Payload:
    allow, deny = overwrite.pair()
    # One that the library does not know is an object that says what it would be.
    of_role = isinstance(who, discord.Role) or (isinstance(who, discord.Object) and who.type is discord.Role)
    return {"id": str(who.id), "type": 0 if of_role else 1, "allow": str(allow.value), "deny": str(deny.value)}


def _thread(one: discord.Thread) -> Payload:
    times = {"archive_timestamp": _time(one.archive_timestamp), "create_timestamp": _time(one.created_at)}
    data: Payload = {
        **_same(one, _THREAD),
        "id": str(one.id),
        "type": one.type.value,
        "parent_id": str(one.parent_id),
        "owner_id": str(one.owner_id),
        "last_message_id": _text(one.last_message_id),
        "rate_limit_per_user": one.slowmode_delay,
        "flags": one.flags.value,
        "thread_metadata": _same(one, _THREAD_STATE) | times | {"archiver_id": _text(one.archiver_id)},
    }
    if (me := one.me) is not None:
        data["member"] = {"id": str(one.id), "user_id": str(me.id), "join_timestamp": _time(me.joined_at), "flags": me.flags}
    return data


def _member(one: discord.Member) -> Payload:
    return {
        "user": _user(one),
        "nick": one.nick,
        "roles": [str(role.id) for role in one.roles if not role.is_default()],
        "joined_at": _time(one.joined_at),
        "premium_since": _time(one.premium_since),
        "communication_disabled_until": _time(one.timed_out_until),
        "pending": one.pending,
        "flags": one.flags.value,
    }


def _user(one: discord.ClientUser | discord.Member) -> Payload:
    own = {"id": str(one.id), "username": one.name, "avatar": None, "public_flags": one.public_flags.value}
    return _same(one, _USER) | own


def _voice_states(one: discord.Guild) -> Iterator[Payload]:
    for channel in (*one.voice_channels, *one.stage_channels):
        for person, state in channel.voice_states.items():
            asked = {"request_to_speak_timestamp": _time(state.requested_to_speak_at)}
            yield _same(state, _VOICE_STATE) | asked | {"user_id": str(person), "channel_id": str(channel.id)}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
