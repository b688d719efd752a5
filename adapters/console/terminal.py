"""A screen with a line editor, Markdown, colours and an in-memory history."""

import asyncio
import atexit
import sys
import termios
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from shutil import get_terminal_size

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output.plain_text import PlainTextOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import is_dumb_terminal
from rich.console import Console, RenderableType
from rich.control import Control
from rich.live_render import LiveRender
from rich.segment import ControlType
from rich.text import Text

from adapters.command_table import CommandSpec
from adapters.console.pipe import LEAVING, MOST_BYTES
from adapters.console.rendering import Indented, Tail, markdown, wrapped
from localization.sentences import _

_NAMED = frozenset({("new", "name"), ("summarize", "session")})
"""The parameters, each with its command, that are the name of a conversation."""
_LEAVE = "quit"


class CommandCompleter(Completer):
    """Completes commands after the prefix; `names` returns the names of conversations."""

    def __init__(self, prefix: str, table: Mapping[str, CommandSpec], names: Callable[[], Awaitable[Sequence[str]]]) -> None:
        self._prefix = prefix
        self._table = {spec.name: spec for spec in table.values() if not (spec.hidden or spec.menu)}
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Return nothing: names are looked up asynchronously."""
        return ()

    async def get_completions_async(self, document: Document, complete_event: CompleteEvent) -> AsyncGenerator[Completion, None]:
        """Yield completions of the word at the cursor."""
        line = document.text_before_cursor
        if not line.startswith(self._prefix):
            return
        typed = line.removeprefix(self._prefix)
        for command in sorted({*self._table, _LEAVE}):
            if command.startswith(typed) and command != typed:
                yield Completion(command, -len(typed))
        spec = self._meant(typed)
        if spec is None:
            return
        rest = typed.removeprefix(spec.name).lstrip()
        first = next((one for one in spec.parameters if not one.named), None)
        values = first.choices if first else ()
        if first and (spec.name, first.name) in _NAMED:
            values = tuple(await self._names())
        for value in dict.fromkeys(values):
            if value.casefold().startswith(rest.casefold()) and value != rest:
                yield Completion(value, -len(rest))

    def _meant(self, typed: str) -> CommandSpec | None:
        """Return the command that a line names, the longest name first: `memory about` before `memory`."""
        names = sorted((name for name in self._table if typed.startswith(f"{name} ")), key=len)
        return self._table[names[-1]] if names else None


_LEAVING = LEAVING | {"quit", "exit"}
_REFRESH_SECONDS = 0.05
_NAME = "lyra › "
_BEGIN_LINE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))


class Terminal:
    """A terminal with a line editor."""

    def __init__(self, history: Sequence[str], names: Callable[[], Awaitable[Sequence[str]]], *, colour: bool) -> None:
        """Prepare; the arrow keys offer the `history`, and Tab commands and `names`."""
        if isinstance(sys.stdin, TextIOWrapper):
            # Input is read as UTF-8, whatever the locale; an invalid byte becomes a lone surrogate.
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        self.prefix = f"\x1b[36m{_NAME}\x1b[0m" if colour else _NAME
        self.refused = 0
        self.reads_ahead = False
        atexit.register(_echo, on=True)
        self._names = names
        self._console = _console(colour=colour)
        self._session = _session(InMemoryHistory(list(history)), self._keys())
        self._asks = False
        self._text = ""
        self._live: LiveRender | None = None
        self._refreshing: asyncio.TimerHandle | None = None

    def set_commands(self, prefix: str, table: Mapping[str, CommandSpec]) -> None:
        self._session.completer = CommandCompleter(prefix, table, self._names)

    async def read(self, question: str = "") -> str | None:
        self._asks = bool(question)
        _echo(on=True)
        self._console.control(_BEGIN_LINE)
        try:
            # Raw mode starts first: on a dumb terminal the prompt shows a moment before Ctrl-D is read as a key.
            with self._session.input.raw_mode():
                line = await self._session.prompt_async(
                    ANSI(question or "you › "), set_exception_handler=False, handle_sigint=False
                )
        except EOFError:
            return None
        if line.strip().casefold() in _LEAVING:
            return None
        _echo(on=False)
        try:
            size = len(line.encode())
        except UnicodeEncodeError:
            self.note(_("A line is not UTF-8 and was not kept; convert it first."))
            return ""
        if size > MOST_BYTES:
            self.note(_("That is longer than 256 KiB and was not kept; send it in pieces."))
            return ""
        return line

    def write(self, text: str) -> None:
        # Only a model's answers are streamed, and only those are meant as Markdown.
        reply: RenderableType = markdown(text) if self._live else Text(self._fitting(text, len(_NAME)))
        self.show("")
        self._print(_reply_block(reply))

    def show(self, text: str) -> None:
        if self._console.is_dumb_terminal:
            return
        self._text = text
        if text and self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().call_later(_REFRESH_SECONDS if self._live else 0, self._refresh)
        elif not text:
            self._clear()

    def note(self, text: str) -> None:
        def put() -> None:
            self._clear()
            self._print(Text(self._fitting(text), style="dim"))

        if self._session.app.is_running:
            # What is being typed is drawn again below it.
            run_in_terminal(put)
        else:
            put()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def leave(event: KeyPressEvent) -> None:
            """Dismiss a question; clear the line; on an empty one, say how to leave."""
            if self._asks:
                event.app.exit(result="")
            elif event.current_buffer.text:
                event.current_buffer.reset()
            else:
                self.note(_("Leave with /quit or Ctrl-D."))

        return keys

    def _refresh(self) -> None:
        self._refreshing = None
        live = self._live or LiveRender("")
        live.set_renderable(Tail(_reply_block(markdown(self._text))))
        self._console.control(live.position_cursor())
        self._console.print(live, end="")
        self._live = live
        self._console.file.flush()

    def _clear(self) -> None:
        if self._refreshing is not None:
            self._refreshing.cancel()
            self._refreshing = None
        if self._live is not None:
            self._console.control(self._live.position_cursor())
            self._live = None

    def _fitting(self, text: str, before: int = 0) -> str:
        return wrapped(text, self._console.width - before)

    def _print(self, what: RenderableType) -> None:
        self._console.print(what, overflow="fold")
        self._console.file.flush()


def _echo(*, on: bool) -> None:
    """Have the terminal itself show the keys that are pressed, or not: amid an answer they would move what is drawn of it."""
    with suppress(OSError, ValueError, termios.error):  # no terminal, or one that is gone
        settings = termios.tcgetattr(sys.stdin)
        settings[3] = settings[3] | termios.ECHO if on else settings[3] & ~termios.ECHO
        termios.tcsetattr(sys.stdin, termios.TCSANOW, settings)


def _reply_block(reply: RenderableType) -> Indented:
    return Indented(Text(_NAME, style="cyan", end=""), reply)


def _console(*, colour: bool) -> Console:
    # For a dumb terminal rich would assume 80 columns.
    width, height = get_terminal_size() if is_dumb_terminal() else (None, None)
    return Console(
        file=sys.stdout, force_terminal=True, no_color=not colour, highlight=False, emoji=False, width=width, height=height
    )


def _session(history: InMemoryHistory, keys: KeyBindings) -> PromptSession[str]:
    """Return a line editor, without escape sequences on a dumb terminal."""
    if is_dumb_terminal():
        # It takes plain lines only if the output is the session's, and not its own.
        with create_app_session(output=PlainTextOutput(sys.stdout)):
            return PromptSession(history=history, key_bindings=keys, complete_while_typing=False)
    output = Vt100_Output.from_pty(sys.stdout)
    # Some terminals do not answer what asks for the position of the cursor, and the line editor would warn about it.
    output.enable_cpr = False
    return PromptSession(history=history, output=output, key_bindings=keys, complete_while_typing=False)
