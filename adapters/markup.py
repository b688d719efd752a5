"""Text on its way out, and commands on their way in."""

import unicodedata
from collections.abc import Mapping, Sequence

from adapters.errors import CommandUnclear
from adapters.table import CommandSpec, Parameter

_KEPT = {"\n", "\t"}
_JOINERS = {"\u200c", "\u200d"}
_YES = {"yes", "on", "true", "y"}
_NO = {"no", "off", "false", "n"}


def printable(text: str) -> str:
    """Return text without what could move a cursor, hide or turn around what is read: controls, bidi marks, tags."""
    kept = (
        c for c in text.replace("\r\n", "\n") if c in _KEPT or c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return "".join(kept)


def parse_command(
    line: str, prefix: str, table: Mapping[str, CommandSpec]
) -> tuple[CommandSpec, dict[str, str | int | bool]] | None:
    """Read a line as a command of the table; None where it is not one. Raises CommandUnclear.

    Of a command with subcommands, the first in the table is meant where the line names none.
    """
    if not prefix or not line.startswith(prefix) or not line[len(prefix) : len(prefix) + 1].isalpha():
        return None
    name, *words = line[len(prefix) :].split()
    name = name.casefold()
    family = [spec for spec in table.values() if spec.name.split()[0] == name and not spec.menu]
    for spec in family:
        if words and spec.name.split()[1:] == [words[0].casefold()]:
            return spec, _arguments(spec, words[1:], prefix)
    if not family:
        raise CommandUnclear(f"There is no {prefix}{name}. {prefix}help shows what there is.")
    return family[0], _arguments(family[0], words, prefix)


def _arguments(spec: CommandSpec, words: Sequence[str], prefix: str) -> dict[str, str | int | bool]:
    named = {parameter.name: parameter for parameter in spec.parameters if parameter.named}
    left = [word for word in words if word.partition(":")[0] not in named or ":" not in word]
    found: dict[str, str | int | bool] = {}
    for word in words:
        name, colon, value = word.partition(":")
        if colon and name in named:
            found[name] = _value(spec, named[name], value, prefix)
    for parameter in spec.parameters:
        if parameter.named:
            continue
        if not left:
            if parameter.required:
                raise CommandUnclear(f"{prefix}{spec.name} needs {parameter.name}: {parameter.help}. {usage(spec, prefix)}")
            break
        word = " ".join(left) if parameter.rest else left[0]
        left = [] if parameter.rest else left[1:]
        found[parameter.name] = _value(spec, parameter, word, prefix)
    if left:
        raise CommandUnclear(f'{prefix}{spec.name} does not know what to do with "{" ".join(left)}". {usage(spec, prefix)}')
    return found


def _value(spec: CommandSpec, parameter: Parameter, word: str, prefix: str) -> str | int | bool:
    if parameter.type is bool:
        if word.casefold() not in _YES | _NO:
            raise CommandUnclear(f"{prefix}{spec.name}: {parameter.name} is yes or no. {usage(spec, prefix)}")
        return word.casefold() in _YES
    if parameter.type is int:
        if not word.isdecimal():
            raise CommandUnclear(f"{prefix}{spec.name}: {parameter.name} is a whole number. {usage(spec, prefix)}")
        return int(word)
    if parameter.choices and word.casefold() not in parameter.choices:
        known = ", ".join(parameter.choices)
        raise CommandUnclear(f"{prefix}{spec.name}: {parameter.name} is one of {known}. {usage(spec, prefix)}")
    return word.casefold() if parameter.choices else word


def usage(spec: CommandSpec, prefix: str) -> str:
    """Return how a command is called, as 'Usage: /recall QUERY'."""
    words = [_shown(parameter) for parameter in spec.parameters]
    return f"Usage: {' '.join([prefix + spec.name, *words])}"


def _shown(parameter: Parameter) -> str:
    if parameter.named:
        return (
            f"[{parameter.name}:{'N' if parameter.type is int else 'yes' if parameter.type is bool else parameter.name.upper()}]"
        )
    return parameter.name.upper() if parameter.required else f"[{parameter.name.upper()}]"
