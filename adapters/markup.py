"""Parsing of typed commands, and cleaning and measuring of outgoing text."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from adapters.command_table import CommandSpec, Parameter
from adapters.errors import CommandUnclear
from localization.sentences import Said, Sentence, _, lazy
from localization.yes_or_no import NO, YES

_KEPT = {"\n", "\t"}
_JOINERS = {"\u200c", "\u200d"}
_YES = YES | {"on", "true"}
_NO = NO | {"off", "false"}
_ENDS = ".,:;!?"
_LONGEST_NAME = 40
_MOST_DIGITS = 9
_QUOTES = " \t\n\"'`“”„‟‘’‚«»‹›"
_BREAKS = re.compile("\r\n|[\u2028\u2029]")
_MARKS = "*_~`<&\\|["


def printable(text: str) -> str:
    """Return text without characters that could move a cursor, hide text or reverse it: controls, bidi marks, tags."""
    if text.isprintable():
        return text
    visible = (
        c for c in _BREAKS.sub("\n", text) if c in _KEPT or c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return "".join(visible)


def count_marks(text: str) -> int:
    """Return how many characters may be inline Markdown marks; parsing time grows with their number."""
    return sum(text.count(mark) for mark in _MARKS)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units, as platforms count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def typed_prefix(prefix: str) -> str:
    """Return the prefix of commands as it is typed: one that is a word is separated from the command by a space."""
    return f"{prefix} " if prefix[-1:].isalnum() else prefix


def command_name(line: str, prefix: str) -> str | None:
    """Return the name of the command that a line calls, known or not; None if it calls none.

    The prefix is case-insensitive. After a mark such as ! the name must follow directly: "!!!" and "! well" are talk.
    """
    if not prefix or line[: len(prefix)].casefold() != prefix.casefold():
        return None
    rest = line[len(prefix) :].lstrip() if prefix[-1].isspace() else line[len(prefix) :]
    return rest.split()[0].rstrip(_ENDS).casefold() if rest[:1].isalpha() else None


def knows(table: Mapping[str, CommandSpec], name: str) -> bool:
    """Return whether a table has a command of this name, or one with subcommands."""
    return any(_family(spec) == name for spec in table.values())


def parse_command(
    line: str, prefix: str, table: Mapping[str, CommandSpec], *, answering: bool | None = None
) -> tuple[CommandSpec, dict[str, str | int | bool]] | None:
    """Parse a line as a command of the table; None if it is not one. Raises CommandUnclear.

    If a line names no subcommand, the first in the table is meant. `answering` says whether the line replies to a message,
    which is then what a command of a message's menu is about; None if lines cannot reply.
    """
    name = command_name(line, prefix)
    if name is None:
        return None
    family = [spec for spec in table.values() if _family(spec) == name and not (spec.menu and answering is None)]
    if not family:
        raise CommandUnclear(_unknown(name, prefix, table, answering=answering))
    spec, words = _matching_command(family, line[len(prefix) :].split()[1:], prefix, answering=bool(answering))
    if spec.menu and not answering:
        raise CommandUnclear("{prefix}{name} is said in answer to the message that it is about.", prefix=prefix, name=spec.name)
    return spec, _arguments(spec, words, prefix)


def _matching_command(
    family: Sequence[CommandSpec], words: Sequence[str], prefix: str, *, answering: bool
) -> tuple[CommandSpec, Sequence[str]]:
    first = _folded(words[:1])
    for spec in family:
        if words and spec.name.split()[1:] == first:
            return spec, words[1:]
    about_this = next((spec for spec in family if spec.menu), None)
    if answering and about_this and first in ([], ["this"]):
        return about_this, ()
    if first and (near := _mistyped(family, first[0])):
        name = _family(family[0])
        raise CommandUnclear(_no_such(f"{name} {abridged(words[0])}", f"{name} {near}", prefix))
    return family[0], words


_LIKE = 0.7
"""The least similarity, of 1, between a typo and the word meant; a different word is less similar."""


def _mistyped(family: Sequence[CommandSpec], word: str) -> str:
    """Return the subcommand or choice that a word is a typo of, '' if it has its own meaning or resembles none."""
    choice = next((parameter for parameter in family[0].parameters if not parameter.named), None)
    if choice is None or choice.open or not choice.choices or word in choice.choices:
        return ""
    parts = [spec.name.split()[1] for spec in family if " " in spec.name]
    return next(iter(get_close_matches(word, [*parts, *choice.choices], 1, _LIKE)), "")


def _unknown(name: str, prefix: str, table: Mapping[str, CommandSpec], *, answering: bool | None) -> Sentence:
    offered = [spec for spec in table.values() if not (spec.menu and answering is None)]
    # "/correct" is no slip of "/forget", but part of "/memory correct".
    within = [spec.name for spec in offered if spec.name.partition(" ")[2] == name]
    return _no_such(abridged(name), next(iter(within or get_close_matches(name, map(_family, offered), 1)), ""), prefix)


def _no_such(shown: str, near: str, prefix: str) -> Sentence:
    if near:
        return lazy("There is no {prefix}{shown}; did you mean {prefix}{near}?", prefix=prefix, shown=shown, near=near)
    return lazy("There is no {prefix}{shown}. {prefix}help shows what there is.", prefix=prefix, shown=shown)


def abridged(name: str) -> str:
    """Return what was typed as an error names it: whatever its length, it is not repeated whole."""
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def _family(spec: CommandSpec) -> str:
    return spec.name.split()[0]


def _arguments(spec: CommandSpec, words: Sequence[str], prefix: str) -> dict[str, str | int | bool]:
    named = {parameter.name: parameter for parameter in spec.parameters if parameter.named}
    rest: list[str] = []
    said: dict[str, list[str]] = {}
    into = rest
    for word in words:
        name, colon, value = word.partition(":")
        if colon and name in named:
            said[name] = [value] if value else []
            into = said[name] if named[name].rest else rest
        else:
            into.append(word)
    found = {name: _value(spec, named[name], " ".join(some), prefix) for name, some in said.items()}
    for parameter in spec.parameters:
        if parameter.named:
            continue
        if not rest:
            if parameter.required:
                raise CommandUnclear(_needed(spec, parameter, prefix))
            break
        taken = len(rest) if parameter.rest else _length(parameter, rest)
        word, rest = " ".join(rest[:taken]), rest[taken:]
        found[parameter.name] = _value(spec, parameter, word, prefix)
    if rest:
        raise CommandUnclear(
            '{prefix}{name} does not know what to do with "{left}". {usage}',
            prefix=prefix,
            name=spec.name,
            left=abridged(" ".join(rest)),
            usage=usage(spec, prefix),
        )
    return found


def check_words(spec: CommandSpec, arguments: Mapping[str, str | int | bool], prefix: str) -> None:
    """Raise CommandUnclear if a required argument consists of nothing but quotation marks."""
    for parameter in spec.parameters:
        value = arguments.get(parameter.name)
        if parameter.required and isinstance(value, str) and not value.strip(_QUOTES):
            raise CommandUnclear(_needed(spec, parameter, prefix))


def _needed(spec: CommandSpec, parameter: Parameter, prefix: str) -> Sentence:
    return lazy(
        "{prefix}{name} needs {parameter}: {help}. {usage}",
        prefix=prefix,
        name=spec.name,
        parameter=_label(parameter),
        help=parameter.help,
        usage=usage(spec, prefix),
    )


def _length(parameter: Parameter, words: Sequence[str]) -> int:
    """Return how many words a value takes: those of the longest choice that they start with."""
    lengths = (len(choice.split()) for choice in parameter.choices if choice.split() == _folded(words)[: len(choice.split())])
    return max(lengths, default=1)


def _folded(words: Sequence[str]) -> list[str]:
    return [word.casefold() for word in words]


def _value(spec: CommandSpec, parameter: Parameter, word: str, prefix: str) -> str | int | bool:
    about: dict[str, Said] = {"prefix": prefix, "name": spec.name, "parameter": _label(parameter), "usage": usage(spec, prefix)}
    if parameter.type is bool:
        if word.casefold() not in _YES | _NO:
            raise CommandUnclear("{prefix}{name}: {parameter} is yes or no. {usage}", **about)
        return word.casefold() in _YES
    if parameter.type is int:
        if not word.isdecimal() or len(word) > _MOST_DIGITS:
            raise CommandUnclear("{prefix}{name}: {parameter} is a whole number. {usage}", **about)
        return int(word)
    if parameter.choices and not parameter.open and word.casefold() not in parameter.choices:
        known = ", ".join(parameter.choices)
        raise CommandUnclear("{prefix}{name}: {parameter} is one of {known}. {usage}", **about, known=known)
    return word.casefold() if parameter.choices else word


def usage(spec: CommandSpec, prefix: str) -> str:
    """Return how a command is called, as a sentence: 'Usage: /recall QUERY'."""
    return _("Usage: {form}", form=form(spec, prefix))


def form(spec: CommandSpec, prefix: str) -> str:
    """Return how a command is called: /recall QUERY."""
    return " ".join([prefix + spec.name, *(_usage_of(parameter) for parameter in spec.parameters)])


def _usage_of(parameter: Parameter) -> str:
    if parameter.named:
        value = "N" if parameter.type is int else "yes" if parameter.type is bool else _placeholder(parameter)
        return f"[{parameter.name}:{value}]"
    return f"{_placeholder(parameter)}" if parameter.required else f"[{_placeholder(parameter)}]"


def _label(parameter: Parameter) -> Said:
    return parameter.name if parameter.named else _placeholder(parameter)


def _placeholder(parameter: Parameter) -> Said:
    return parameter.value or parameter.name.upper()
