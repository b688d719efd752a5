"""Parses a call: which command of the table, with which arguments, and where: the place, or the caller's own DM where Lyra is absent."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from adapters.command_table import AnswerAudience, CommandSpec, Parameter
from adapters.discord.access import readers
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming import convert
from adapters.discord.interactions.buttons import pressed
from adapters.discord.interactions.menu import offered
from adapters.events import Message, Place

_Speaking = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel
_MESSAGE_MENU = 3
_SUBCOMMAND = 1

Arguments = dict[str, str | int | bool]
_PREFIX = "call "
_LIFE = 15 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A command with its arguments. While somebody types, `focused` is the parameter being typed, and `typed` its text."""

    spec: CommandSpec
    arguments: Arguments
    focused: str = ""
    typed: str = ""

    @property
    def private(self) -> bool:
        """Whether only the caller reads the answer."""
        return self.spec.answer is AnswerAudience.PRIVATE and not self.arguments.get("public")


def parse_call(data: Mapping[str, Any], table: Mapping[str, CommandSpec]) -> ParsedCall | None:
    """Parse a command's data; None if the table has no such command, or not with these arguments."""
    if data.get("type") == _MESSAGE_MENU:
        spec = next((one for one in table.values() if one.menu and one.menu == data["name"]), None)
        return ParsedCall(spec, {}) if spec and offered(spec) else None
    path, options = [data["name"]], data.get("options") or []
    if options and options[0]["type"] == _SUBCOMMAND:
        path.append(options[0]["name"])
        options = options[0].get("options") or []
    spec = table.get(" ".join(path))
    if spec is None or spec.menu or not offered(spec):
        return None
    focused = next((one for one in options if one.get("focused")), {"name": "", "value": ""})
    given = {one["name"]: one["value"] for one in options if not one.get("focused")}
    names = {one.name: one.type for one in spec.parameters}
    if not all(type(value) is names.get(name) for name, value in given.items()):
        return None
    missing = [one for one in spec.parameters if one.required and one.name not in given]
    if focused["name"] not in names if focused["name"] else missing:
        return None
    return ParsedCall(spec, given, focused["name"], str(focused["value"]))


def called_by_button(custom_id: str, table: Mapping[str, CommandSpec]) -> ParsedCall | None:
    """Parse a button's id; None if the table no longer has the command."""
    command, argument = pressed(custom_id) or ("", "")
    spec = table.get(command)
    if spec is None:
        return None
    if not spec.parameters:
        return ParsedCall(spec, {})
    first = spec.parameters[0]
    value = value_of(first, argument)
    return None if value is None else ParsedCall(spec, {first.name: value})


def value_of(parameter: Parameter, text: str) -> str | int | None:
    """Convert text to the value of a string or integer parameter, None if it is invalid."""
    if parameter.type is int:
        return int(text) if text.isdecimal() else None
    return text if parameter.type is str else None


@dataclass(frozen=True, slots=True)
class CallAddress:
    """Where to answer a call, valid for fifteen minutes. `heard_at` is in microseconds UTC; the token is a secret.

    `private` means only the caller reads the answer; `caller` is their account, 0 in what earlier versions wrote.
    """

    application: int
    interaction: int
    token: str = field(repr=False)
    heard_at: int
    private: bool
    caller: int = 0

    def text(self) -> str:
        """Serialize the address."""
        fields = [self.application, self.interaction, self.token, self.heard_at, self.private, self.caller]
        return _PREFIX + json.dumps(fields)

    def late(self, now: int) -> bool:
        """Return whether the fifteen minutes are over."""
        return now - self.heard_at > _LIFE


def read_address(text: str) -> CallAddress | None:
    """Parse an address written by `text`; None if the string is a message id, or empty."""
    if not text.startswith(_PREFIX):
        return None
    return CallAddress(*json.loads(text.removeprefix(_PREFIX)))


def data_of(interaction: discord.Interaction) -> Mapping[str, Any]:
    """Return the raw data of a call."""
    data: Any = interaction.data
    return data or {}


def place_of(client: discord.Client, interaction: discord.Interaction, gate: Callable[[str], str]) -> Place | None:
    """Return where a call was made, None if it is unknown who reads there."""
    channel = interaction.channel
    if interaction.guild_id is None:
        own = isinstance(channel, discord.DMChannel) and interaction.context.dm_channel
        return readers.place(channel, gate) if own and channel else None
    # The channel in an interaction lacks its overwrites: only the gateway's tells who reads it.
    guild = client.get_guild(interaction.guild_id)
    if guild is None or guild.unavailable or channel is None:
        return None
    known = channel.parent if isinstance(channel, discord.Thread) else guild.get_channel(channel.id)
    return readers.place(channel, gate) if known is not None else None


async def own_place(interaction: discord.Interaction, gate: Callable[[str], str]) -> tuple[discord.DMChannel, Place] | None:
    """Return the caller's DM, created if need be; None if there cannot be one."""
    with suppress(*TROUBLE):
        dm = await interaction.user.create_dm()
        return dm, readers.place(dm, gate)
    return None


def target_of(interaction: discord.Interaction, place: Place, channel: object) -> Message | None:
    """Return the message whose menu was used, as one said at a place, in its channel; None if there is none."""
    data, me = data_of(interaction), interaction.client.user
    raw = data.get("resolved", {}).get("messages", {}).get(data.get("target_id"))
    if raw is None or me is None or not isinstance(channel, _Speaking):
        return None
    return convert.message(discord.Message(state=interaction._state, channel=channel, data=raw), place, me)


def own_words(interaction: discord.Interaction, dm: discord.DMChannel, place: Place) -> Message | None:
    """Return what the caller said where Lyra is absent, without anybody else's words; None if another said it."""
    said = target_of(interaction, place, dm)
    if said is None or said.person.id != str(interaction.user.id):
        return None
    return replace(said, quoted=None, attachments=(), forwards=())
