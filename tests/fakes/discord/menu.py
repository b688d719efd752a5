"""The bot's commands as a person finds them: looked up by name, and filled in as Discord's clients would allow."""

from typing import Any

from tests.fakes.discord import wire
from tests.fakes.discord.rights import in_channel
from tests.fakes.discord.things import Attachment, Channel, Json, Message, Right, Role, User
from tests.fakes.discord.world import World

SLASH, USER, MESSAGE = 1, 2, 3
_SUBCOMMAND, _GROUP = 1, 2
_TYPES: dict[int, tuple[type, ...]] = {3: (str,), 4: (int,), 5: (bool,), 6: (User,), 7: (Channel,), 8: (Role,), 9: (User, Role)}
_TYPES |= {10: (int, float), 11: (Attachment,)}


def find(world: World, place: Channel, who: User, kind: int, name: str) -> Json:
    """The command that someone sees there. Raises LookupError when Discord would not offer it."""
    own = world.guild_commands.get(place.guild.id, {}) if place.guild else {}
    everywhere = [one for one in world.commands.values() if _offered(one, place) and _installed(world, one, place, who)]
    for one in (*own.values(), *everywhere):
        if one["type"] == kind and one["name"] == name:
            break
    else:
        raise LookupError(f"{name!r} is no command here: {sorted(one['name'] for one in (*own.values(), *everywhere))}")
    rights = in_channel(place, who)
    needed = Right(int(one["default_member_permissions"] or 0))
    if place.guild and (not rights & Right.USE_APPLICATION_COMMANDS or needed & ~rights):
        raise LookupError(f"{who.name} may not use {name!r} here")
    return one


def slash(
    world: World, place: Channel, who: User, base: str, path: str, given: dict[str, Any], focused: str | None = None
) -> Json:
    """What a slash command sends, from a name like `memory view` and the options by name."""
    name, *inner = path.split()
    command = find(world, place, who, SLASH, name)
    level, wraps = command, []
    for part in inner:
        options = level.get("options") or []
        level = next((one for one in options if one["name"] == part and one["type"] in (_SUBCOMMAND, _GROUP)), {})
        if not level:
            raise LookupError(f"{path!r} is no command: {[one['name'] for one in options]}")
        wraps.append({"name": part, "type": level["type"]})
    resolved: dict[str, Json] = {}
    options = _filled(level, given, focused, resolved, base, place)
    for wrap in reversed(wraps):
        options = [wrap | {"options": options}]
    data: Json = {"id": command["id"], "name": name, "type": SLASH, "options": options}
    data |= {"guild_id": command["guild_id"]} if "guild_id" in command else {}
    return data | ({"resolved": resolved} if resolved else {})


def on_message(world: World, place: Channel, who: User, base: str, name: str, message: Message) -> Json:
    """What a command of a message's menu sends: with the whole message, intent or not."""
    command = find(world, place, who, MESSAGE, name)
    whole = wire.message(world, base, message, content=True)
    data: Json = {"id": command["id"], "name": name, "type": MESSAGE, "target_id": str(message.id)}
    return data | {"resolved": {"messages": {str(message.id): whole}}}


def _offered(command: Json, place: Channel) -> bool:
    contexts = command.get("contexts")
    context = 0 if place.guild else 1
    return context in contexts if contexts else bool(place.guild) or command.get("dm_permission", True)


def _installed(world: World, command: Json, place: Channel, who: User) -> bool:
    types = command.get("integration_types") or [0]
    by_guild = place.guild is None or world.bot.id in place.guild.members
    return (0 in types and by_guild) or (1 in types and world.user_installable and who.id in world.installed)


def _filled(
    level: Json, given: dict[str, Any], focused: str | None, resolved: dict[str, Json], base: str, place: Channel
) -> list[Json]:
    known = {one["name"]: one for one in level.get("options") or []}
    if strange := set(given) - set(known):
        raise LookupError(f"no such options: {sorted(strange)}, only {sorted(known)}")
    if focused is None and (missing := [name for name, one in known.items() if one.get("required") and name not in given]):
        raise LookupError(f"required: {missing}")
    rows = []
    for name, value in given.items():
        one = known[name]
        if name != focused and not isinstance(value, _TYPES[one["type"]]):
            raise TypeError(f"{name}: {value!r} is not of type {one['type']}")
        choices = [choice["value"] for choice in one.get("choices") or []]
        if choices and name != focused and value not in choices:
            raise LookupError(f"{name}: {value!r} is none of {choices}")
        row: Json = {"name": name, "type": one["type"], "value": _plain(value, resolved, base, place)}
        rows.append(row | ({"focused": True} if name == focused else {}))
    return rows


def _plain(value: Any, resolved: dict[str, Json], base: str, place: Channel) -> Any:
    match value:
        case User():
            resolved.setdefault("users", {})[str(value.id)] = wire.user(value)
            if place.guild and (known := place.guild.members.get(value.id)):
                resolved.setdefault("members", {})[str(value.id)] = wire.member(known, with_user=False) | {"permissions": "0"}
        case Channel():
            resolved.setdefault("channels", {})[str(value.id)] = wire.channel(value) | {"permissions": "0"}
        case Role():
            resolved.setdefault("roles", {})[str(value.id)] = wire.role(value)
        case Attachment():
            resolved.setdefault("attachments", {})[str(value.id)] = wire.attachment(base, place, value)
        case _:
            return value
    return str(value.id)
