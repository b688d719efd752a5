"""The terminal as a platform: one person, one conversation at a time, a line in and a reply out.

In a terminal it has a line editor, colours and the answer as it comes; piped, it reads and writes plain lines. The line
editor keeps its history in memory alone: what was said is nowhere on disk but in the encrypted memory.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TextIO

from adapters.base import Adapter, Listener, Preview, Sending
from adapters.command_table import Surface
from adapters.events import Message, Person, Place, conversation
from adapters.markup import printable

MOST_BYTES = 256 * 1024


class Screen(Protocol):
    """Where lines come from and go to. `prefix` stands before a reply; `refused` counts lines that could not be read."""

    prefix: str
    refused: int

    async def read(self, prompt: str) -> str | None:
        """Return the next line, None at the end."""
        ...

    def write(self, text: str, *, end: str = "\n") -> None:
        """Write a reply, or a piece of one."""
        ...

    def note(self, text: str) -> None:
        """Write something that is not a reply."""
        ...


@dataclass(frozen=True, slots=True)
class Origin:
    """How messages of a terminal get their ids and their times."""

    new_id: Callable[[], str]
    now: Callable[[], int]


class Console(Adapter):
    """A terminal, connected."""

    platform = "console"
    prefix = "/"
    introduces = False
    removes = False

    def __init__(self, screen: Screen, person: Person, session: str, origin: Origin) -> None:
        self.screen = screen
        self._person = person
        self._origin = origin
        self._shown: _Shown | None = None
        self._ahead: deque[str] = deque()
        self._ended = False
        self.session = session

    @property
    def place(self) -> Place:
        """Where the conversation is now."""
        return conversation(self.platform, self._person.id, self.session)

    async def run(self, listener: Listener) -> None:
        """Read lines and wait for the reply to each, until the input ends."""
        while (line := self._ahead.popleft() if self._ahead else await self._read("you › ")) is not None:
            text = line.strip()
            if text:
                message = Message(self._origin.new_id(), self.place, self._person, text, self._origin.now())
                await (await listener.hear([message]))

    async def send(self, sending: Sending) -> str:
        """Show a part; what was shown of it already is completed. A terminal has no ids: its key serves."""
        if sending.operation == "delete":
            return sending.key  # what is on a screen stays there
        if sending.unsure:
            self.screen.note("(this may be a repeat)")
        if sending.reflection:
            self.screen.note("(a thought of mine; /reflection why, less and delete are about it)")
        if self._shown is not None and sending.text.startswith(self._shown.text.strip()):
            shown, self._shown = self._shown.text, None
            self.screen.write(sending.text.removeprefix(shown if sending.text.startswith(shown) else shown.strip()))
        else:
            self.screen.write(f"{self._prefix()}{sending.text}")
        return sending.key

    def preview(self, place: str) -> Preview | None:
        """Show answers as they come in a terminal; piped, a reply is whole."""
        return _Shown(self) if self._prefix() else None

    def surface(self, event_id: str) -> Surface | None:
        """The person at the terminal."""
        return self

    async def confirm(self, question: str) -> bool:
        """Ask, and take y or yes as yes. A line that answers nothing is a message, typed ahead: the answer is no."""
        answer = await self._read(f"{self._prefix()}{question} [y/N] ") or ""
        told = answer.strip().casefold()
        if told not in ("", "y", "yes", "n", "no"):
            self.screen.note("(taken as no, and as your next message)")
            self._ahead.append(answer)
        return told in ("y", "yes")

    def enter(self, session: str) -> bool:
        """Go on in another session."""
        self.session = session
        return True

    def begin(self, shown: "_Shown | None") -> None:
        """Begin to show an answer as it comes, or forget that one was begun."""
        self._shown = shown
        if shown is not None:
            self.screen.write(self._prefix(), end="")

    async def _read(self, prompt: str) -> str | None:
        """Return the next line; None at the end, and from then on."""
        line = None if self._ended else await self.screen.read(prompt)
        self._ended = line is None
        return line

    def _prefix(self) -> str:
        return self.screen.prefix


class _Shown:
    """An answer on the screen while it is made."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.text = ""

    async def show(self, piece: str) -> None:
        piece = printable(piece)
        if not self.text:
            piece = piece.lstrip()
            if not piece:
                return
            self._console.begin(self)
        self.text += piece
        self._console.screen.write(piece, end="")

    async def drop(self) -> None:
        if self.text:
            self._console.screen.write(" […]")
        self._console.begin(None)
        self.text = ""

    async def withhold(self) -> None:
        if self.text:
            self._console.screen.write(" […]")
            self._console.screen.note("(the rest is withheld: something it was made from was forgotten or changed just now)")
        self._console.begin(None)
        self.text = ""


class Pipe:
    """Plain lines from a file or pipe, one read when one is wanted, none longer than 256 KiB."""

    def __init__(self, source: TextIO, replies: TextIO, notes: TextIO) -> None:
        self._source = source.buffer
        self._replies = replies
        self._notes = notes
        self.prefix = ""
        self._wanted = threading.Semaphore(0)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: threading.Thread | None = None
        self.refused = 0

    async def read(self, prompt: str) -> str | None:
        if not prompt.startswith("you"):
            self.note(prompt)
        if self._reader is None:
            loop = asyncio.get_running_loop()
            self._reader = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._reader.start()
        self._wanted.release()
        return await self._lines.get()

    def write(self, text: str, *, end: str = "\n") -> None:
        self._replies.write(text + end)
        self._replies.flush()

    def note(self, text: str) -> None:
        self._notes.write(text + "\n")
        self._notes.flush()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line: str | None = ""
        while line is not None:
            self._wanted.acquire()
            line = self._next()
            loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _next(self) -> str | None:
        while raw := self._source.readline(MOST_BYTES + 1):
            whole = raw.endswith(b"\n") or len(raw) <= MOST_BYTES
            while not whole and (rest := self._source.readline(MOST_BYTES)):
                whole = rest.endswith(b"\n")
            if len(raw) > MOST_BYTES:
                self._refuse("A line is longer than 256 KiB and was not kept; send it in pieces.")
                continue
            try:
                return raw.decode("utf-8-sig")
            except UnicodeDecodeError:
                self._refuse("A line is not UTF-8 and was not kept; convert it first.")
        return None

    def _refuse(self, why: str) -> None:
        self.refused += 1
        self.note(why)
