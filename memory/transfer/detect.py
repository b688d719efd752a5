"""Input files: a file or standard input, in the given or detected format."""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO

from localization.sentences import Said, lazy
from memory.transfer.chatgpt import read_chatgpt
from memory.transfer.jsonl import read_array, read_jsonl
from memory.transfer.message import BadLine, FileUnusable, Incoming, without_mark
from memory.transfer.pieces import shows_conversations

_HEAD_BYTES = 1 << 16
_FORMATS = ("auto", "jsonl", "chatgpt")


class _Rejoined(RawIOBase):
    """A stream whose first bytes were read already; standard input cannot seek."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        taken, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        taken = taken or self._rest.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


def read_file(path: Path, format: str, time_zone: str, person: str = "") -> Iterator[Incoming | BadLine]:
    """Read the messages of a file, "-" being standard input; `format` is auto, jsonl or chatgpt.

    `time_zone` (an IANA name) applies to times without a zone, `person` to user lines without a speaker. Nothing is opened
    before the first message is requested. Raises FileUnusable if the file is missing, unreadable, a folder, or in none of the
    formats; an empty file is fine.
    """
    if format not in _FORMATS:
        raise FileUnusable("{format} is not a format; use one of {formats}.", format=repr(format), formats=", ".join(_FORMATS))
    return _read_any(path, format, time_zone, person)


def lines_in(path: Path, format: str) -> int:
    """Return how many lines `read_file` will read, 0 if that cannot be told without parsing, or if the file is unusable."""
    if not path.is_file():
        return 0
    with suppress(FileUnusable, OSError), path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
        if _format(head, format) == "jsonl":
            return head.count(b"\n") + sum(piece.count(b"\n") for piece in iter(partial(stream.read, _HEAD_BYTES), b""))
    return 0


def _read_any(path: Path, format: str, time_zone: str, person: str) -> Iterator[Incoming | BadLine]:
    name: Said = lazy("standard input") if str(path) == "-" else str(path)
    with _open(path) as stream:
        try:
            head = stream.read(_HEAD_BYTES)
            rejoined: BinaryIO = BufferedReader(_Rejoined(head, stream))
            match _format(head, format):
                case "chatgpt":
                    yield from read_chatgpt(rejoined)
                case "array":
                    yield from read_array(rejoined, time_zone, person)
                case _:
                    yield from read_jsonl(rejoined, time_zone, person)
        except OSError as error:
            raise FileUnusable("{name} cannot be read: {strerror}.", name=name, strerror=error.strerror) from error
        except FileUnusable as unusable:
            raise FileUnusable("{name}: {reason}.", name=name, reason=unusable) from unusable


def _open(path: Path) -> AbstractContextManager[BinaryIO]:
    if str(path) == "-":
        if sys.stdin is None:
            raise FileUnusable("There is no standard input.")
        return nullcontext(sys.stdin.buffer)
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise FileUnusable('"{file}" does not exist.', file=path) from error
    except IsADirectoryError as error:
        raise FileUnusable('"{file}" is a folder; name a file in it.', file=path) from error
    except OSError as error:
        raise FileUnusable("{path} cannot be opened: {strerror}.", path=path, strerror=error.strerror) from error
    except ValueError as error:
        raise FileUnusable("The file's name holds a character that no file name can have.") from error


def _format(head: bytes, format: str) -> str:
    """Return the format of a file with these first bytes: the given one, an array of messages where that is jsonl, or what they suggest."""
    if format == "chatgpt":
        return format
    start = without_mark(head).lstrip()
    if format == "jsonl":
        return "array" if start.startswith(b"[") else format
    if start.startswith(b"PK\x03\x04"):
        raise FileUnusable("this is a ZIP archive; unpack it and import the conversations.json in it")
    if start.startswith(b"["):
        return "array" if _holds_messages(start[1:]) else "chatgpt"
    return "chatgpt" if start.startswith(b"{") and shows_conversations(start) else "jsonl"


def _holds_messages(start: bytes) -> bool:
    """Return whether an array begins with a message rather than with a conversation."""
    try:
        first, _ = json.JSONDecoder(strict=False).raw_decode(start.decode(errors="replace").lstrip())
    except RecursionError:
        return False
    except ValueError:
        # It may be longer than what was read. What is said in a conversation stands in its mapping.
        return b'"content"' in start and not shows_conversations(start)
    return isinstance(first, dict) and isinstance(first.get("content"), str) and "mapping" not in first
