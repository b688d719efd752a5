"""The bot's commands over REST: of the application everywhere, or of one guild."""

from tests.fakes.discord import calls
from tests.fakes.discord.calls import NOTHING, Answer, Call, Handler, Refusal, route
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.things import Json

_EVERYWHERE = "/applications/{application_id}/commands"
_IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"


def _table(hub: Hub, call: Call) -> dict[int, Json]:
    if call.number("application_id") != hub.world.application_id:
        raise Refusal(*calls.MISSING_ACCESS)
    if "guild_id" not in call.values:
        return hub.world.commands
    return hub.world.guild_commands.setdefault(hub.guild(call).id, {})


def _known(hub: Hub, call: Call, wanted: Json, old: Json | None) -> Json:
    number = old["id"] if old else str(hub.world.ids.next())
    usual: Json = {"description": "", "type": 1, "default_member_permissions": None, "nsfw": False, "options": []}
    usual |= {"integration_types": [0], "contexts": None, "dm_permission": True}
    given = {key: value for key, value in wanted.items() if value is not None}
    if (rights := given.get("default_member_permissions")) is not None:
        given["default_member_permissions"] = str(rights)
    place = {"guild_id": call.values["guild_id"]} if "guild_id" in call.values else {}
    own = {"id": number, "application_id": str(hub.world.application_id), "version": str(hub.world.ids.next())}
    return usual | (old or {}) | given | own | place


def _list(hub: Hub, call: Call) -> Answer:
    return Answer(list(_table(hub, call).values()))


def _replace(hub: Hub, call: Call) -> Answer:
    table = _table(hub, call)
    before = {(one["type"], one["name"]): one for one in table.values()}
    names = [(one.get("type") or 1, one["name"]) for one in call.body]
    if len(set(names)) != len(names):
        raise Refusal(*calls.INVALID_FORM, wrong="two commands of one name")
    rows = [_known(hub, call, one, before.get(name)) for name, one in zip(names, call.body, strict=True)]
    table.clear()
    table.update({int(one["id"]): one for one in rows})
    return Answer(rows)


def _create(hub: Hub, call: Call) -> Answer:
    table = _table(hub, call)
    name = (call.body.get("type") or 1, call.body["name"])
    old = next((one for one in table.values() if (one["type"], one["name"]) == name), None)
    row = _known(hub, call, call.body, old)
    table[int(row["id"])] = row
    return Answer(row, 200 if old else 201)


def _one(hub: Hub, call: Call) -> Json:
    if row := _table(hub, call).get(call.number("command_id")):
        return row
    raise Refusal(*calls.UNKNOWN_COMMAND)


def _get(hub: Hub, call: Call) -> Answer:
    return Answer(_one(hub, call))


def _update(hub: Hub, call: Call) -> Answer:
    row = _known(hub, call, call.body, _one(hub, call))
    _table(hub, call)[int(row["id"])] = row
    return Answer(row)


def _delete(hub: Hub, call: Call) -> Answer:
    del _table(hub, call)[int(_one(hub, call)["id"])]
    return NOTHING


_DEEDS: tuple[tuple[str, str, str, Handler], ...] = (
    ("list_{}application_commands", "GET", "", _list),
    ("bulk_set_{}application_commands", "PUT", "", _replace),
    ("create_{}application_command", "POST", "", _create),
    ("get_{}application_command", "GET", "/{command_id}", _get),
    ("update_{}application_command", "PATCH", "/{command_id}", _update),
    ("delete_{}application_command", "DELETE", "/{command_id}", _delete),
)

ROUTES = tuple(
    route(name.format(scope), method, base + rest)(handle)
    for scope, base in (("", _EVERYWHERE), ("guild_", _IN_GUILD))
    for name, method, rest, handle in _DEEDS
)
