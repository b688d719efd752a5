"""Whether the log beside a database is its own.

SQLite takes what stands in the log for newer than the file, whatever it is, and folds it in when it closes at the latest: a log
of another database would be written over the file even where it could not be read, and an older one of the same would bring
old pages back among new ones. So every transaction numbers itself in the table `commits`, and a log is looked at through
connections that cannot write the file before one that can is opened. Only `memory.store.sqlite.database` uses this.

A log is its own where it holds the page of the numbers, as every transaction of it does; where the file alone has every
transaction from before the log; and where it has none that the log has not.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from struct import unpack
from typing import NamedTuple

from sqlcipher3 import dbapi2 as sqlcipher

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_TRIES, _PAUSE_SECONDS = 3, 0.05
_READ = (
    "SELECT m.rootpage, c.number, c.log FROM commits c JOIN sqlite_master m ON m.type = 'table' AND m.name = 'commits' "
    "WHERE c.id = 1"
)
NUMBER = (
    "INSERT INTO commits (id, number, log) VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET number = commits.number + 1, "
    "log = CASE WHEN :fresh THEN commits.number ELSE commits.log END"
)
"""Numbers the transaction that runs it. `fresh` says that the log is empty: it begins behind the last number."""

Connect = Callable[[str], sqlite3.Connection]


class Numbers(NamedTuple):
    """The page that the numbers stand on, the last transaction, and the last one before the log began."""

    page: int
    last: int
    before: int


def log_of(path: Path) -> Path:
    """Return where the log of a database stands."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}-wal")


def is_own(path: Path, connect: Connect) -> bool:
    """Say whether the log beside a database belongs to it; a log that holds nothing does.

    `connect` opens the database with the parameters of an URI. Raises an error of the library where it cannot be read at all.
    """
    # While another process writes, the three looks may be at three states of it; what is wrong stays so.
    for again in range(_TRIES):
        if again:
            time.sleep(_PAUSE_SECONDS)
        pages = _committed(log_of(path))
        if not pages:
            return True
        try:
            alone = _numbers(connect, "immutable=1")
        except (sqlite3.Error, sqlcipher.Error):
            # A power cut may have torn a page that the log mends.
            _numbers(connect, "mode=ro")
            return True
        try:
            both = _numbers(connect, "mode=ro")
        except (sqlite3.DatabaseError, sqlcipher.DatabaseError) as error:
            if "locked" in str(error) or "unable to open" in str(error):
                raise
            continue
        # Older versions numbered nothing.
        if alone is None or (both is not None and alone.page in pages and both.before <= alone.last <= both.last):
            return True
    return False


def _numbers(connect: Connect, how: str) -> Numbers | None:
    connection = connect(how)
    try:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'commits'").fetchone():
            return None
        row = connection.execute(_READ).fetchone()
        return Numbers(*row) if row else None
    finally:
        connection.close()


def _committed(log: Path) -> set[int]:
    """Return which pages the committed transactions of a log hold, as far as its frames belong together."""
    held: set[int] = set()
    open_: set[int] = set()
    try:
        with log.open("rb") as stream:
            header = stream.read(_HEADER)
            if len(header) < _HEADER:
                return held
            magic, _, size, _, *salts, _, _ = unpack(">8I", header)
            while magic in _MAGIC and len(frame := stream.read(_FRAME)) == _FRAME:
                page, ends, *salt, _, _ = unpack(">6I", frame)
                if salt != salts:
                    break
                open_.add(page)
                if ends:
                    held |= open_
                    open_ = set()
                stream.seek(size, os.SEEK_CUR)
    except FileNotFoundError:
        pass
    return held
