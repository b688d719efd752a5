"""The log file: rotated, and readable by its owner only."""

import os
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import islice
from logging import LogRecord, makeLogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path

_MOST_BYTES = 1 << 20
_OLDER = 3


class LogFile(RotatingFileHandler):
    """A file of at most 1 MiB, plus three rotated ones; nothing is written if its folder does not exist yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=_OLDER, encoding="utf-8", delay=True)
        self.path = path

    def write(self, line: str) -> None:
        """Append a line; failures, such as a full disk, are ignored."""
        if self.path.parent.is_dir():
            self.handle(makeLogRecord({"msg": line}))

    def handleError(self, record: LogRecord) -> None:
        """Ignore errors, since logging must not disturb the caller."""

    def _open(self) -> TextIOWrapper:
        return os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")


def newest(path: Path, most: int) -> list[str]:
    """Return the last lines of a log and its rotated files, oldest first."""
    return list(islice(_backwards(path), most))[::-1]


def _backwards(path: Path) -> Iterator[str]:
    for file in (path, *(path.with_name(f"{path.name}.{number}") for number in range(1, _OLDER + 1))):
        if file.is_file():
            yield from reversed(file.read_text("utf-8", "replace").splitlines())
