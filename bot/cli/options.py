"""What several commands take, and how each is run."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, NoReturn

import typer

from bot.errors import Cancelled
from bot.imports import imported
from localization.sentences import _, lazy
from memory.text.storable import clean
from memory.types import MOST_NAME


class _NotGiven(str):
    """Nothing was said of an option or an argument, not even that it is empty."""


NOT_GIVEN = _NotGiven("")


def words(given: str) -> str:
    """Return what was typed as text that can be kept: bytes that are no UTF-8 become U+FFFD. Raises BadParameter where nothing was."""
    words = clean(given)
    if not (words.strip() or isinstance(given, _NotGiven)):
        raise typer.BadParameter(_("it is empty"))
    return words


def file(given: str) -> str:
    """Return the path of a file that was typed. Raises BadParameter where nothing was."""
    if not (given.strip() or isinstance(given, _NotGiven)):
        raise typer.BadParameter(_("it is empty"))
    return given


def name(given: str) -> str:
    """Return a name that was typed. Raises BadParameter for one that no list could show."""
    name = words(given)
    if len(name) > MOST_NAME or len(name.splitlines()) > 1:
        raise typer.BadParameter(_("a name is one line of at most {most} characters.", most=MOST_NAME))
    return name


def say_version(wanted: bool) -> None:
    """Say which version this is, where that is asked for, and end."""
    if wanted:
        print(f"lyra {imported('importlib.metadata:version')('lyra-companion')}")
        raise typer.Exit


As = Annotated[
    str, typer.Option("--as", metavar="NAME", parser=name, help="Speak as this person; by default, as you on this machine.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
OneSession = Annotated[str, typer.Option("--session", metavar="NAME", parser=name, help="Only this conversation.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]


def run(work: str, *arguments: object, **options: object) -> NoReturn:
    """Load the module of a command and do its work, given as module:function; end with its exit code. Raises Cancelled at Ctrl-C."""
    # Nothing of what is loaded is garbage, and looking again and again whether it is takes 70 ms.
    gc.disable()
    do: Callable[..., Coroutine[Any, Any, int]] = imported(work)
    gc.freeze()
    gc.enable()
    try:
        code = asyncio.run(do(*arguments, **options))
    except KeyboardInterrupt:
        raise Cancelled(lazy("Stopped.")) from None
    raise typer.Exit(code)
