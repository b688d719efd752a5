"""An export split into its conversations: only one is held in memory at a time, whatever the file's size.

Only brackets and strings are scanned here; json parses each conversation by itself, so that a damaged one costs no other.
(ijson 3.6 was tried: its C backend drops the rest of the file at a lone surrogate and returns a null pointer for a very long
number, its Python backend ends up holding the whole file.)
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from localization.sentences import Explained, Said, lazy
from memory.transfer.message import without_mark

_READ_BYTES = 1 << 16
_MAX_CONVERSATION = 128 << 20
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[][{}]', re.DOTALL)  # an unterminated string has no group 1
_WORD = re.compile(rb"[^][{}\s,:\"]+")
_NOT_BLANK = re.compile(rb"\S")
_DEPTHS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_ROOM = 1 << 10  # for the blanks around a colon


@dataclass(frozen=True, slots=True)
class MalformedExport:
    """A placeholder for a conversation that json rejects; `reason` completes "conversation 7 …"."""

    reason: Said


class DamagedFile(Explained):
    """The file ends or is damaged in or after the conversation `number`; the text is one clause."""

    def __init__(self, number: int, reason: Said) -> None:
        super().__init__(reason)
        self.number = number


class _Window:
    """The part of a stream in memory; it starts at the current position."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._complete = 0
        self.data = bytearray(without_mark(stream.read(_READ_BYTES)))

    def more(self, pending: int = 0) -> bool:
        """Read on, at least as much as is pending of an unfinished string; return whether anything was read."""
        if len(self.data) > _MAX_CONVERSATION:
            raise DamagedFile(self._complete + 1, lazy("conversation {number} is longer than 128 MiB", number=self._complete + 1))
        chunk = self._stream.read(max(_READ_BYTES, pending))
        self.data += chunk
        return bool(chunk)

    def next(self) -> bytes:
        """Advance to the next non-blank byte and return it; b"" at the end."""
        while (found := _NOT_BLANK.search(self.data)) is None:
            self.data.clear()
            if not self.more():
                return b""
        del self.data[: found.start()]
        return bytes(self.data[:1])

    def tokens(self, depth: int = 0) -> Iterator[tuple[int, int, int]]:
        """Yield for every bracket and string the depth after it, its start and its end, until the file ends."""
        at = 0
        while True:
            found = _TOKEN.search(self.data, at)
            if found is None or (self.data[found.start()] == ord('"') and not found[1]):
                at = found.start() if found else len(self.data)
                if not self.more(len(self.data) - at):
                    return
                continue
            depth += _DEPTHS.get(self.data[found.start()], 0)
            at = found.end()
            yield depth, found.start(), at

    def value(self) -> object:
        """Consume one JSON value, or a MalformedExport."""
        if self.next() in (b"{", b"[", b'"'):
            return self.consume_conversation(next((end for depth, _, end in self.tokens() if depth == 0), None))
        while (found := _WORD.match(self.data)) and found.end() == len(self.data) and self.more():
            pass
        if not found:
            raise self.malformed()
        return self.consume_conversation(found.end())

    def consume_conversation(self, end: int | None) -> object:
        """Consume the conversation that ends at a position; None means that the file ended first."""
        if end is None:
            raise DamagedFile(
                self._complete + 1, lazy("the file ends in the middle of conversation {number}", number=self._complete + 1)
            )
        raw = bytes(self.data[:end])
        del self.data[:end]
        self._complete += 1
        return _parsed(raw)

    def malformed(self) -> DamagedFile:
        """Return the error for a file that does not continue as it should."""
        damaged = lazy("the file is damaged after conversation {number}", number=self._complete)
        ends = lazy("the file ends after conversation {number}", number=self._complete)
        return DamagedFile(self._complete, damaged if self.next() else ends)


def _parsed(raw: bytes) -> object:
    try:
        return json.loads(raw.decode(), strict=False)
    except ValueError:
        return MalformedExport(lazy("is not JSON"))
    except RecursionError:
        return MalformedExport(lazy("is nested too deeply"))


def conversations(stream: BinaryIO) -> Iterator[object]:
    """Yield the values of the export's array as they come, or MalformedExport; nothing for an empty file.

    Raises DamagedFile if the file is truncated or does not continue as JSON, FileUnusable for UTF-16.
    """
    window = _Window(stream)
    while opening := window.next():  # concatenated files are several arrays
        if opening == b"[":
            yield from _items(window)
        elif opening == b"{":
            yield from _object(window)
        else:
            raise window.malformed()


def _items(window: _Window) -> Iterator[object]:
    del window.data[:1]
    if window.next() != b"]":
        yield window.value()
    while (after := window.next()) == b",":
        del window.data[:1]
        yield window.value()
    if after != b"]":
        raise window.malformed()
    del window.data[:1]


def _object(window: _Window) -> Iterator[object]:
    """Yield the values of "conversations", or else the object itself."""
    for depth, start, end in window.tokens():
        if depth == 0:
            yield window.consume_conversation(end)
            return
        while depth == 1 and len(window.data) < end + _ROOM and window.more():
            pass
        if depth == 1 and (array := _opens(window.data, start, end, b"conversations", b"[")):
            del window.data[: array - 1]
            yield from _items(window)
            rest = next((end for depth, _, end in window.tokens(1) if depth == 0), None)
            if rest is None:
                raise window.malformed()
            del window.data[:rest]
            return
    window.consume_conversation(None)


def _opens(data: bytes | bytearray, start: int, end: int, key: bytes, bracket: bytes) -> int:
    """Return where the value of a key begins that opens with the bracket, or 0."""
    if data[start:end] != b'"%b"' % key:
        return 0
    found = re.compile(rb"\s*:\s*" + re.escape(bracket)).match(data, end)
    return found.end() if found else 0


def shows_conversations(head: bytes) -> bool:
    """Return whether a file's first object has a "mapping" or an array "conversations" within its first bytes."""
    depth = 0
    for found in _TOKEN.finditer(head):
        depth += _DEPTHS.get(head[found.start()], 0)
        if depth == 0:
            return False
        if depth == 1 and (
            _opens(head, found.start(), found.end(), b"mapping", b"{")
            or _opens(head, found.start(), found.end(), b"conversations", b"[")
        ):
            return True
    return False
