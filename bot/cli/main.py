"""The command line: the commands of `lyra`, their options and their help.

Each command is implemented in a module of its own, imported when it is called, so that every start loads only what it needs.
"""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import memory_commands, options
from bot.cli.options import NOT_GIVEN, As, Json, Yes, argument, execute, option
from bot.service.process_roles import Role
from localization.sentences import _

cli = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Lyra: a companion who lives where you talk, and remembers for years.",
)
matrix = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Manage Lyra's account on Matrix, and its keys.")
cli.add_typer(matrix, name="matrix")
key = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Manage the key of the memory.")
cli.add_typer(key, name="key")


@cli.callback()
def _lyra(
    version: Annotated[
        bool, typer.Option("--version", callback=options.say_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def chat(
    as_: As = NOT_GIVEN,
    session: Annotated[str, option("--session", "NAME", "Which conversation to go on with, or to begin.", options.name)] = "main",
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Show what the model is given, layer by layer.")] = False,
) -> None:
    """Talk to Lyra here.

    A line in, a reply out. Ctrl-D ends it; /help shows what else you can say."""
    execute("bot.cli.chat:chat", as_, session, show_prompt)


def run(
    role: Annotated[
        Role, typer.Option(help="What this process does where several share a memory in a database; by default, all of it.")
    ] = Role.ALL,
) -> None:
    """Keep Lyra awake, on every configured platform.

    Also does her housekeeping and serves the memory page on this machine, until Ctrl-C."""
    execute("bot.service.serve:serve", role)


def web(
    as_: As = NOT_GIVEN,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Whether to open the link in a browser here.")] = True,
) -> None:
    """Open the memory page in a browser.

    Prints a link that works once. If Lyra is not awake, this serves the page itself, with her to talk to, until Ctrl-C."""
    execute("bot.cli.web_command:web", as_, opens=open)


def status(json: Json = False) -> None:
    """Show how much is kept, and what is not summarized yet."""
    execute("bot.cli.status:status", json)


def logs(
    lines: Annotated[int, typer.Option("-n", metavar="NUMBER", min=1, max=100_000, help="How many lines.")] = 50,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Also show new lines as they come, until Ctrl-C.")] = False,
) -> None:
    """Show the latest lines of Lyra's log.

    What she did and what failed, with names and numbers; never what anybody said."""
    execute("bot.cli.logs:logs", lines, follow=follow)


def doctor() -> None:
    """Check every part, and say how to mend what is wrong."""
    execute("bot.cli.checkups.doctor:doctor")


def backup(file: Annotated[str, argument("FILE", "The new file to write.", options.file)]) -> None:
    """Copy the whole memory into one encrypted file.

    The copy is read back before it counts. It opens with the same key."""
    execute("bot.cli.storage:backup", Path(file))


def restore(file: Annotated[str, argument("FILE", "A backup.", options.file)], yes: Yes = False) -> None:
    """Replace the memory with a backup.

    The old memory is kept for a week. What was forgotten since the backup stays forgotten."""
    execute("bot.cli.storage:restore", Path(file), yes)


def move(
    to: Annotated[str, option("--to", "URL|file", '"postgresql://…", or "file" for back.')],
    password_env: Annotated[str, option("--password-env", "NAME", "The variable with the database's password.")] = NOT_GIVEN,
    yes: Yes = False,
) -> None:
    """Move the memory into a PostgreSQL database, or back into a file.

    Nothing else may use the memory meanwhile. All of it is read back row by row before the configuration names its new place. If it is cut off, the
    same command carries on. A database that already holds something is refused."""
    execute("bot.cli.storage:move", to, password_env, yes)


def privacy() -> None:
    """Print a privacy policy that fits your configuration, for you to publish.

    It says what is kept and for how long, which hosts receive words, and what people may ask for."""
    execute("bot.cli.status:privacy")


def link(
    code: Annotated[str, argument("CODE", "The code that she showed you elsewhere.")] = NOT_GIVEN, as_: As = NOT_GIVEN
) -> None:
    """Link another account of yours, so that Lyra knows that both are you.

    Without a code, you get one to tell her there; with one, you agree to what she asked there."""
    execute("bot.cli.link_command:run_command", as_, f"link {code}".strip())


def unlink(as_: As = NOT_GIVEN) -> None:
    """Unlink this account from the others."""
    execute("bot.cli.link_command:run_command", as_, "unlink")


def model(
    name: Annotated[
        str,
        argument(
            "NAME",
            "ollama, llamacpp, vllm, lmstudio, or a URL; off; config: as configured; reload: read the configuration again.",
        ),
    ] = NOT_GIVEN,
    which: Annotated[str, argument("MODEL", "Which of its models.")] = NOT_GIVEN,
    tries: Annotated[bool, typer.Option("--try", help="Have it say a few words, and say how they come.")] = False,
    yes: Yes = False,
) -> None:
    """See, connect or try the model that Lyra talks with.

    If Lyra is awake, she goes on with it at once."""
    execute("bot.setup.model_command:model", name, which, yes=yes, tries=tries)


def persona(
    file: Annotated[str, argument("FILE", "A text that says who she is; - reads standard input.", options.file)] = NOT_GIVEN,
    edit: Annotated[bool, typer.Option("--edit", help="Change it in your editor.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the one that comes with her.")] = False,
    tries: Annotated[bool, typer.Option("--try", help="Have her say who she is, with the model that serves.")] = False,
) -> None:
    """See, change or try out who Lyra is.

    If Lyra is awake, it counts from her next answer on."""
    if bool(file) + edit + reset > 1:
        raise typer.BadParameter(_("name a file, or say --edit or --reset, not several"))
    execute("bot.setup.persona_command:persona", file, edit=edit, reset=reset, tries=tries)


def update(
    ask: Annotated[bool, typer.Option("--ask", help="Ask the package registry which version is the newest.")] = False,
) -> None:
    """Show which version this is, what is new, and how to update.

    No server is asked anything without --ask."""
    execute("bot.setup.updating:update", ask=ask)


def setup(
    large: Annotated[
        bool,
        typer.Option(
            "--large", help="Only fetch the large local model (1.2 GB), which finds more in every language, and use it."
        ),
    ] = False,
    source: Annotated[
        str, typer.Option("--from", metavar="FOLDER", help="With --large: the model's published files, instead of fetching them.")
    ] = NOT_GIVEN,
) -> None:
    """Set Lyra up, or change how she is set up.

    Asks a few questions (language, time zone, model, platforms), tries every answer, and writes a commented configuration, which you see first.
    You can also pipe in the answers, one a line."""
    if large:
        execute("bot.setup.large_model:large", source)
        return
    if source:
        raise typer.BadParameter(_("--from goes with --large"))
    execute("bot.setup.setup:setup")


@key.command("rotate")
def rotate() -> None:
    """Give the memory a new key, and encrypt it with that.

    Nothing else may use the memory meanwhile. Earlier backups open with the old key, which is kept beside the new one."""
    execute("bot.cli.storage:rotate")


@matrix.command("login")
def login() -> None:
    """Sign her in to Matrix.

    Where the homeserver lets accounts in on a page, this shows where, and waits until you agreed there. Her device and keys stay."""
    execute("bot.cli.matrix_commands:login")


@matrix.command("recovery-key")
def recovery_key() -> None:
    """Print the key by which another client of her account can verify her. It is a secret."""
    execute("bot.cli.matrix_commands:recovery_key")


@matrix.command("verify")
def verify() -> None:
    """Compare the emoji of somebody who verifies her, here where nobody can change what you see.

    Shows what waits and asks whether their app shows the same; says who is verified where nothing waits. Works while she is awake."""
    execute("bot.cli.matrix_commands:verify")


@matrix.command("replace-identity")
def replace_identity() -> None:
    """Give her account a new cross-signing identity, in the place of one whose keys she does not have.

    Whoever verified her before has to verify her again."""
    execute("bot.cli.matrix_commands:replace_identity")


for command in (
    chat, run, web, memory_commands.import_, memory_commands.recall, memory_commands.sessions, memory_commands.summarize,
    memory_commands.dream, memory_commands.memory, memory_commands.forget, memory_commands.export, status, logs, model, persona,
    update, setup, doctor, backup, restore, move, privacy, link, unlink,
):  # fmt: skip
    # An underscore stands behind a name that Python keeps for itself.
    cli.command(command.__name__.rstrip("_"))(command)
