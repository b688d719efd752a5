"""Translation of the command line: the help of each command, and typer's own texts."""

import inspect
import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from typing import Any

import typer

from localization.current_language import ENGLISH, current
from localization.formatting import listed
from localization.sentences import _, marked

_WORDS = (
    marked("Usage:"), marked("Arguments:"), marked("Options:"), marked("Commands:"), marked("Show this message and exit."),
    marked("[required]"), marked("[default:"), marked("[OPTIONS]"), marked("COMMAND [ARGS]..."),
)  # fmt: skip
"""typer's headings in every help."""

_ABOUT_AS_NEAR = 0.2
"""How much less similar than the nearest match, of 1, a name may be and still be suggested."""

_METAVARS = (
    marked("NAME"), marked("NUMBER"), marked("SECONDS"), marked("TOPIC"), marked("TIME"), marked("QUERY"), marked("ID"),
    marked("ID TEXT"), marked("FILE"), marked("SESSION"), marked("PART"), marked("MODEL"), marked("CODE"), marked("FORMAT"),
)  # fmt: skip
"""The placeholders of arguments in a help text."""

_INVALID = r"Invalid value for (?P<name>.+?): "
_MISUSES = (
    (r"No such command (?P<name>.+?)\. Did you mean (?P<near>.+)\?", marked("No such command {name}. Did you mean {near}?")),
    (r"No such command (?P<name>.+?)", marked("No such command {name}")),
    (r"Missing command", marked("Missing command")),
    (r"Missing argument (?P<argument>.+?)", marked("Missing argument {name}")),
    (r"Missing option (?P<name>.+?)", marked("Missing option {name}")),
    (r"No such option: (?P<name>\S+) \(Possible options: (?P<near>.+)\)", marked("No such option: {name}. Did you mean {near}?")),
    (r"No such option: (?P<name>\S+)", marked("No such option: {name}")),
    (r"Option (?P<name>.+) requires an argument", marked("Option {name} requires an argument")),
    (r"Option (?P<name>.+) does not take a value", marked("Option {name} does not take a value")),
    (
        r"Got unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)",
        marked('"{words}" was not expected here; words that belong together need quotation marks'),
    ),
    (_INVALID + r"Input should be a valid integer\b.*", marked("Invalid value for {name}: not a whole number")),
    (_INVALID + r"Input should be a valid\b.*", marked("Invalid value for {name}: not a number")),
    (_INVALID + r"Input should be greater than or equal to (?P<least>\S+)", marked("Invalid value for {name}: at least {least}")),
    (_INVALID + r"Input should be less than or equal to (?P<most>\S+)", marked("Invalid value for {name}: at most {most}")),
    (
        _INVALID + r"Value error, (?P<value>.+) is not one of (?P<values>.+)",
        marked("Invalid value for {name}: {value} is not one of {values}"),
    ),
    (_INVALID + r"(?P<reason>.+)", marked("Invalid value for {name}: {reason}")),
)
"""typer's messages about wrong usage, without the full stop, and their wording for people."""
_OUR_OWN = "Invalid value: "
"""typer's prefix before a message that a command itself gives about an argument."""


def localized(cli: typer.Typer) -> Callable[..., Any]:
    """Return the command line, with its help in the current language."""
    root = typer.main.get_command(cli)
    for one in _tree(root):
        if current() != ENGLISH:
            _localize(one)
        _simplify(one)
    return root


def localized_misuse(sentence: str) -> str:
    """Translate typer's message about wrong usage into the current language."""
    plain = sentence.rstrip(".").removeprefix(_OUR_OWN)
    found = ((re.fullmatch(pattern, plain), said) for pattern, said in _MISUSES)
    text = next((_(said, **_shown_values(match.groupdict())) for match, said in found if match), plain)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _shown_values(values: dict[str, str]) -> dict[str, str]:
    """Return the values of typer's message as people are shown them."""
    if "argument" in values:
        return {"name": values["argument"].upper()}
    return {**values, "near": _alternatives(values["name"], values["near"])} if "near" in values else values


def _alternatives(name: str, near: str) -> str:
    """Return the suggestions quoted by typer that are nearly as similar as the best one, joined: json or session."""
    likeness = {
        one: SequenceMatcher(None, name.strip("'"), one).ratio() for one in (word.strip(" '") for word in near.split(","))
    }
    best = max(likeness.values())
    return listed([one for one, alike in likeness.items() if alike > best - _ABOUT_AS_NEAR], alternatives=True)


def _tree(root: Any) -> Iterator[Any]:
    yield root
    for one in getattr(root, "commands", {}).values():
        yield from _tree(one)


def _simplify(one: Any) -> None:
    """Simplify a help text: placeholders without types and braces, and commands listed with their full description."""
    if one.help:
        one.short_help = " ".join(inspect.cleandoc(one.help).partition("\n\n")[0].split())
    for parameter in one.params:
        if getattr(parameter, "min", None) is not None:
            parameter._get_number_range_help_str = lambda parameter=parameter: _range(parameter.min, parameter.max)
        if parameter.param_type_name == "argument":
            several = " ..." if parameter.nargs != 1 else ""
            shown = f"{parameter.metavar}{several}" if parameter.required else f"[{parameter.metavar}{several}]"
            parameter.display_type_rich = lambda ctx: ""
            parameter.get_usage_pieces = lambda ctx, shown=shown: [shown]


def _range(least: float, most: float | None) -> str:
    return _("{least} to {most}", least=least, most=most) if most is not None else _("at least {least}", least=least)


def _localize(one: Any) -> None:
    if one.help:
        one.help = _(inspect.cleandoc(one.help))
    for parameter in one.params:
        if getattr(parameter, "help", None):
            parameter.help = _(parameter.help)
        if parameter.metavar in _METAVARS:
            parameter.metavar = _(parameter.metavar)
    written = one.get_help
    one.get_help = lambda context: _with_words(written(context))


def _with_words(text: str) -> str:
    for word in _WORDS:
        text = re.sub(rf"(?m)(^|\s)({re.escape(word)})(?=\s|$)", lambda found, word=word: found[1] + _(word), text)  # type: ignore[misc]
    return text
