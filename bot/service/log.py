"""The log: events with names and numbers, in a file, and on standard error of unattended processes; never message texts or secrets."""

import logging
import sys
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.imports import imported
from memory.errors import MemoryFailure
from memory.store.cancellation import end_if_asked

if TYPE_CHECKING:
    from bot.service.log_file import LogFile

_UNSAID = frozenset({"text", "content", "message", "prompt", "answer", "api_key", "token", "password", "secret", "key"})
FILE = "lyra.log"
_OWN, _TOLD = "adapters", "discord"
_Made = TypeVar("_Made")


class Log:
    """Writes events from a level up. The renderer is imported with the first event, since most commands write none.

    `path` is the file, or None; with `on_screen`, events also go to standard error, for unattended processes.
    """

    def __init__(self) -> None:
        self.least = logging.WARNING
        self.path: Path | None = None
        self.on_screen = True
        self._file: LogFile | None = None

    def write_to(self, path: Path | None) -> None:
        """Write to this file only from now on, or to standard error if None."""
        if self._file:
            self._file.close()
        self._file, self.path, self.on_screen = None, path, path is None

    def info(self, event: str, **facts: object) -> None:
        """Log what was done."""
        self.log(logging.INFO, event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        """Log what the operator may want to look at."""
        self.log(logging.WARNING, event, **facts)

    def error(self, event: str, **facts: object) -> None:
        """Log a failure."""
        self.log(logging.ERROR, event, **facts)

    def log(self, level: int, event: str, **facts: object) -> None:
        """Log an event at a level."""
        if level < self.least:
            return
        try:
            line = _rendered(level, event, facts)
        except (OSError, ImportError):
            # The renderer is read from disk with the first event. The event loop would end if this were raised into it.
            return
        if self.on_screen:
            print(line, file=sys.stderr, flush=True)
        if self.path:
            if self._file is None:
                self._file = imported("bot.service.log_file:LogFile")(self.path)
            self._file.write(line)


log = Log()


def configure(level: str, path: Path | None = None) -> None:
    """Log events of this level and above to a file, or else to standard error, one line each, without anybody's words.

    From discord.py, warnings and above are logged; from other libraries, only errors.
    """
    log.least = least = getattr(logging, level.upper())
    log.write_to(path)
    logging.basicConfig(level=logging.ERROR, handlers=[Reports()], force=True)
    logging.getLogger(_OWN).setLevel(least)
    # Else it sets its own level, and logs every attempt to connect to a server that is unreachable.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    logging.getLogger(_TOLD).setLevel(max(least, logging.WARNING))


def _rendered(level: int, event: str, facts: Mapping[str, object]) -> str:
    structlog, name = imported("structlog"), logging.getLevelName(level).lower()
    fields = {**{key: "…" if key in _UNSAID else value for key, value in facts.items()}, "level": name, "event": event}
    rendered: str = structlog.dev.ConsoleRenderer(colors=False)(
        None, name, structlog.processors.TimeStamper(fmt="iso", utc=True)(None, name, fields)
    )
    return rendered


class Reports(logging.Handler):
    """Logs records of adapters and libraries as events: one line each, exceptions by type only."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record."""
        found = {"error": record.exc_info[0].__name__} if record.exc_info and record.exc_info[0] else {}
        log.log(record.levelno, self.as_line(record), source=record.name, **found)

    def as_line(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        match record.name.partition(".")[0]:
            case name if name == _OWN:
                return record.getMessage()
            case name if name == _TOLD:
                return _numbers_alone(record)
        return "library.failed"


def _numbers_alone(record: logging.LogRecord) -> str:
    """Return the first line of a record's format with numbers only: URLs contain tokens, and names are people's words."""
    first = str(record.msg).partition("\n")[0]
    arguments = record.args if isinstance(record.args, tuple) else ()
    safe = tuple(one if isinstance(one, int | float | None) else "…" for one in arguments)
    try:
        return first % safe if safe else first
    except (TypeError, ValueError):
        return "discord.reported"


async def carried_on(work: Awaitable[_Made], job: str) -> _Made | None:
    """Return the result of a background job, None if it failed: the failure is logged, and other jobs continue."""
    # One of the three places where a broad handler stands.
    try:
        return await work
    except MemoryFailure as error:
        log.info(f"{job}.later", why=str(error))
    except Exception as error:  # noqa: BLE001
        log.error(f"{job}.failed", error=type(error).__name__)
    end_if_asked()
    return None
