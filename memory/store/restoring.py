"""Restoring a backup. However it is interrupted, the home has either the old memory or the new one, whole.

A copy of the backup is staged beside the memory, verified, and rid of what was forgotten since. Renaming it decides: until
then nothing of the old memory is touched; from then on whichever process comes next finishes. The old memory stays beside
the new one for a week, in case the restore was a mistake; no longer, because it holds what is forgotten from then on. The
caller holds the home exclusively.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from localization.sentences import Sentence, lazy
from memory.errors import BackupFailed, MemoryFailure, MemoryUnusable, WrongKey
from memory.ports import Progress
from memory.store import home_files
from memory.store.database import Reader
from memory.store.sqlite.connecting import opens
from memory.store.sqlite.database import SqliteDatabase
from memory.types import DAY

KEPT_FOR = 7 * DAY
_AT_ONCE = 4 * 1024 * 1024
_STAGED, _DECIDED, _ASIDE = ".restoring", ".restored", ".before-restore-"


@dataclass(frozen=True, slots=True)
class SupersededMemory:
    """A memory that was superseded, and until when it is kept."""

    path: Path
    until: int


def staging_path(path: Path) -> Path:
    """Return the path of a staged copy before the decision."""
    return path.with_name(path.name + _STAGED)


def is_own(path: Path, file: Path) -> bool:
    """Return whether a file at this path would be mistaken for one that the memory at `path` keeps beside itself."""
    if file.absolute().parent.resolve() != path.absolute().parent.resolve():
        return False
    further = file.name.removeprefix(path.name) if file.name.startswith(path.name) else ""
    return file.name == home_files.TOMBSTONES or further.startswith((_STAGED, _DECIDED, _ASIDE, "-"))


def clear(path: Path) -> None:
    """Remove what an undecided, interrupted restore left behind."""
    home_files.remove(staging_path(path))


def require_backup(source: Path, key: bytes) -> None:
    """Raise BackupFailed if a file cannot be read, or the key does not open it."""
    try:
        with source.open("rb") as given:
            given.read(1)
    except OSError as error:
        raise BackupFailed(_cannot(source, error)) from error
    if not opens(source, key):
        raise BackupFailed(_no_backup(source))


async def stage(source: Path, key: bytes | None, path: Path, tell: Progress = lambda *_: None) -> int:
    """Copy a backup beside the memory at `path` and verify it whole; return how many messages it holds. Raises BackupFailed.

    `tell` is called with the bytes copied and the total.
    """
    copy = staging_path(path)
    try:
        clear(path)
        for suffix in ("", "-wal"):
            companion = source.with_name(source.name + suffix)
            if not suffix or home_files.size(companion):
                copy_file(companion, copy.with_name(copy.name + suffix), tell)
        return await verified(copy, key)
    except (MemoryUnusable, WrongKey) as error:
        clear(path)
        raise BackupFailed(_no_backup(source)) from error
    except (OSError, MemoryFailure) as error:
        clear(path)
        raise BackupFailed(_cannot(source, error)) from error


def _no_backup(source: Path) -> Sentence:
    return lazy("Nothing was restored: {source} is not a backup, or it was made with a different key.", source=source)


def _cannot(source: Path, error: Exception) -> Sentence:
    return lazy("Nothing was restored from {source}: {reason}", source=source, reason=reason(error))


def decide(path: Path) -> None:
    """Make the staged copy, which nobody has open any more, the memory from now on. Raises BackupFailed."""
    copy = staging_path(path)
    try:
        if any(home_files.size(companion) for companion in home_files.companions(copy)):
            raise BackupFailed("Nothing was restored: {copy} could not be closed.", copy=copy)
        home_files.sync(copy)
        copy.replace(_decided(path))
        home_files.sync(path.parent)
    except (OSError, MemoryFailure) as error:
        clear(path)
        raise BackupFailed("Nothing was restored: {reason}", reason=reason(error)) from error


def is_decided(path: Path) -> bool:
    """Return whether a restore was decided but not finished."""
    return _decided(path).exists()


def finish(path: Path, now: int) -> SupersededMemory | None:
    """Set the old memory aside and move the new one into its place (idempotent); return where the old one is, if any."""
    aside = put_aside(path, now)
    home_files.sync(path.parent)
    _decided(path).replace(path)
    home_files.sync(path.parent)
    return set_aside_memory(aside) if aside.exists() else None


def free_aside(path: Path) -> Path:
    """Return a free name for setting a memory aside."""
    number = 1
    while (aside := path.with_name(f"{path.name}{_ASIDE}{number}")).exists():
        number += 1
    return aside


def put_aside(path: Path, now: int) -> Path:
    """Set a superseded memory aside (idempotent); return its new path."""
    aside = free_aside(path)
    home_files.clear_folder(path, home_files.COMMITS)
    # The log first: while the main file is in place, a rerun chooses the same number.
    for file in (*home_files.companions(path), path):
        if file.name.endswith("-shm") or not home_files.size(file):
            file.unlink(missing_ok=True)
            continue
        with suppress(PermissionError):
            os.utime(file, ns=(now * 1000, now * 1000))
        file.replace(file.with_name(file.name.replace(path.name, aside.name, 1)))
    return aside


def set_aside(path: Path) -> list[SupersededMemory]:
    """Return the memories that were set aside, with the end of their retention."""
    return [set_aside_memory(file) for file in _asides(path) if not _companion(file)]


def drop_old(path: Path, now: int) -> list[Path]:
    """Remove the memories that were set aside a week ago; return which."""
    old = [file for file in _asides(path) if _since(file) + KEPT_FOR <= now]
    for file in sorted(old, key=_companion, reverse=True):
        file.unlink(missing_ok=True)
    return [file for file in old if not _companion(file)]


def _asides(path: Path) -> Iterator[Path]:
    name = re.compile(re.escape(path.name + _ASIDE) + r"\d+(-wal|-journal)?")
    return (file for file in sorted(path.parent.iterdir()) if name.fullmatch(file.name))


def _companion(file: Path) -> bool:
    return file.name.endswith(("-wal", "-journal"))


def set_aside_memory(file: Path) -> SupersededMemory:
    """Return a memory that was set aside, with the end of its retention."""
    return SupersededMemory(file, _since(file) + KEPT_FOR)


def _since(file: Path) -> int:
    # Versions that did not record when they set a memory aside left the time of its last message.
    known = file.stat()
    return max(known.st_mtime_ns, known.st_ctime_ns) // 1000


def _decided(path: Path) -> Path:
    return path.with_name(path.name + _DECIDED)


def copy_file(source: Path, target: Path, tell: Progress) -> None:
    """Copy a file to a new path that only its owner may read; `tell` gets the bytes copied and the total. Raises OSError."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb") as given, os.fdopen(handle, "wb") as copy:
        size = home_files.size(source)
        while piece := given.read(_AT_ONCE):
            copy.write(piece)
            tell(copy.tell(), size)


async def verified(path: Path, key: bytes | None) -> int:
    """Verify a copy page by page; return how many messages it holds."""
    async with await SqliteDatabase.open(path, key) as copy:
        await copy.verify()
        held = await messages(copy)
        await copy.checkpoint()
    return held


async def messages(db: Reader) -> int:
    """Return how many messages a memory holds."""
    row = await db.one("SELECT count(*) AS n FROM exchanges")
    return int(row["n"]) if row else 0


def reason(error: Exception) -> object:
    """Return what went wrong, as a clause for a sentence."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return lazy("no room is left on the disk. Free some and try again.")
    if isinstance(error, OSError):
        return f"{error.strerror or error} ({error.filename})" if error.filename else str(error.strerror or error)
    return error
