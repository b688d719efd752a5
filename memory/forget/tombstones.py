"""The tombstones' log: keyed hashes of what was forgotten, in a file beside the database that backups do not replace.

A tombstone is a message's public id. It is appended and synced before any row is touched, so that a restored backup, an older
file put back by hand, a late original and a running dream all meet it. The database remembers how much of the log it was
told; what lies behind that is read at the next open.
"""

import asyncio
import errno
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.errors import DiskFull
from memory.store.database import Database, Transaction

_READ = "tombstones read"


@dataclass(frozen=True, slots=True)
class Unread:
    """The names in the log that a database was not told of, and what to remember once it was."""

    names: Sequence[str]
    mark: str


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The log of one database."""

    db: Database
    log: Path

    async def append(self, names: Sequence[str]) -> None:
        """Write names to the log and sync it to disk. Raises DiskFull; then nothing may be forgotten."""
        if names:
            await asyncio.to_thread(self._append, names)

    async def unread(self, *, all_of_it: bool = False) -> Unread:
        """Return what the database was not told of, or the whole log."""
        row = await self.db.one("SELECT value FROM install WHERE key = :key", {"key": _READ})
        read, last = json.loads(row["value"]) if row and not all_of_it else (0, "")
        return await asyncio.to_thread(self._unread, read, last)

    def _append(self, names: Sequence[str]) -> None:
        try:
            handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # Each on a line of its own, even behind one that a power cut tore.
                lines = "".join(f"\n{name}\n" for name in names).encode("ascii")
                if os.write(handle, lines) < len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise DiskFull(f"Nothing was forgotten: {self.log} could not be written ({error.strerror}).") from error

    def _unread(self, read: int, last: str) -> Unread:
        try:
            whole = self.log.read_bytes()
        except FileNotFoundError:
            whole = b""
        whole = whole[: whole.rfind(b"\n") + 1]
        # Another log than the one that was read before, or a shorter one: all of it is news.
        known = whole[:read].rstrip().endswith(last.encode()) and len(whole) >= read
        names = whole[read if known else 0 :].decode("ascii", "replace").split()
        mark = [len(whole), whole.split()[-1].decode("ascii", "replace") if whole.strip() else ""]
        return Unread(list(dict.fromkeys(names)), json.dumps(mark))


async def remember_read(tx: Transaction, unread: Unread) -> None:
    """Note that the database was told of all that was unread."""
    await tx.run(
        "INSERT INTO install (key, value) VALUES (:key, :mark) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        {"key": _READ, "mark": unread.mark},
    )


async def put_up(tx: Transaction, names: Iterable[str], now: int) -> None:
    """Put up tombstones of these names."""
    await tx.many(
        "INSERT INTO tombstones (public_id, buried_at) VALUES (:id, :now) ON CONFLICT DO NOTHING",
        ({"id": name, "now": now} for name in names),
    )
