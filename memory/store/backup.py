"""Backups: one encrypted file, made while others go on, read back whole before it counts."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localization.sentences import lazy
from memory.errors import BackupFailed, MemoryFailure
from memory.ports import Progress
from memory.store import home_files
from memory.store.database import Database
from memory.store.file_locks import FileLock
from memory.store.restoring import is_own, reason, verified


async def backup(db: Database, path: Path, key: bytes | None, target: Path, tell: Progress) -> int:
    """Copy the memory at `path` to `target`, verify the copy page by page, and return how many messages it holds.

    `tell` is called with the bytes copied and the total. The target appears only once it is whole. Raises BackupFailed, and
    leaves nothing behind.
    """
    if target.exists():
        raise BackupFailed("{target} already exists. Name a new file.", target=target)
    if is_own(path, target):
        raise BackupFailed("{target} would be taken for a file of the memory itself. Name another.", target=target)
    if not target.absolute().parent.is_dir():
        raise BackupFailed(
            "The folder {folder} does not exist. Make it first, or name a file elsewhere.", folder=target.absolute().parent
        )
    unfinished = Unfinished(path)
    unfinished.clear()
    try:
        with unfinished.temporary_file(target) as part:
            await db.copy_to(part, key, tell)
            held = await verified(part, key)
            home_files.sync(part)
            part.replace(target)
            home_files.sync(target.parent)
    except (OSError, MemoryFailure) as error:
        raise BackupFailed("No backup was made at {target}: {reason}", target=target, reason=reason(error)) from error
    return held


class Unfinished:
    """Records the partial files of backups, wherever they are, so that leftovers of killed ones are found again.

    Each running backup holds the lock on a note file of its own, which names its partial file.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name("backups")

    @contextmanager
    def temporary_file(self, target: Path) -> Iterator[Path]:
        """Create an empty file beside `target` for the block to fill and rename; anything left of it is removed afterwards."""
        name = secrets.token_hex(8)
        part = target.absolute().with_name(f"{target.name}.{name}.part")
        note = self._folder / name
        lock = FileLock(note.with_suffix(".new"))
        try:
            lock.require(lazy("Another backup was just begun. Try again."))
            lock.path.write_text(str(part), "utf-8", "surrogateescape")
            lock.path.replace(note)
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            yield part
        finally:
            home_files.remove(part)
            for left in (note, lock.path):
                left.unlink(missing_ok=True)
            lock.release()

    def clear(self) -> None:
        """Remove the leftovers of backups that are no longer running."""
        for note in sorted(self._folder.glob("*")):
            lock = FileLock(note)
            if not lock.take():
                continue
            part = note.read_text("utf-8", "surrogateescape")
            if part.endswith(f".{note.name}.part"):
                home_files.remove(Path(part))
            note.unlink(missing_ok=True)
            lock.release()
