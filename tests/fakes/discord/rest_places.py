"""Users, guilds, channels and threads over REST."""

from tests.fakes.discord import calls, wire
from tests.fakes.discord.calls import NOTHING, Answer, Call, Refusal, route
from tests.fakes.discord.drafts import draft, refuse_empty
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.rest_messages import compose
from tests.fakes.discord.rights import sees
from tests.fakes.discord.things import OF_POSTS, Channel, Json, Kind, Right


@route("get_my_user", "GET", "/users/@me")
def myself(hub: Hub, call: Call) -> Answer:
    """The bot's account."""
    return Answer(wire.me(hub.world.bot))


def _application(hub: Hub, call: Call) -> Answer:
    nothing = "icon interactions_endpoint_url role_connections_verification_url team bot type".split()
    data: Json = dict.fromkeys(nothing) | {"id": str(hub.world.application_id), "name": hub.world.bot.name, "description": ""}
    data |= {"verify_key": "0" * 64, "flags": hub.world.application_flags, "flags_new": str(hub.world.application_flags)}
    data |= {"redirect_uris": [], "owner": wire.user(hub.world.boss), "explicit_content_filter": 0, "eligible_oauth2_scopes": []}
    counts = {name: 0 for name in ("approximate_user_install_count", "approximate_user_authorization_count")}
    data |= counts | {"approximate_guild_count": len(hub.world.guilds), "bot_public": True, "bot_require_code_grant": False}
    data["integration_types_config"] = {"0": {}} | ({"1": {}} if hub.world.user_installable else {})
    return Answer(data | {"bot": wire.user(hub.world.bot), "summary": "", "rpc_origins": []})


application = route("get_my_application", "GET", "/applications/@me")(_application)
oauth_application = route("get_my_oauth2_application", "GET", "/oauth2/applications/@me")(_application)


@route("get_gateway", "GET", "/gateway", tokenless=True)
def gateway(hub: Hub, call: Call) -> Answer:
    """Where the gateway is."""
    return Answer({"url": hub.gateway.url})


@route("get_bot_gateway", "GET", "/gateway/bot")
def bot_gateway(hub: Hub, call: Call) -> Answer:
    """Where the gateway is, and how often the bot may still start there."""
    left = {"total": 1000, "remaining": max(0, hub.gateway.budget), "reset_after": 86_400_000, "max_concurrency": 1}
    return Answer({"url": hub.gateway.url, "shards": hub.gateway.shards, "session_start_limit": left})


@route("get_user", "GET", "/users/{user_id}")
def user(hub: Hub, call: Call) -> Answer:
    """Anyone by id."""
    if known := hub.world.users.get(call.number("user_id")):
        return Answer(wire.user(known))
    raise Refusal(*calls.UNKNOWN_USER)


@route("create_dm", "POST", "/users/@me/channels")
def dm(hub: Hub, call: Call) -> Answer:
    """The DM with someone; made, if there is none yet."""
    known = hub.world.users.get(int(call.body["recipient_id"]))
    if known is None or known is hub.world.bot:
        raise Refusal(*calls.UNKNOWN_USER)
    return Answer(wire.channel(hub.world.dm(known)))


@route("list_my_guilds", "GET", "/users/@me/guilds")
def my_guilds(hub: Hub, call: Call) -> Answer:
    """The guilds the bot is in, oldest first, a page at a time."""
    after, limit = int(call.asked("after") or 0), int(call.asked("limit") or 200)
    found = [one for number, one in sorted(hub.world.guilds.items()) if number > after and hub.world.bot.id in one.members]
    return Answer([wire.partial_guild(hub.world, one) for one in found[:limit]])


@route("leave_guild", "DELETE", "/users/@me/guilds/{guild_id}")
def leave(hub: Hub, call: Call) -> Answer:
    """Go."""
    hub.acts.remove_bot(hub.guild(call))
    return NOTHING


@route("get_guild", "GET", "/guilds/{guild_id}")
def guild(hub: Hub, call: Call) -> Answer:
    """A guild."""
    return Answer(wire.guild(hub.guild(call)))


@route("list_guild_channels", "GET", "/guilds/{guild_id}/channels")
def channels(hub: Hub, call: Call) -> Answer:
    """A guild's channels, without its threads."""
    return Answer([wire.channel(one) for one in hub.world.channels_of(hub.guild(call))])


@route("list_guild_roles", "GET", "/guilds/{guild_id}/roles")
def roles(hub: Hub, call: Call) -> Answer:
    """A guild's roles."""
    return Answer([wire.role(one) for one in hub.guild(call).roles.values()])


@route("get_guild_member", "GET", "/guilds/{guild_id}/members/{user_id}")
def member(hub: Hub, call: Call) -> Answer:
    """A user in a guild."""
    if known := hub.guild(call).members.get(call.number("user_id")):
        return Answer(wire.member(known))
    raise Refusal(*calls.UNKNOWN_MEMBER)


@route("list_guild_members", "GET", "/guilds/{guild_id}/members")
def members(hub: Hub, call: Call) -> Answer:
    """A guild's members, if the application may know them."""
    guild = hub.guild(call)
    if not hub.world.members_intent:
        raise Refusal(*calls.MISSING_ACCESS)
    after = int(call.asked("after") or 0)
    found = sorted(one for one in guild.members if one > after)[: int(call.asked("limit") or 1)]
    return Answer([wire.member(guild.members[one]) for one in found])


@route("get_channel", "GET", "/channels/{channel_id}")
def channel(hub: Hub, call: Call) -> Answer:
    """A channel, thread or DM."""
    found = hub.channel(call)
    return Answer(wire.thread_for(hub.world, found) if found.is_thread else wire.channel(found))


@route("update_channel", "PATCH", "/channels/{channel_id}")
def changed(hub: Hub, call: Call) -> Answer:
    """Rename, archive, lock or reopen a thread. Nothing else is changed by this server."""
    thread = hub.channel(call)
    if not thread.is_thread:
        raise Refusal(*calls.MISSING_PERMISSIONS)
    names = {"name": "name", "archived": "archived", "locked": "locked", "auto_archive_duration": "archive_minutes"}
    wanted = {names[key]: value for key, value in call.body.items() if key in names and value is not None}
    if thread.archived and wanted.get("archived", True):
        raise Refusal(*calls.THREAD_ARCHIVED)
    if thread.locked and thread.archived:
        hub.require(thread, Right.MANAGE_THREADS)
    if thread.owner is not hub.world.bot and wanted != {"archived": False}:
        hub.require(thread, Right.MANAGE_THREADS)
    hub.acts.change_thread(thread, **wanted)
    return Answer(wire.thread_for(hub.world, thread))


@route("delete_channel", "DELETE", "/channels/{channel_id}")
def removed(hub: Hub, call: Call) -> Answer:
    """Remove a channel or a thread."""
    channel = hub.channel(call)
    hub.require(channel, Right.MANAGE_THREADS if channel.is_thread else Right.MANAGE_CHANNELS)
    data = wire.channel(channel)
    (hub.acts.delete_thread if channel.is_thread else hub.acts.delete_channel)(channel)
    return Answer(data)


@route("create_thread_from_message", "POST", "/channels/{channel_id}/messages/{message_id}/threads")
def thread_on(hub: Hub, call: Call) -> Answer:
    """Open a thread on a message."""
    parent = hub.channel(call, Right.CREATE_PUBLIC_THREADS)
    message = hub.message(call, parent)
    if message.id in hub.world.channels:
        raise Refusal(*calls.HAS_THREAD)
    thread = hub.acts.open_thread(parent, call.body["name"], hub.world.bot, on=message)
    return Answer(wire.thread_for(hub.world, thread), 201)


@route("create_thread", "POST", "/channels/{channel_id}/threads")
def thread(hub: Hub, call: Call) -> Answer:
    """Open a thread on its own, or a post in a forum with its first message."""
    parent = hub.channel(call)
    if parent.kind in OF_POSTS:
        return _post(hub, call, parent)
    private = (call.body.get("type") or 12) == 12
    hub.require(parent, Right.CREATE_PRIVATE_THREADS if private else Right.CREATE_PUBLIC_THREADS)
    opened = hub.acts.open_thread(parent, call.body["name"], hub.world.bot, private=private)
    opened.invitable = call.body.get("invitable") is not False
    return Answer(wire.thread_for(hub.world, opened), 201)


def _post(hub: Hub, call: Call, forum: Channel) -> Answer:
    hub.require(forum, Right.SEND_MESSAGES)
    first = compose(hub, call, forum, draft(hub, call, call.body["message"]))
    refuse_empty(first)
    opened = hub.acts.open_thread(forum, call.body["name"], hub.world.bot)
    first.channel, first.id = opened, opened.id
    hub.acts.post(first)
    return Answer(wire.thread_for(hub.world, opened) | {"message": hub.json(first)}, 201)


@route("get_active_guild_threads", "GET", "/guilds/{guild_id}/threads/active")
def active_threads(hub: Hub, call: Call) -> Answer:
    """The threads of a guild that the bot can see and that are not archived."""
    found = [one for one in hub.world.threads_of(hub.guild(call)) if sees(one, hub.world.bot)]
    return _threads(hub, found)


def _archived(kind: Kind, own: bool) -> calls.Handler:
    def handle(hub: Hub, call: Call) -> Answer:
        parent = hub.channel(call, Right.READ_MESSAGE_HISTORY)
        if kind is Kind.PRIVATE_THREAD and not own:
            hub.require(parent, Right.MANAGE_THREADS)
        found = [one for one in hub.world.channels.values() if one.parent is parent and one.archived and one.kind is kind]
        return _threads(hub, [one for one in found if not own or hub.world.bot.id in one.joined])

    return handle


public_archive = route("list_public_archived_threads", "GET", "/channels/{channel_id}/threads/archived/public")(
    _archived(Kind.PUBLIC_THREAD, False)
)
private_archive = route("list_private_archived_threads", "GET", "/channels/{channel_id}/threads/archived/private")(
    _archived(Kind.PRIVATE_THREAD, False)
)
own_archive = route("list_my_private_archived_threads", "GET", "/channels/{channel_id}/users/@me/threads/archived/private")(
    _archived(Kind.PRIVATE_THREAD, True)
)


def _threads(hub: Hub, found: list[Channel]) -> Answer:
    own = [wire.thread_member(one, hub.world.bot) for one in found if hub.world.bot.id in one.joined]
    rows = [wire.thread_for(hub.world, one) for one in found]
    return Answer({"threads": rows, "members": own, "has_more": False})


@route("join_thread", "PUT", "/channels/{channel_id}/thread-members/@me")
def join(hub: Hub, call: Call) -> Answer:
    """Join a thread."""
    hub.acts.join_thread(hub.channel(call), hub.world.bot)
    return NOTHING


@route("leave_thread", "DELETE", "/channels/{channel_id}/thread-members/@me")
def quit_thread(hub: Hub, call: Call) -> Answer:
    """Leave a thread."""
    hub.acts.leave_thread(hub.channel(call), hub.world.bot)
    return NOTHING


@route("add_thread_member", "PUT", "/channels/{channel_id}/thread-members/{user_id}")
def invite(hub: Hub, call: Call) -> Answer:
    """Add someone to a thread."""
    thread = hub.channel(call)
    if thread.guild is None or call.number("user_id") not in thread.guild.members:
        raise Refusal(*calls.UNKNOWN_MEMBER)
    hub.acts.join_thread(thread, hub.world.users[call.number("user_id")])
    return NOTHING


@route("get_thread_member", "GET", "/channels/{channel_id}/thread-members/{user_id}")
def one_in_thread(hub: Hub, call: Call) -> Answer:
    """Someone who has joined a thread."""
    thread = hub.channel(call)
    if call.number("user_id") not in thread.joined:
        raise Refusal(*calls.UNKNOWN_MEMBER)
    return Answer(wire.thread_member(thread, hub.world.users[call.number("user_id")]))


@route("list_thread_members", "GET", "/channels/{channel_id}/thread-members")
def in_thread(hub: Hub, call: Call) -> Answer:
    """Who has joined a thread."""
    thread = hub.channel(call)
    return Answer([wire.thread_member(thread, hub.world.users[one]) for one in thread.joined])


ROUTES = (
    *(myself, application, oauth_application, gateway, bot_gateway, user, dm, my_guilds, leave, guild, channels, roles),
    *(member, members, channel, changed, removed, thread_on, thread, active_threads, public_archive, private_archive),
    *(own_archive, join, quit_thread, invite, one_in_thread, in_thread),
)
