"""Text on its way out, and commands on their way in."""

import unicodedata
from collections.abc import Mapping, Sequence

from adapters.base import CommandSpec
from adapters.errors import CommandUnclear

_KEPT = {"\n", "\t"}
_JOINERS = {"\u200c", "\u200d"}


def printable(text: str) -> str:
    """Return text without what could move a cursor, hide or turn around what is read: controls, bidi marks, tags."""
    kept = (
        c for c in text.replace("\r\n", "\n") if c in _KEPT or c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return "".join(kept)


def parse_command(line: str, prefix: str, table: Mapping[str, CommandSpec]) -> tuple[CommandSpec, dict[str, str | int]] | None:
    """Read a line as a command of the table; None where it is not one. Raises CommandUnclear."""
    if not line.startswith(prefix) or not line[len(prefix) : len(prefix) + 1].isalpha():
        return None
    name, _, rest = line[len(prefix) :].partition(" ")
    spec = table.get(name.casefold())
    if spec is None:
        raise CommandUnclear(f"There is no {prefix}{name}. {prefix}help shows what there is.")
    return spec, _arguments(spec, rest.split(), prefix)


def _arguments(spec: CommandSpec, words: Sequence[str], prefix: str) -> dict[str, str | int]:
    left = list(words)
    found: dict[str, str | int] = {}
    for parameter in spec.parameters:
        if not left:
            if parameter.required:
                raise CommandUnclear(f"{prefix}{spec.name} needs {parameter.name}: {parameter.help}. {usage(spec, prefix)}")
            break
        word = " ".join(left) if parameter.rest else left[0]
        left = [] if parameter.rest else left[1:]
        if parameter.type is int and not word.isdecimal():
            raise CommandUnclear(f"{prefix}{spec.name}: {parameter.name} is a whole number. {usage(spec, prefix)}")
        found[parameter.name] = int(word) if parameter.type is int else word
    if left:
        raise CommandUnclear(f'{prefix}{spec.name} does not know what to do with "{" ".join(left)}". {usage(spec, prefix)}')
    return found


def usage(spec: CommandSpec, prefix: str) -> str:
    """Return how a command is called, as 'Usage: /recall QUERY'."""
    words = [p.name.upper() if p.required else f"[{p.name.upper()}]" for p in spec.parameters]
    return f"Usage: {' '.join([prefix + spec.name, *words])}"
