"""The file that the log is written to beside the screen: rotated, and readable by its owner alone."""

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
    """A file of at most 1 MiB, with the three before it beside it; nothing is written where its folder is not there yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=_OLDER, encoding="utf-8", delay=True)
        self.path = path

    def write(self, line: str) -> None:
        """Append a line. What cannot be written, as on a full disk, is left to the screen."""
        if self.path.parent.is_dir():
            self.handle(makeLogRecord({"msg": line}))

    def handleError(self, record: LogRecord) -> None:
        """Do nothing: whoever writes a log has something else to do."""

    def _open(self) -> TextIOWrapper:
        return os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")


def newest(path: Path, most: int) -> list[str]:
    """Return the last lines of a log, oldest first, with those of the files before it."""
    return list(islice(_backwards(path), most))[::-1]


def _backwards(path: Path) -> Iterator[str]:
    for file in (path, *(path.with_name(f"{path.name}.{number}") for number in range(1, _OLDER + 1))):
        if file.is_file():
            yield from reversed(file.read_text("utf-8", "replace").splitlines())
