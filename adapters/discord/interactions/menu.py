"""The commands as registered with Discord, for typing and for message menus, with their names in other languages."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import discord

from adapters.command_table import AnswerAudience, CommandSpec, Parameter
from adapters.discord.failures import TROUBLE
from adapters.errors import PlatformFailure
from adapters.listener import Notes
from localization.current_language import ENGLISH, LANGUAGES
from localization.sentences import Said, lazy

_SLASH, _MESSAGE = 1, 3
_SUBCOMMAND = 1
_TYPES: dict[type, int] = {str: 3, int: 4, bool: 5}
_LONGEST = 100
_MOST = 25
_SERVER, _DM, _ELSEWHERE = 0, 1, 2
"""Where commands are used: on servers, in DMs with her, and in DMs and groups without her."""
_BY_SERVERS, _BY_PEOPLE = 0, 1
"""Who installs her: servers, or people for themselves, who can then use her where she is not a member."""
_NOTE = "commands"
_TRANSLATED = (
    lazy("recall"), lazy("summarize"), lazy("new"), lazy("sessions"), lazy("again"), lazy("dislike"), lazy("like"),
    lazy("feedback"), lazy("ask"), lazy("stop"), lazy("memory"), lazy("confide"), lazy("incognito"), lazy("export"),
    lazy("link"), lazy("unlink"), lazy("forget"), lazy("reflection"), lazy("privacy"), lazy("settings"),
    lazy("status"), lazy("help"), lazy("model"), lazy("persona"), lazy("dream"), lazy("view"), lazy("profile"),
    lazy("eras"), lazy("narrative"), lazy("self"), lazy("bank"), lazy("correct"), lazy("reset"), lazy("why"),
    lazy("less"), lazy("delete"), lazy("about"), lazy("choice"), lazy("code"), lazy("fact"), lazy("force"),
    lazy("id"), lazy("last"), lazy("message"), lazy("name"), lazy("of"), lazy("page"), lazy("part"), lazy("past"),
    lazy("public"), lazy("query"), lazy("session"), lazy("setting"), lazy("since"), lazy("text"), lazy("until"),
    lazy("value"), lazy("what"), lazy("who"), lazy("Remember this"), lazy("Forget this"), lazy("Answer again"),
    lazy("Not good"),
)  # fmt: skip
NAMES = {name.text: name for name in _TRANSLATED}
"""The names of commands, parameters and menus that are translated."""


def offered(spec: CommandSpec) -> bool:
    """Return whether a command is registered: unless it is hidden and in no message menu."""
    return bool(spec.menu) or not spec.hidden


def payload(table: Mapping[str, CommandSpec], installs: Sequence[int] = (_BY_SERVERS,)) -> list[dict[str, Any]]:
    """Return the table as Discord's command payload, in order, for those who `installs` her.

    Raises ValueError if a command also has subcommands.
    """
    specs = [spec for spec in table.values() if offered(spec)]
    families: dict[str, list[CommandSpec]] = {}
    for spec in specs:
        if not spec.menu:
            families.setdefault(spec.name.split()[0], []).append(spec)
    slash = [_command(name, family) | _where(family, installs) for name, family in families.items()]
    entries = [
        {"type": _MESSAGE, "name": spec.menu} | localized(spec.menu) | _where([spec], installs) for spec in specs if spec.menu
    ]
    return slash + entries


async def sync(client: discord.Client, table: Mapping[str, CommandSpec], notes: Notes) -> None:
    """Register the commands with Discord, if they differ from those registered last. Raises PlatformFailure."""
    application = client.application_id
    if application is None:
        raise PlatformFailure("Discord is not connected yet; the commands are given to it later.")
    commands = payload(table, _installs(client.application))
    known = hashlib.sha256(json.dumps([application, commands]).encode()).hexdigest()
    if await notes.get(_NOTE) == known:
        return
    try:
        await client.http.bulk_upsert_global_commands(application, payload=commands)
    except TROUBLE:
        raise PlatformFailure("Discord refused the commands; it keeps the old ones until Lyra connects again.") from None
    await notes.put(_NOTE, known)


def _command(name: str, family: Sequence[CommandSpec]) -> dict[str, Any]:
    alone = next((spec for spec in family if spec.name == name), None)
    if alone is None:
        subcommands = [_described(spec.name.split()[1], spec) | {"type": _SUBCOMMAND} for spec in family]
        words = _cut(", ".join(one["name"] for one in subcommands))
        return {"type": _SLASH, "name": name, **localized(name), "description": words, "options": subcommands}
    if len(family) > 1:
        raise ValueError(f"{name} cannot be a command and have subcommands on Discord; rename one.")
    return {"type": _SLASH} | _described(name, alone)


def _installs(application: discord.AppInfo | None) -> list[int]:
    """Return who may install her, as configured in the Developer Portal; servers if unknown."""
    if application is None or application.user_integration_config is None:
        return [_BY_SERVERS]
    return [_BY_PEOPLE] if application.guild_integration_config is None else [_BY_SERVERS, _BY_PEOPLE]


def _where(family: Sequence[CommandSpec], installs: Sequence[int]) -> dict[str, Any]:
    """Return the contexts of a command; the owner's commands are only offered in DMs with her."""
    elsewhere = [_ELSEWHERE] if _BY_PEOPLE in installs else []
    contexts = [_DM] if all(spec.who is AnswerAudience.OWNER for spec in family) else [_SERVER, _DM, *elsewhere]
    return {"contexts": contexts, "integration_types": list(installs)}


def _described(name: str, spec: CommandSpec) -> dict[str, Any]:
    ordered = sorted(spec.parameters, key=lambda parameter: not parameter.required)
    return {"name": name, **localized(name), **_description(spec.help), "options": [_option(one) for one in ordered[:_MOST]]}


def _option(parameter: Parameter) -> dict[str, Any]:
    option: dict[str, Any] = {
        "type": _TYPES[parameter.type],
        "name": parameter.name,
        **localized(parameter.name),
        **_description(parameter.help),
        "required": parameter.required,
    }
    if parameter.choices:
        option["choices"] = [{"name": one, "value": parameter.type(one)} for one in parameter.choices[:_MOST]]
    elif parameter.suggests:
        option["autocomplete"] = True
    return option


def _description(help: Said) -> dict[str, Any]:
    """Return a description in English and in Discord's other interface languages."""
    if isinstance(help, str):
        return {"description": _cut(help)}
    others = {code: _cut(help.read_in(code)) for code in LANGUAGES if code != ENGLISH}
    return {"description": _cut(help.read_in(ENGLISH)), "description_localizations": others}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def localized(name: str) -> dict[str, dict[str, str]]:
    """Return a name's localizations as Discord takes them; {} if there are none."""
    known = NAMES.get(name)
    others = {code: known.read_in(code) for code in LANGUAGES if code != ENGLISH} if known else {}
    found = {code: other for code, other in others.items() if other != name}
    return {"name_localizations": found} if found else {}
