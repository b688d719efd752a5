"""Cutting an export into its conversations: one stands in memory at a time, whatever the file's size.

The parser is ijson's own in Python. Its faster one in C (3.6) loses the rest of the file at a lone surrogate, and hands
out a null pointer for a number of 4,300 digits.
"""

import sys
from collections.abc import Generator, Iterator
from typing import BinaryIO

from ijson.backends import python as ijson  # type: ignore[import-untyped]
from ijson.common import JSONError, ObjectBuilder  # type: ignore[import-untyped]
from ijson.utils import sendable_list  # type: ignore[import-untyped]

from memory.transfer.message import without_mark

_READ_BYTES = 1 << 16
_MAX_DEPTH = 200
_OPENS = ("start_map", "start_array")
_CLOSES = ("end_map", "end_array")


class TooDeep:
    """Stands for a conversation whose values are nested too deeply to be built."""


class Broken(Exception):
    """The file ends or is damaged at `number`, the conversation it stopped in; the text is one clause."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


class _Nothing:
    """No conversation is complete yet."""


class _Cutter:
    """Builds one conversation after another from parser events.

    They stand in the file's array, in the array "conversations" of its object, or the object is the only one.
    """

    def __init__(self) -> None:
        self.complete = 0
        self._depth = 0
        self._level = sys.maxsize  # the depth at which conversations stand; unknown until the first event
        self._key: object = None
        self._builder: ObjectBuilder | None = None
        self._too_deep = False

    def take(self, event: str, value: object) -> object:
        """Take one event; returns the conversation that it completes, or _Nothing."""
        self._depth -= event in _CLOSES
        at = self._depth
        self._depth += event in _OPENS
        if at == 0:
            self._open(event)
        elif at == 1 and self._level == 0 and self._is_wrapper(event, value):
            self._level, self._builder = 2, None
            return _Nothing
        elif at == 1 and self._level == 2 and event == "end_array":
            self._level = sys.maxsize
        return self._build(at, event, value) if at >= self._level else _Nothing

    def _open(self, event: str) -> None:
        if event not in _CLOSES:
            self._level = 1 if event == "start_array" else 0

    def _is_wrapper(self, event: str, value: object) -> bool:
        if event == "map_key":
            self._key = value
        return event == "start_array" and self._key == "conversations"

    def _build(self, at: int, event: str, value: object) -> object:
        if self._builder is None:
            self._builder, self._too_deep = ObjectBuilder(), False
        self._too_deep |= self._depth > self._level + _MAX_DEPTH
        if not self._too_deep:
            self._builder.event(event, value)
        if at > self._level or event in _OPENS:
            return _Nothing
        built = TooDeep if self._too_deep else self._builder.value
        self._builder = None
        self.complete += 1
        return built

    def broken(self, what: str) -> Broken:
        """Say where the file stopped being readable."""
        if self._builder is None:
            return Broken(self.complete, f"{what} after conversation {self.complete}")
        return Broken(self.complete + 1, f"{what} in the middle of conversation {self.complete + 1}")


def conversations(stream: BinaryIO) -> Iterator[object]:
    """Yield the values of the export's array as they come; nothing for an empty file.

    Raises Broken where the file is cut off or no JSON, FileUnusable for UTF-16.
    """
    events = sendable_list()
    parser, cutter = ijson.basic_parse_coro(events), _Cutter()
    try:
        for chunk in _chunks(stream):
            fault = _push(parser, chunk)
            for event, value in events:
                if (done := cutter.take(event, value)) is not _Nothing:
                    yield done
            if fault:
                raise cutter.broken("the file is damaged" if chunk else "the file ends")
            del events[:]
    finally:
        _push(parser, b"")  # a parser left in mid-file would complain when it is collected


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Read the stream, with b"" at its end; nothing at all where it is blank."""
    chunk = without_mark(stream.read(_READ_BYTES))
    blank = True
    while chunk:
        blank = blank and not chunk.strip()
        yield chunk
        chunk = stream.read(_READ_BYTES)
    if not blank:
        yield b""


def _push(parser: Generator[None, bytes, None], chunk: bytes) -> bool:
    """Feed the parser, with nothing at the end of the file; returns whether it met a fault."""
    try:
        if chunk:
            parser.send(chunk)
        else:
            parser.close()
    except (JSONError, ValueError):
        return True
    return False
