"""A terminal with the real `lyra chat` in it: a pseudo-terminal, and a screen that shows what a person would see."""

import os
import pty
import select
import termios
import time
from collections.abc import Callable
from typing import Self

import pyte

from tests.fakes.pulse import PATIENCE
from tests.kits.forked import Forked
from tests.kits.lyra_kit import Home

ROWS, COLUMNS = 60, 160
UP, CTRL_C, CTRL_D = "\x1b[A", "\x03", "\x04"


class Terminal:
    """A window in which a person talks to Lyra."""

    def __init__(self, home: Home, *options: str, command: str = "chat", columns: int = COLUMNS) -> None:
        self._screen = pyte.Screen(columns, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._typed = 0
        self._window, inside = pty.openpty()
        termios.tcsetwinsize(inside, (ROWS, columns))
        self._child = Forked([command, *options], home.folder, home.environment(), [inside] * 3, terminal=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        os.close(self._window)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, without empty lines."""
        return [line.rstrip() for line in self._screen.display if line.strip()]

    @property
    def waits(self) -> bool:
        """Whether Lyra waits for something to be typed, and not only has not seen yet what was."""
        return self.lines[-1:] == ["you ›"] and len(self.lines) > self._typed

    def until(self, text: str) -> list[str]:
        """Watch until a text stands on the screen; return the screen's lines."""
        self._watch(lambda: any(text in line for line in self.lines), text)
        return self.lines

    def ready(self) -> list[str]:
        """Watch until Lyra waits for the person; return the screen's lines."""
        self._watch(lambda: self.waits, "an empty line to type in")
        return self.lines

    def awaits_keys(self) -> None:
        """Watch until Lyra waits for the person, be it with a question."""
        self._watch(lambda: self.waits or self._asks(), "an empty line or a question")

    def _asks(self) -> bool:
        return len(self.lines) > self._typed and self.lines[-1].endswith(("[y/N]", "[j/N]"))

    def say(self, text: str) -> list[str]:
        """Type a line once Lyra waits for it, watch until she waits again, and return the lines since."""
        before = self.ready()
        self.type(text)
        return self.ready()[len(before) - 1 :]

    def type(self, text: str, end: str = "\r") -> None:
        """Press keys, a lone surrogate as the byte that it stands for. A line that ends so is answered in further lines, which `waits` watches for."""
        if end:
            self._typed = len(self.lines)
        os.write(self._window, (text + end).encode("utf-8", "surrogateescape"))

    def leave(self, key: str = CTRL_D) -> int:
        """Press a key that ends the conversation, watch the rest, and return the exit code.

        Ctrl-D says so only while Lyra waits for a line; Ctrl-C does at any moment.
        """
        if key == CTRL_D:
            self.ready()
        self.type(key, end="")
        return self.end()

    def end(self) -> int:
        """Watch until the process has ended, and return its exit code."""
        while self._more(PATIENCE):
            pass
        return self._child.wait(PATIENCE)

    def kill(self) -> None:
        """End the process as a power cut would."""
        self._child.kill()
        self._child.wait(PATIENCE)

    def _watch(self, seen: Callable[[], bool], wanted: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            more = self._more(max(0.0, deadline - time.monotonic()))
            assert more, f"wanted: {wanted}\non the screen:\n" + "\n".join(self.lines)

    def _more(self, seconds: float) -> bool:
        """Show what comes within so many seconds; say whether anything did."""
        if not select.select([self._window], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._window, 65536)
        except OSError:  # Nobody is at the other end any more.
            return False
        self.raw += data
        self._stream.feed(data)
        return True
