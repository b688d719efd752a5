"""The bot's answers to interactions over REST: the first one, its edits, and those that follow. None needs the bot's token."""

from tests.fakes.discord import calls
from tests.fakes.discord.calls import NOTHING, Answer, Call, Refusal, route
from tests.fakes.discord.drafts import Draft, draft, refuse_empty
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.interactions import (
    AUTOCOMPLETE,
    CHANGE,
    CHOICES,
    COMMAND,
    COMPONENT,
    PROMISE,
    PROMISE_CHANGE,
    SAY,
    Interaction,
)
from tests.fakes.discord.rest_messages import change
from tests.fakes.discord.things import Flag, Json, Message

_HOOK = "/webhooks/{webhook_id}/{webhook_token}"
_ONE = _HOOK + "/messages/{message_id}"
_ORIGINAL = _HOOK + "/messages/@original"
_NO_PINGS = {"parse": ["users"]}
_MOST_ABROAD = 5


@route("create_interaction_response", "POST", "/interactions/{interaction_id}/{interaction_token}/callback", tokenless=True)
def answered(hub: Hub, call: Call) -> Answer:
    """The first answer. It must come soon, and only once."""
    known = hub.interactions.by_id(call.number("interaction_id"), call.values["interaction_token"])
    if known is None:
        raise Refusal(*calls.UNKNOWN_INTERACTION)
    if known.callback:
        raise Refusal(*calls.ACKNOWLEDGED)
    kind, data = call.body["type"], call.body.get("data") or {}
    if (kind == CHOICES) != (known.kind == AUTOCOMPLETE) or (kind in (PROMISE_CHANGE, CHANGE) and known.kind != COMPONENT):
        raise Refusal(*calls.INVALID_FORM, wrong=f"an answer of kind {kind} to an interaction of kind {known.kind}")
    if kind in (SAY, PROMISE):
        known.original = _say(hub, known, draft(hub, call, data), promise=kind == PROMISE)
    elif kind in (PROMISE_CHANGE, CHANGE):
        known.original = known.source
        if kind == CHANGE and known.source:
            change(hub, known.source, draft(hub, call, data))
            known.changes += 1
    known.callback = call.body
    if call.asked("with_response") not in ("1", "true"):
        return NOTHING
    return Answer(_told(hub, known, kind))


@route("get_original_webhook_message", "GET", _ORIGINAL, tokenless=True)
def original(hub: Hub, call: Call) -> Answer:
    """The first answer as it is now."""
    return Answer(hub.json(_original(_alive(hub, call))))


@route("update_original_webhook_message", "PATCH", _ORIGINAL, tokenless=True)
def original_changed(hub: Hub, call: Call) -> Answer:
    """Change the first answer, or fill the promised one."""
    known = _alive(hub, call)
    message = change(hub, _original(known), draft(hub, call, call.body or {}))
    known.changes += 1
    return Answer(hub.json(message))


@route("delete_original_webhook_message", "DELETE", _ORIGINAL, tokenless=True)
def original_deleted(hub: Hub, call: Call) -> Answer:
    """Remove the first answer."""
    hub.acts.delete(_original(_alive(hub, call)))
    return NOTHING


@route("execute_webhook", "POST", _HOOK, tokenless=True)
def followed(hub: Hub, call: Call) -> Answer:
    """Say more. The first time after a promise this fills the promised message."""
    known = _alive(hub, call)
    if known.callback is None:
        raise Refusal(*calls.UNKNOWN_WEBHOOK)
    wanted = draft(hub, call, call.body or {})
    guild = known.place.guild
    if guild and hub.world.bot.id not in guild.members and len(known.followups) >= _MOST_ABROAD:
        raise Refusal(*calls.FOLLOWED_UP)
    if known.original and known.original.loading:
        message = change(hub, known.original, wanted)
    else:
        message = _say(hub, known, wanted, follows=known.original)
    known.followups.append(message)
    hub.pulse.beat()
    return Answer(hub.json(message))


@route("get_webhook_message", "GET", _ONE, tokenless=True)
def followup(hub: Hub, call: Call) -> Answer:
    """An answer as it is now."""
    return Answer(hub.json(_answer(hub, call)))


@route("update_webhook_message", "PATCH", _ONE, tokenless=True)
def followup_changed(hub: Hub, call: Call) -> Answer:
    """Change an answer."""
    return Answer(hub.json(change(hub, _answer(hub, call), draft(hub, call, call.body or {}))))


@route("delete_webhook_message", "DELETE", _ONE, tokenless=True)
def followup_deleted(hub: Hub, call: Call) -> Answer:
    """Remove an answer."""
    hub.acts.delete(_answer(hub, call))
    return NOTHING


def _alive(hub: Hub, call: Call) -> Interaction:
    known = hub.interactions.by_token(call.values["webhook_token"])
    if known is None or call.number("webhook_id") != hub.world.application_id:
        raise Refusal(*calls.UNKNOWN_WEBHOOK)
    if not hub.interactions.alive(known):
        raise Refusal(*calls.TOKEN_EXPIRED)
    return known


def _original(known: Interaction) -> Message:
    if known.original is None or known.original.deleted:
        raise Refusal(*calls.UNKNOWN_MESSAGE)
    return known.original


def _answer(hub: Hub, call: Call) -> Message:
    known = _alive(hub, call)
    for one in (known.original, *known.followups):
        if one and one.id == call.number("message_id") and not one.deleted:
            return one
    raise Refusal(*calls.UNKNOWN_MESSAGE)


def _say(hub: Hub, known: Interaction, wanted: Draft, *, promise: bool = False, follows: Message | None = None) -> Message:
    message = Message(hub.world.ids.next(), known.place, hub.world.bot, attachments=wanted.files, flags=wanted.flags)
    for name, value in wanted.parts.items():
        setattr(message, name, value)
    if promise:
        message.flags = message.flags & Flag.EPHEMERAL | Flag.LOADING
    message.allowed_mentions = message.allowed_mentions or _NO_PINGS
    message.webhook = hub.world.application_id
    message.interaction = {"interaction_metadata": hub.interactions.metadata(known), "application_id": str(message.webhook)}
    if follows:
        message.type, message.reply_to = 19, follows.id
    elif known.kind == COMMAND:
        message.type = 20 if known.data["type"] == 1 else 23
    refuse_empty(message)
    message.ping = False
    return hub.acts.post(message)


def _told(hub: Hub, known: Interaction, kind: int) -> Json:
    about: Json = {"id": str(known.id), "type": known.kind}
    message = known.original
    if kind not in (SAY, PROMISE, CHANGE) or message is None:
        return {"interaction": about}
    about |= {"response_message_id": str(message.id), "response_message_loading": message.loading}
    about |= {"response_message_ephemeral": message.ephemeral, "channel_id": str(known.place.id)}
    about |= {"guild_id": str(known.place.guild.id)} if known.place.guild else {}
    return {"interaction": about} | ({} if kind == PROMISE else {"resource": {"type": kind, "message": hub.json(message)}})


ROUTES = (*(answered, original, original_changed, original_deleted), *(followed, followup, followup_changed, followup_deleted))
