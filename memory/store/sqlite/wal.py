"""Whether the WAL beside a database belongs to it.

SQLite takes whatever is in the WAL for newer than the file, and folds it in on close at the latest: the WAL of another
database would be written over the file even if it could not be read, and an older one of the same database would bring old
pages back among new ones. So every transaction numbers itself in the table `commits`, and a WAL is examined through
connections that cannot write the file before one that can is opened. Only `memory.store.sqlite.database` uses this.

A WAL belongs to the file if it holds the page of the numbers, as every transaction's does; if the file alone has every
transaction from before the WAL; and if the file has none that the WAL lacks.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
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
"""Numbers the transaction that runs it. `fresh` says that the WAL is empty: it begins after the last number."""

Connect = Callable[[str], sqlite3.Connection]


class Numbers(NamedTuple):
    """The page of the numbers, the last transaction, and the last one before the WAL began."""

    page: int
    last: int
    before: int


def log_of(path: Path) -> Path:
    """Return the path of a database's WAL."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}-wal")


def is_own(path: Path, connect: Connect) -> bool:
    """Return whether the WAL beside a database belongs to it; an empty one does.

    `connect` opens the database with URI parameters. Raises the library's error if it cannot be read at all.
    """
    # While another process writes, the three looks may see three states; a real mismatch persists.
    for again in range(_TRIES):
        if again:
            time.sleep(_PAUSE_SECONDS)
        pages = _committed(log_of(path))
        if not pages:
            return True
        try:
            alone = _numbers(connect, "immutable=1")
        except (sqlite3.Error, sqlcipher.Error):
            # A power cut may have torn a page that the WAL repairs.
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
    with closing(connect(how)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'commits'").fetchone():
            return None
        row = connection.execute(_READ).fetchone()
        return Numbers(*row) if row else None


def _committed(log: Path) -> set[int]:
    """Return the pages in a WAL's committed transactions, as far as its frames belong together."""
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
