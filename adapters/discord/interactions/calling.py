"""Parses a call: which command of the table, with which arguments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.command_table import AnswerAudience, CommandSpec, Parameter
from adapters.discord.interactions.buttons import pressed
from adapters.discord.interactions.menu import offered

_MESSAGE_MENU = 3
_SUBCOMMAND = 1

Arguments = dict[str, str | int | bool]
_PREFIX = "call "
_LIFE = 15 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class Called:
    """A command with its arguments. While somebody types, `focused` is the parameter being typed, and `typed` its text."""

    spec: CommandSpec
    arguments: Arguments
    focused: str = ""
    typed: str = ""

    @property
    def private(self) -> bool:
        """Whether only the caller reads the answer."""
        return self.spec.answer is AnswerAudience.PRIVATE and not self.arguments.get("public")


def called(data: Mapping[str, Any], table: Mapping[str, CommandSpec]) -> Called | None:
    """Parse a command's data; None if the table has no such command, or not with these arguments."""
    if data.get("type") == _MESSAGE_MENU:
        spec = next((one for one in table.values() if one.menu and one.menu == data["name"]), None)
        return Called(spec, {}) if spec and offered(spec) else None
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
    if focused["name"] not in names if focused["name"] else _missing(spec, given):
        return None
    return Called(spec, given, focused["name"], str(focused["value"]))


def called_by_button(custom_id: str, table: Mapping[str, CommandSpec]) -> Called | None:
    """Parse a button's id; None if the table no longer has the command."""
    command, argument = pressed(custom_id) or ("", "")
    spec = table.get(command)
    if spec is None:
        return None
    if not spec.parameters:
        return Called(spec, {})
    first = spec.parameters[0]
    value = value_of(first, argument)
    return None if value is None else Called(spec, {first.name: value})


def value_of(parameter: Parameter, text: str) -> str | int | None:
    """Convert text to the value of a string or integer parameter, None if it is invalid."""
    if parameter.type is int:
        return int(text) if text.isdecimal() else None
    return text if parameter.type is str else None


def _missing(spec: CommandSpec, given: Arguments) -> bool:
    return any(one.required and one.name not in given for one in spec.parameters)


@dataclass(frozen=True, slots=True)
class Address:
    """Where to answer a call, valid for fifteen minutes. `heard_at` is in microseconds UTC; the token is a secret.

    `private` means only the caller reads the answer.
    """

    application: int
    interaction: int
    token: str = field(repr=False)
    heard_at: int
    private: bool

    def text(self) -> str:
        """Serialize the address."""
        return _PREFIX + json.dumps([self.application, self.interaction, self.token, self.heard_at, self.private])

    def late(self, now: int) -> bool:
        """Return whether the fifteen minutes are over."""
        return now - self.heard_at > _LIFE


def read_address(text: str) -> Address | None:
    """Parse an address written by `text`; None if the string is a message id, or empty."""
    if not text.startswith(_PREFIX):
        return None
    application, interaction, token, heard_at, private = json.loads(text.removeprefix(_PREFIX))
    return Address(application, interaction, token, heard_at, private)
