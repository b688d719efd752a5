"""The commands that set her up and change how she is set up, with their words; what each does is loaded when it is called."""

from typing import Annotated

import typer

from bot.cli import options
from localization.sentences import _


def model(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            parser=options.words,
            help="ollama, llamacpp, vllm, lmstudio, or a URL; off; config: as configured; reload: read the configuration again.",
        ),
    ] = options.NOT_GIVEN,
    which: Annotated[str, typer.Argument(metavar="MODEL", parser=options.words, help="Which of its models.")] = options.NOT_GIVEN,
    tries: Annotated[bool, typer.Option("--try", help="Have it say a few words, and say how they come.")] = False,
    yes: options.Yes = False,
) -> None:
    """See, connect or try the model that Lyra converses with.

    A Lyra who is awake goes on with it at once."""
    options.run("bot.setup.model_command:model", name, which, yes=yes, tries=tries)


def persona(
    file: Annotated[
        str, typer.Argument(metavar="FILE", parser=options.file, help="A text that says who she is; - reads standard input.")
    ] = options.NOT_GIVEN,
    edit: Annotated[bool, typer.Option("--edit", help="Change it in your editor.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the one that comes with her.")] = False,
    tries: Annotated[bool, typer.Option("--try", help="Have her say who she is, with the model that serves.")] = False,
) -> None:
    """See, set or try who Lyra is.

    A Lyra who is awake is so from her next answer on."""
    if bool(file) + edit + reset > 1:
        raise typer.BadParameter(_("name a file, or say --edit or --reset, not several"))
    options.run("bot.setup.persona_command:persona", file, edit=edit, reset=reset, tries=tries)


def update(
    ask: Annotated[bool, typer.Option("--ask", help="Ask the package registry which version is the newest.")] = False,
) -> None:
    """Say which version this is, what is new, and how to update.

    Nothing is asked of any server without --ask."""
    options.run("bot.setup.updating:update", ask=ask)


def setup() -> None:
    """Set Lyra up, or change how she is set up.

    Asks the few questions (language, time zone, model, platforms), tries every answer, and writes the commented configuration, shown first.
    Answers may be piped, a line each."""
    options.run("bot.setup.setup:setup")
