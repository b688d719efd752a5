"""The terminal as a platform: one person, one conversation at a time, a line in and a reply out.

On a terminal it has a line editor, colours and streamed answers; piped, it reads and writes plain lines. The line editor
keeps its history in memory only: what was said is nowhere on disk but in the encrypted memory.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from adapters.base import Adapter, Preview, Sending
from adapters.command_table import CommandSpec, Surface
from adapters.events import Message, Person, Place, conversation, conversation_of
from adapters.listener import Listener
from adapters.markup import printable
from adapters.plain_words import NO_REMINDER, asks_for_reminder, offered
from adapters.posting import REPEAT
from localization.current_language import reading
from localization.sentences import _
from localization.yes_or_no import CHOICE, NO, YES

_MOST_AHEAD = 100
_PATIENCE_SECONDS = 10.0
"""Seconds that a line may wait to be stored before its writer is told."""


class Screen(Protocol):
    """Where lines come from and go to.

    `prefix` is shown before a question, '' if nobody looks; `refused` counts unreadable lines; `reads_ahead` allows reading
    lines before they are wanted.
    """

    prefix: str
    refused: int
    reads_ahead: bool

    def set_commands(self, prefix: str, table: Mapping[str, CommandSpec]) -> None:
        """Set the commands that can be typed."""

    async def read(self, question: str = "") -> str | None:
        """Return the next line, or the answer to a question ('' if dismissed); None at the end of the input."""

    def write(self, text: str) -> None:
        """Write a reply, replacing what is shown of it."""

    def show(self, text: str) -> None:
        """Show the answer so far, replacing what is shown of it; '' clears it."""

    def note(self, text: str) -> None:
        """Write something other than a reply."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a terminal's message ids and times."""

    new_id: Callable[[], str]
    now: Callable[[], int]


class Console(Adapter):
    """A connected terminal."""

    platform = "console"
    presses = False
    prefix = "/"
    introduces = False
    removes = False
    shares_places = True

    def __init__(self, screen: Screen, person: Person, thread: str, origin: Origin, name: str = "") -> None:
        """Prepare; `name` is the conversation's, by default its thread's."""
        self.screen = screen
        self._person = person
        self._origin = origin
        self._ahead: deque[Message] = deque()
        self._reading: asyncio.Task[str | None] | None = None
        self._ended = False
        self._thread, self._name = thread, name or thread

    @property
    def leaving(self) -> str:  # type: ignore[override]
        """How somebody at the screen leaves."""
        return f"{self.prefix}quit" if self.screen.prefix else ""

    @property
    def place(self) -> Place:
        """The current conversation's place."""
        return conversation(self.platform, self._person.id, self._thread, self._name)

    async def run(self, listener: Listener) -> None:
        """Read lines and wait for the reply to each, until the input ends.

        If lines may be read ahead, those that arrive while one is answered are committed at once, up to the next command.
        """
        self.screen.set_commands(self.prefix, listener.table)
        try:
            while (message := await self._next_message()) is not None:
                answered = asyncio.ensure_future(await self._hear(message, listener))
                try:
                    await self._read_ahead(message, answered, listener)
                    await answered
                finally:
                    answered.cancel()
        finally:
            if self._reading:
                self._reading.cancel()

    async def _hear(self, message: Message, listener: Listener) -> Awaitable[None]:
        """Have a message kept; say so where that takes long, as with a database whose commits wait for a copy that is gone."""
        keeping = asyncio.ensure_future(listener.hear([message]))
        try:
            await asyncio.wait((keeping,), timeout=_PATIENCE_SECONDS)
            if not keeping.done():
                self.screen.note(_("(The memory has not taken this yet; I wait for it. lyra doctor says what is wrong with it.)"))
            return await keeping
        finally:
            keeping.cancel()

    async def _next_message(self) -> Message | None:
        """Return the next message, timed now; None at the end."""
        if self._ahead:
            return replace(self._ahead.popleft(), place=self.place, said_at=self._origin.now())
        while (line := await self._read()) is not None:
            if message := self._message(await self._offered_command(line)):
                return message
        return None

    async def _offered_command(self, line: str) -> str:
        """Return the command that a plain line asks for, the line itself if none, or '' if the person does not want it to forget."""
        if not self.screen.prefix:
            return line
        if line.strip() == self.prefix:
            return f"{self.prefix}help"
        if language := asks_for_reminder(line):
            self.screen.note(NO_REMINDER.read_in(language))
        offer = offered(line, self.prefix)
        if offer is None:
            return line
        if offer.question is None:
            return offer.line
        with reading(offer.language):
            if await self.confirm(f"{offer.question} ({offer.line})"):
                return offer.line
            if not offer.forgets:
                return line
            self.screen.note(_("(Nothing was done, and these words are not kept.)"))
        return ""

    async def _read_ahead(self, message: Message, answered: asyncio.Future[None], listener: Listener) -> None:
        """Commit lines typed before a message is answered, but none after a command: it may ask for the next line itself."""
        last = self._ahead[-1] if self._ahead else message
        while not (answered.done() or self._ended or last.text.startswith(self.prefix)) and len(self._ahead) < _MOST_AHEAD:
            if not self.screen.reads_ahead:
                return
            self._reading = self._reading or asyncio.ensure_future(self.screen.read())
            await asyncio.wait((answered, self._reading), return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done() and (line := await self._read()) is not None and (typed := self._message(line)):
                last = typed
                self._ahead.append(typed)
                if not typed.text.startswith(self.prefix):
                    await listener.keep(typed)

    def _message(self, line: str) -> Message | None:
        text = line.strip()
        # A line of NULs alone, as a file that was not written to its end holds, says nothing.
        is_said = bool(printable(text).strip())
        return Message(self._origin.new_id(), self.place, self._person, text, self._origin.now()) if is_said else None

    async def send(self, sending: Sending) -> str:
        """Show a part, replacing its preview. A terminal has no ids: its key serves."""
        if sending.operation in ("delete", "offer", "unname"):
            return sending.key  # what is on a screen stays there
        if sending.unsure:
            self.screen.note(str(REPEAT))
        if sending.reflection:
            self.screen.note(_("(a thought of mine; /reflection why, less and delete are about it)"))
        self.screen.write(sending.text)
        return sending.key

    def preview(self, place: str) -> Preview | None:
        """Return a preview on a terminal; piped, a reply is written whole."""
        return _ScreenPreview(self.screen) if self.screen.prefix else None

    def note(self, text: str) -> None:
        if not self.screen.prefix:
            self.screen.note(text)

    def surface(self, event_id: str) -> Surface | None:
        return self

    async def confirm(self, question: str) -> bool:
        """Ask, and take y, yes, ja, oui and the like as yes. A line that is no answer counts as no, and as the next message."""
        answer = await self._read(f"{self.screen.prefix}{question} {CHOICE} ") or ""
        choice = answer.strip().rstrip(" .!").casefold()
        if choice and choice not in YES | NO:
            self.screen.note(_("(taken as no, and as your next message)"))
            if typed := self._message(answer):
                self._ahead.append(typed)
        return choice in YES

    async def locate(self, place: Place) -> Place | None:
        """Return a place under its current name."""
        return self.place if place.key == self.place.key else place

    async def locate_key(self, key: str) -> Place | None:
        return conversation_of(self.platform, key)

    def enter(self, thread: str, name: str) -> bool:
        self._thread, self._name = thread, name
        return True

    async def _read(self, question: str = "") -> str | None:
        """Return the next line, or the answer to a question; None at the end of the input, and ever after."""
        reading, self._reading = self._reading, None
        line = None if self._ended else await (reading or self.screen.read(question))
        self._ended = line is None
        return line


class _ScreenPreview:
    """A preview on the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._text = ""

    async def show(self, piece: str) -> None:
        self._text += printable(piece)
        self._screen.show(self._text.strip())

    async def drop(self) -> None:
        self._text = ""
        self._screen.show("")

    async def withhold(self) -> None:
        if self._text.strip():
            self._screen.note(_("(taken back: something it was made from was forgotten or changed just now)"))
        await self.drop()
