"""A screen with a line editor, colours and a history that is held in memory alone."""

import sys
from collections.abc import Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.output.vt100 import Vt100_Output

from adapters.console.console import MOST_BYTES


class Terminal:
    """A terminal with a line editor."""

    def __init__(self, history: Sequence[str], *, colour: bool) -> None:
        output = _without_cursor_queries(Vt100_Output.from_pty(sys.stdout))
        self.prefix = "\x1b[36mlyra ›\x1b[0m " if colour else "lyra › "
        self._session: PromptSession[str] = PromptSession(history=InMemoryHistory(list(history)), output=output)
        self.refused = 0

    async def read(self, prompt: str) -> str | None:
        try:
            line = await self._session.prompt_async(ANSI(prompt), set_exception_handler=False, handle_sigint=False)
        except (EOFError, KeyboardInterrupt):
            return None
        if len(line.encode("utf-8", "replace")) > MOST_BYTES:
            self.note("That is longer than 256 KiB and was not kept; send it in pieces.")
            return ""
        return line

    def write(self, text: str, *, end: str = "\n") -> None:
        sys.stdout.write(text + end)
        sys.stdout.flush()

    def note(self, text: str) -> None:
        self.write(text)


def _without_cursor_queries(output: Vt100_Output) -> Vt100_Output:
    """Never ask the terminal where its cursor is: some do not answer, and the line editor would warn of it."""
    output.enable_cpr = False
    return output
