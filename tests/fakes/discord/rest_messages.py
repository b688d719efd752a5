"""Messages over REST: read, sent, changed and removed."""

import time

from tests.fakes.discord import calls
from tests.fakes.discord.acts import carry
from tests.fakes.discord.calls import NOTHING, Answer, Call, Refusal, route
from tests.fakes.discord.drafts import Draft, draft, refuse_empty
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.rights import in_channel, to_send
from tests.fakes.discord.things import OF_POSTS, Channel, Json, Message, Right


@route("list_messages", "GET", "/channels/{channel_id}/messages")
def listed(hub: Hub, call: Call) -> Answer:
    """The history around a point, newest first. Without the right to read it, it is empty."""
    channel = hub.channel(call)
    if channel.kind in OF_POSTS:
        raise Refusal(*calls.WRONG_CHANNEL)
    if not in_channel(channel, hub.world.bot) & Right.READ_MESSAGE_HISTORY:
        return Answer([])
    rows = channel.history()
    limit = int(call.asked("limit") or 50)
    points = {name: int(value) for name in ("before", "after", "around") if (value := call.asked(name))}
    if "after" in points:
        rows = [one for one in rows if one.id > points["after"]][:limit]
    elif "around" in points:
        older = [one for one in rows if one.id < points["around"]][-(limit // 2) :]
        rows = (older + [one for one in rows if one.id >= points["around"]])[:limit]
    else:
        before = points.get("before", 1 << 63)
        rows = [one for one in rows if one.id < before][-limit:]
    return Answer([hub.json(one) for one in reversed(rows)])


@route("get_message", "GET", "/channels/{channel_id}/messages/{message_id}")
def read(hub: Hub, call: Call) -> Answer:
    """One message."""
    return Answer(hub.json(hub.message(call, hub.channel(call, Right.READ_MESSAGE_HISTORY))))


@route("create_message", "POST", "/channels/{channel_id}/messages")
def created(hub: Hub, call: Call) -> Answer:
    """Send a message, unless one with this nonce was just sent."""
    channel = hub.channel(call)
    if channel.kind in OF_POSTS:
        raise Refusal(400, 50008, "Cannot send messages in a non-text channel")
    if channel.recipient and not channel.recipient.dm_open:
        raise Refusal(*calls.DM_CLOSED)
    hub.require(channel, to_send(channel))
    if channel.locked and not in_channel(channel, hub.world.bot) & Right.MANAGE_THREADS:
        raise Refusal(*(calls.THREAD_ARCHIVED if channel.archived else calls.THREAD_LOCKED))
    body: Json = call.body or {}
    nonce = body.get("nonce")
    if nonce is not None and body.get("enforce_nonce") and (before := _said_before(hub, str(nonce))):
        return Answer(hub.json(before))
    message = compose(hub, call, channel, draft(hub, call, body))
    message.nonce = nonce
    _refer(hub, message, body.get("message_reference"))
    refuse_empty(message)
    hub.acts.post(message)
    if nonce is not None:
        hub.nonces[str(nonce)] = (time.monotonic(), message)
    return Answer(hub.json(message))


@route("update_message", "PATCH", "/channels/{channel_id}/messages/{message_id}")
def updated(hub: Hub, call: Call) -> Answer:
    """Change one of the bot's own messages."""
    channel = hub.channel(call)
    message = hub.message(call, channel)
    if message.author is not hub.world.bot:
        raise Refusal(*calls.NOT_THE_AUTHOR)
    if channel.archived:
        raise Refusal(*calls.THREAD_ARCHIVED)
    return Answer(hub.json(change(hub, message, draft(hub, call, call.body or {}))))


@route("delete_message", "DELETE", "/channels/{channel_id}/messages/{message_id}")
def deleted(hub: Hub, call: Call) -> Answer:
    """Remove a message: an own one, or with the right to it anyone's."""
    channel = hub.channel(call)
    message = hub.message(call, channel)
    if message.author is not hub.world.bot:
        if channel.guild is None:
            raise Refusal(403, 50003, "Cannot execute action on a DM channel")
        hub.require(channel, Right.MANAGE_MESSAGES)
    hub.acts.delete(message)
    return NOTHING


@route("bulk_delete_messages", "POST", "/channels/{channel_id}/messages/bulk-delete")
def deleted_together(hub: Hub, call: Call) -> Answer:
    """Remove many messages at once."""
    channel = hub.channel(call, Right.MANAGE_MESSAGES)
    wanted = [int(one) for one in call.body["messages"]]
    if not 2 <= len(wanted) <= 100:
        raise Refusal(*calls.INVALID_FORM, wrong=f"messages: {len(wanted)}, not 2 to 100")
    if found := [channel.messages[one] for one in wanted if one in channel.messages]:
        hub.acts.delete(*found)
    return NOTHING


@route("trigger_typing_indicator", "POST", "/channels/{channel_id}/typing")
def typing(hub: Hub, call: Call) -> Answer:
    """Show that the bot types."""
    channel = hub.channel(call)
    hub.require(channel, to_send(channel))
    if channel.recipient and not channel.recipient.dm_open:
        raise Refusal(*calls.DM_CLOSED)
    hub.acts.typing(channel, hub.world.bot)
    return NOTHING


def compose(hub: Hub, call: Call, channel: Channel, wanted: Draft) -> Message:
    """A message of the bot, made of a draft; not yet sent."""
    if wanted.files:
        hub.require(channel, Right.ATTACH_FILES)
    if wanted.parts.get("embeds") and not wanted.parts.get("content"):
        hub.require(channel, Right.EMBED_LINKS)
    message = Message(hub.world.ids.next(), channel, hub.world.bot, attachments=wanted.files, flags=wanted.flags)
    for name, value in wanted.parts.items():
        setattr(message, name, value)
    return message


def change(hub: Hub, message: Message, wanted: Draft) -> Message:
    """Change a message as a draft says. Raises Refusal when nothing readable would be left."""
    files = carry(wanted.files, wanted.attachments, message.attachments)
    trial = Message(message.id, message.channel, message.author, message.content, attachments=files, flags=message.flags)
    trial.embeds, trial.components = message.embeds, message.components
    trial.flags = (message.flags | wanted.flags) & ~128
    for name, value in wanted.parts.items():
        setattr(trial, name, value)
    refuse_empty(trial)
    return hub.acts.edit(message, **wanted.parts, attachments=files)


def _said_before(hub: Hub, nonce: str) -> Message | None:
    at, message = hub.nonces.get(nonce, (0.0, None))
    return message if message and time.monotonic() - at < hub.nonce_window else None


def _refer(hub: Hub, message: Message, reference: Json | None) -> None:
    if not reference:
        return
    if not in_channel(message.channel, hub.world.bot) & Right.READ_MESSAGE_HISTORY:
        raise Refusal(*calls.NO_HISTORY)
    target = message.channel.messages.get(int(reference["message_id"]))
    if target is not None and not target.ephemeral:
        message.type, message.reply_to = 19, target.id
    elif reference.get("fail_if_not_exists", True) is not False:
        raise Refusal(400, 50035, "Invalid Form Body\nIn message_reference: Unknown message")


ROUTES = (listed, read, created, updated, deleted, deleted_together, typing)
