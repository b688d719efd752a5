"""Running the command line: its help and typer's own texts in the current language, one clear sentence on failure, and an exit code."""

import errno
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from io import TextIOWrapper
from typing import Any

import typer
from typer.exceptions import Abort, Exit, TyperException

from adapters.errors import PlatformFailure
from adapters.markup import printable
from bot.cli.main import cli
from bot.cli.output import system_failure
from bot.config.language import terminal_language
from bot.errors import FAILED, BadConfig, BadSecret, Cancelled, LyraError, code_until_changed
from bot.printing import OutputUnwritable, note
from localization.current_language import ENGLISH, current, read_in
from localization.formatting import listed
from localization.sentences import _, marked, told
from memory.errors import MemoryFailure

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
_MOST = 200
_ENDLESS = re.compile(rf"\S{{{_MOST},}}")
"""A typed word too long to be worth repeating."""
DONE, MISUSED, STOPPED = 0, 2, 130


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


def run_cli() -> int:
    """Run the command line; return 0 (done), 1 (failed), 2 (wrong usage) or 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A name that is not UTF-8 is printed with a replacement character rather than refused.
            stream.reconfigure(errors="replace")
    read_in(terminal_language(os.environ))
    try:
        code = _called()
        # What was printed last is written only now.
        sys.stdout.flush()
    except OSError as error:
        return _explain(error)
    return code


def _called() -> int:
    try:
        return int(localized(cli)(standalone_mode=False) or DONE)
    except Exit as ended:
        return ended.exit_code
    except TyperException as error:
        return _misused(error)
    except Cancelled as error:
        return _say(told(error), STOPPED)
    except (Abort, KeyboardInterrupt):
        return STOPPED
    except BaseExceptionGroup as group:
        return _explain(_first(group))
    except (LyraError, MemoryFailure, PlatformFailure, OSError) as error:
        return _explain(error)


def _misused(error: TyperException) -> int:
    """Explain wrong usage in one sentence that points to --help; show the help itself if no arguments were given."""
    context = getattr(error, "ctx", None)
    called = context.command_path if context else "lyra"
    if context and not context.args and type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help())
        return DONE
    sentence = " ".join(getattr(error, "format_message", error.__str__)().split())
    return _say(
        _("{text} See: {command} --help", text=localized_misuse(sentence), command=called) if sentence else "",
        getattr(error, "exit_code", MISUSED),
    )


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _explain(error: BaseException) -> int:
    if isinstance(error, BadConfig | BadSecret):
        return _say(told(error), code_until_changed(os.environ))
    if isinstance(error, LyraError | MemoryFailure | PlatformFailure):
        return _say(told(error), FAILED)
    if isinstance(error, OutputUnwritable):
        # What is left of the output goes to the null device, so that the interpreter does not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        # The reader of our output is gone, and wants no more.
        return FAILED
    if isinstance(error, OSError):
        return _say(system_failure(error), FAILED)
    raise error


def _say(sentence: str, code: int) -> int:
    """Print a sentence as a single line, whatever it contains."""
    line = printable(" ".join(sentence.splitlines()))
    note(_ENDLESS.sub(lambda word: f"{word[0][:_MOST]}…", line))
    return code
