"""The tombstone log: keyed hashes of what was forgotten, in a file beside the database that backups do not replace.

A tombstone is a keyed hash, mostly a message's public id. It is appended and synced before any row is touched, so that restored
backups, older files put back by hand, late originals and running dreams all meet it. The database remembers how much of the log
it has read; the rest is read at the next open. It also remembers how long the log was at the last tombstone: what a shorter log
has lost is appended to it again. Each line ends with a checksum of its hash, so that a damaged log is noticed: what it was to
meet would come back from an older file.
"""

import asyncio
import errno
import json
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from localization.numerals import number
from memory.errors import DiskFull, TombstonesDamaged
from memory.store import home_files, installation_values
from memory.store.database import Database, Reader, Transaction
from memory.store.lineage import paged, pages

_READ, _WRITTEN = "tombstones read", "tombstones written"
# A power cut truncates a line anywhere. Earlier versions wrote no checksum.
_LINE = re.compile(r"[a-z2-7]{0,26}|(?P<hash>[a-z2-7]{26}) (?P<check>[0-9a-f]{0,8})")


@dataclass(frozen=True, slots=True)
class UnreadTombstones:
    """The hashes in the log that a database has not read, and the mark to store once it has.

    `is_continued` says whether the log is the one read before, possibly grown longer.
    """

    hashes: Sequence[str]
    mark: str
    is_continued: bool


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The log of one database."""

    db: Database
    log: Path

    async def append(self, hashes: Sequence[str]) -> None:
        """Append hashes to the log and sync it to disk. Raises DiskFull; then nothing may be forgotten."""
        if hashes:
            await asyncio.to_thread(self._append, hashes)

    async def complete(self, hashes: Collection[str]) -> None:
        """Append tombstones of the database that are missing from the log, whose complete contents are `hashes`."""
        lost = {row["public_id"] for row in await self.db.all("SELECT public_id FROM tombstones")}.difference(hashes)
        for some in pages(sorted(lost)):
            await self.append(some)

    async def put_up(self, tx: Transaction, hashes: Iterable[str], now: int) -> None:
        """Store tombstones of these hashes, which are in the log, in the database."""
        await put_up(tx, hashes, now)
        await installation_values.put(tx, _WRITTEN, str(home_files.size(self.log)))

    async def unread(self) -> UnreadTombstones:
        """Return what the database has not read. Raises TombstonesDamaged."""
        mark = await installation_values.get(self.db, _READ)
        read, last = json.loads(mark) if mark else (0, "")
        written = await installation_values.get(self.db, _WRITTEN)
        return await asyncio.to_thread(self._unread, read, last, max(read, int(written or 0)))

    def _append(self, hashes: Sequence[str]) -> None:
        self._require_file()
        try:
            handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # Each on a line of its own, even after one that a power cut truncated.
                lines = "".join(f"\n{one} {_check(one)}\n" for one in hashes).encode("ascii")
                if os.write(handle, lines) < len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise DiskFull(
                "Nothing was forgotten: {log} could not be written ({strerror}).", log=self.log, strerror=error.strerror
            ) from error

    def _require_file(self) -> None:
        """Raise TombstonesDamaged where something else than a file has the log's name: a device keeps nothing."""
        if self.log.exists() and not self.log.is_file():
            raise TombstonesDamaged(
                "{log} is not a file, and what was forgotten could come back. Put the file back in its place.", log=self.log
            )

    def _unread(self, read: int, last: str, least: int) -> UnreadTombstones:
        self._require_file()
        try:
            whole = self.log.read_bytes()
        except FileNotFoundError:
            whole = b""
        # A different log than the one read before, or a shorter one, is read as a whole.
        known = whole[:read].rstrip().endswith(last.encode()) and len(whole) >= least
        lines = whole[read if known else 0 :].decode("ascii", "replace").split("\n")
        if not all(map(_is_sound, lines)):
            every = whole.decode("ascii", "replace").split("\n")
            damaged = sum(not _is_sound(line) for line in every)
            raise TombstonesDamaged(
                "{log} is damaged ({damaged} of {lines} lines), and what was forgotten could come back. Put a copy of it "
                "in its place; without one, remove those lines and forget again what may have come back.",
                log=self.log,
                damaged=number(damaged),
                lines=number(sum(map(bool, every))),
            )
        ended = whole[: whole.rfind(b"\n") + 1]
        mark = [len(ended), ended.split()[-1].decode("ascii") if ended.strip() else ""]
        return UnreadTombstones(list(dict.fromkeys(line.split()[0] for line in lines[:-1] if line)), json.dumps(mark), known)


def _check(tombstone: str) -> str:
    return blake2b(tombstone.encode("ascii"), digest_size=4).hexdigest()


def _is_sound(line: str) -> bool:
    """Return whether a line is intact, or the beginning of an intact one."""
    found = _LINE.fullmatch(line)
    return found is not None and (not found["hash"] or _check(found["hash"]).startswith(found["check"]))


async def remember_read(tx: Transaction, unread: UnreadTombstones) -> None:
    """Record that the database has read all that was unread."""
    await installation_values.put(tx, _READ, unread.mark)
    await installation_values.put(tx, _WRITTEN, str(json.loads(unread.mark)[0]))


async def among(reader: Reader, hashes: Iterable[str]) -> set[str]:
    """Return which of these hashes have a tombstone in the database."""
    rows = await paged(reader, "SELECT public_id FROM tombstones WHERE public_id IN ({within})", dict.fromkeys(hashes))
    return {row["public_id"] for row in rows}


async def put_up(tx: Transaction, hashes: Iterable[str], now: int) -> None:
    """Store tombstones of these hashes."""
    await tx.many(
        "INSERT INTO tombstones (public_id, buried_at) VALUES (:id, :now) ON CONFLICT DO NOTHING",
        ({"id": one, "now": now} for one in hashes),
    )
