"""Locks between processes, on files of the home. The operating system releases them when a process ends, however it ends."""

import fcntl
import os
from pathlib import Path
from typing import Self

from localization.sentences import Said
from memory.errors import HomeInUse
from memory.store.database import Reader
from memory.store.home_files import unwritable


class FileLock:
    """A file lock, shared or exclusive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def take(self, *, shared: bool = False) -> bool:
        """Take the lock without blocking; return False if another process holds it. Raises NotWritable."""
        if self._handle is not None:
            return True
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unwritable(self.path.parent, error) from error
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def require(self, otherwise: Said, *, shared: bool = False) -> Self:
        """Take the lock, or raise HomeInUse with the given sentence."""
        if not self.take(shared=shared):
            raise HomeInUse(otherwise)
        return self

    def release(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class FileHolders:
    """Claim holders: each process under a name of its own, alive while it holds the lock on its file."""

    def __init__(self, folder: Path, own: str) -> None:
        self.own = own
        self._folder = folder
        self._lock = FileLock(folder / own)

    def mark(self) -> None:
        self._lock.take()

    async def join(self) -> None:
        """Do nothing: a registered process is alive."""

    async def leave(self) -> None:
        self._lock.path.unlink(missing_ok=True)
        self._lock.release()

    async def living(self, reader: Reader, name: str) -> bool:
        """Return whether a holder is alive; a dead one's file is removed."""
        return name == self.own or self.seen(name) is True

    def seen(self, name: str) -> bool | None:
        """Return whether another holder in this folder is alive, None if the name is unknown here."""
        other = FileLock(self._folder / name)
        if not other.path.exists():
            return None
        if not other.take():
            return True
        other.path.unlink(missing_ok=True)
        other.release()
        return False
