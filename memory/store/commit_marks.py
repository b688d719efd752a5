"""Marks: files that record the last commits a process knew to be durable, so that a loss since then is noticed.

They detect a database file that was replaced by an older one, and a standby that took over without the last commits. A reported
loss is certain; commits after the last mark of a killed process may be lost unnoticed.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memory.ports import Clock
from memory.store import home_files
from memory.store.database import Database
from memory.types import DAY, MINUTE

_SUFFIX, _LOST = ".mark", "lost"
_BELIEVED, _TOLD = 200 * DAY, 7 * DAY


@dataclass(frozen=True, slots=True)
class CommitMark:
    """The commits a process knew to be durable at an instant; `memory` identifies the memory, which may have been replaced."""

    memory: str
    commits: Mapping[str, int]
    at: int


@dataclass(frozen=True, slots=True)
class LostCommits:
    """A loss: how many commits, until when they were there, when the newest message left was stored, and when it was noticed."""

    commits: int
    until: int
    newest: int
    found_at: int


class CommitMarks:
    """The marks of the processes of a home; this process writes only `own`."""

    def __init__(self, db: Database, path: Path, own: str, memory: str, clock: Clock) -> None:
        self._db = db
        self._folder = path.with_name(home_files.COMMITS)
        # In a file, commits are numbered across processes, so that there is one mark.
        self._file = path.name
        self._own = own if db.peers is not None else path.name
        self._memory = memory
        self._clock = clock
        self._noted: Mapping[str, int] = {}

    async def compare(self) -> LostCommits | None:
        """Return the commits that the memory lacks, None if none; a loss is returned once. Raises OSError."""
        now, found, until = self._clock.now(), 0, 0
        for file, mark in self._marks():
            if now - mark.at > _BELIEVED or mark.memory != self._memory:
                continue
            if file.stem == self._own:
                self._noted = mark.commits
            if lacks := await self._db.lacking(file.stem, mark.commits):
                found, until = found + lacks, max(until, mark.at)
        if not found:
            return None
        row = await self._db.one("SELECT stored_at AS newest FROM exchanges ORDER BY item DESC LIMIT 1")
        lost = LostCommits(found, until, row["newest"] if row else 0, now)
        home_files.write_atomically(self._folder / _LOST, json.dumps(asdict(lost)).encode())
        for file, _ in self._marks():
            file.unlink(missing_ok=True)
        self._noted = {}
        return lost

    async def note(self) -> None:
        """Write the mark of this process, and remove outdated ones. Raises OSError."""
        commits = dict(await self._db.kept_commits())
        if not commits or commits == self._noted:
            return
        mark = CommitMark(self._memory, commits, self._clock.now())
        self._folder.mkdir(exist_ok=True, mode=0o700)
        home_files.write_atomically(self._folder / f"{self._own}{_SUFFIX}", json.dumps(asdict(mark)).encode())
        self._noted = commits
        if not self._db.outdated.is_set():
            for file, other in self._marks():
                if other.at < mark.at - MINUTE:
                    file.unlink(missing_ok=True)

    def last_loss(self) -> LostCommits | None:
        """Return the loss noticed within the last week, if any."""
        with suppress(OSError, ValueError, TypeError):
            lost = LostCommits(**json.loads((self._folder / _LOST).read_bytes()))
            return lost if self._clock.now() - lost.found_at <= _TOLD else None
        return None

    def _marks(self) -> Iterator[tuple[Path, CommitMark]]:
        """Yield the readable marks."""
        for file in sorted(self._folder.glob(f"*{_SUFFIX}")):
            if (file.stem == self._file) is not (self._db.peers is None):
                continue
            with suppress(OSError, ValueError, TypeError):
                yield file, CommitMark(**json.loads(file.read_bytes()))
