"""Options shared by several commands, and how a command is run."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, NoReturn

import typer

from bot.errors import Cancelled
from bot.imports import imported
from localization.sentences import _
from memory.text.sanitize import clean
from memory.types import MOST_NAME


class _NotGiven(str):
    """The type of an option or argument that was not given, as opposed to one given empty."""


NOT_GIVEN = _NotGiven("")


def words(given: str) -> str:
    """Return typed text in storable form: invalid UTF-8 becomes U+FFFD. Raises BadParameter if empty."""
    words = clean(given)
    if not (words.strip() or isinstance(given, _NotGiven)):
        raise typer.BadParameter(_("it is empty"))
    return words


def file(given: str) -> str:
    """Return the path of a typed file name. Raises BadParameter if empty."""
    if not (given.strip() or isinstance(given, _NotGiven)):
        raise typer.BadParameter(_("it is empty"))
    return given


def name(given: str) -> str:
    """Return a typed name. Raises BadParameter for one that no list could show."""
    name = words(given)
    if len(name) > MOST_NAME or len(name.splitlines()) > 1:
        raise typer.BadParameter(_("a name is one line of at most {most} characters.", most=MOST_NAME))
    return name


def argument(metavar: str, help: str, parser: Callable[[str], str] = words) -> Any:
    """Return the typer declaration of a typed argument."""
    return typer.Argument(metavar=metavar, parser=parser, help=help)


def option(name: str, metavar: str, help: str, parser: Callable[[str], str] = words) -> Any:
    """Return the typer declaration of an option that takes words."""
    return typer.Option(name, metavar=metavar, parser=parser, help=help)


def say_version(wanted: bool) -> None:
    """Print the version if asked for, and exit."""
    if wanted:
        print(f"lyra {imported('importlib.metadata:version')('lyra-companion')}")
        raise typer.Exit


As = Annotated[str, option("--as", "NAME", "Speak as this person; by default, as you on this machine.", name)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
OneSession = Annotated[str, option("--session", "NAME", "Only this conversation.", name)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]


def execute(work: str, *arguments: object, **options: object) -> NoReturn:
    """Import and run a command, given as module:function, and exit with its exit code, 0 where it returns none.

    Raises Cancelled at Ctrl-C.
    """
    # Nothing that gets loaded is garbage, and repeated collections would take 70 ms.
    gc.disable()
    do: Callable[..., Coroutine[Any, Any, int | None]] = imported(work)
    gc.freeze()
    gc.enable()
    try:
        code = asyncio.run(do(*arguments, **options))
    except KeyboardInterrupt:
        raise Cancelled("Stopped.") from None
    raise typer.Exit(code or 0)
