"""`lyra link` and `lyra unlink`: the conversation's commands, run once at this terminal."""

from collections.abc import Callable, Mapping

from adapters.command_table import CommandSpec
from adapters.console.console import Console, Origin
from adapters.events import Person
from bot.app import open_app
from bot.cli.output import read_answer
from bot.printing import note, show
from bot.talk import talking


async def run_command(as_: str, command: str) -> int:
    """Run a command, print its answer, and ask its follow-up questions."""
    async with open_app() as app:
        name = as_ or app.base.environment.user
        person = Person("console", name, name)
        thread = await app.domains.thread_of(await app.view(name), "main")
        screen = _OneLine(command, failed=lambda: talk.commands.refused > 0)
        console = Console(screen, person, thread, Origin(app.base.ids.new, app.base.clock.now), "main")
        async with talking(app, {console.platform: console}) as talk:
            await console.run(talk.listeners[console.platform])
        return 1 if talk.commands.refused else 0


class _OneLine:
    """A console screen on which one command is typed, followed by the answers to its questions."""

    prefix = ""
    refused = 0
    reads_ahead = False

    def __init__(self, command: str, failed: Callable[[], bool]) -> None:
        self._command = command
        self._failed = failed
        self._sign = "/"

    def set_commands(self, prefix: str, table: Mapping[str, CommandSpec]) -> None:
        self._sign = prefix

    async def read(self, question: str = "") -> str | None:
        """Return the command, then end of input; for a question, return what is typed or piped. Raises Cancelled at Ctrl-C."""
        if question:
            return read_answer(question) or None
        command, self._command = self._command, ""
        return f"{self._sign}{command}" if command else None

    def write(self, text: str) -> None:
        """Print an answer; why the command failed, on standard error."""
        (note if self._failed() else show)(text)

    def show(self, text: str) -> None:
        """Do nothing: answers are printed whole."""

    def note(self, text: str) -> None:
        note(text)
