"""A file or pipe as the screen of a terminal: plain lines in, plain lines out."""

import asyncio
import threading
from collections.abc import Mapping
from typing import BinaryIO, TextIO

from adapters.command_table import CommandSpec
from localization.sentences import _

MOST_BYTES = 256 * 1024
LEAVING = frozenset({"/quit", "/exit"})


class Pipe:
    """Plain lines from a file or pipe, read on demand, none longer than 256 KiB."""

    def __init__(self, source: BinaryIO, replies: TextIO, notes: TextIO) -> None:
        self._source = source
        self._replies, self._notes = replies, notes
        self.prefix = ""
        self.reads_ahead = True
        self._wanted = threading.Semaphore(0)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: threading.Thread | None = None
        self._why_unreadable, self.refused = "", 0

    def set_commands(self, prefix: str, table: Mapping[str, CommandSpec]) -> None:
        """Do nothing: a pipe shows no suggestions."""

    async def read(self, question: str = "") -> str | None:
        if question:
            self.note(question)
        if self._reader is None:
            loop = asyncio.get_running_loop()
            self._reader = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._reader.start()
        self._wanted.release()
        line = await self._lines.get()
        if line is None and self._why_unreadable:
            self.note(_("Standard input cannot be read: {why}.", why=self._why_unreadable))
            self.refused += 1
        return line

    def write(self, text: str) -> None:
        self._replies.write(text + "\n")
        self._replies.flush()

    def show(self, text: str) -> None:
        """Do nothing: piped replies are written whole."""

    def note(self, text: str) -> None:
        self._notes.write(text + "\n")
        self._notes.flush()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line: str | None = ""
        while line is not None:
            self._wanted.acquire()
            try:
                line = self._next_line()
            except OSError as error:
                line, self._why_unreadable = None, error.strerror or str(error)
            loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _next_line(self) -> str | None:
        while raw := self._source.readline(MOST_BYTES + 1):
            complete = raw.endswith(b"\n") or len(raw) <= MOST_BYTES
            while not complete and (rest := self._source.readline(MOST_BYTES)):
                complete = rest.endswith(b"\n")
            if len(raw) > MOST_BYTES:
                self._refuse(_("A line is longer than 256 KiB and was not kept; send it in pieces."))
                continue
            try:
                line = raw.decode("utf-8-sig")
            except UnicodeDecodeError:
                self._refuse(_("A line is not UTF-8 and was not kept; convert it first."))
                continue
            return None if line.strip().casefold() in LEAVING else line
        return None

    def _refuse(self, why: str) -> None:
        self.refused += 1
        self.note(why)
