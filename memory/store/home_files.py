"""The files of one memory: the database and its companions, which only their owner may read."""

import errno
import fcntl
import os
import select
import stat
from contextlib import suppress
from pathlib import Path

from localization.sentences import lazy
from memory.errors import MemoryMissing, NotWritable

TOMBSTONES = "tombstones.log"
HOLDERS = "holders"
COMMITS = "commits"
"""The folder of `CommitMarks`."""
LEFT = "connections"
"""The folder in which connections to platforms leave their sessions for the next start."""
_PATIENCE_MS, _WORD_BYTES = 3_000, 4096
_COMPANIONS = ("-wal", "-shm", "-journal")


def companions(path: Path) -> list[Path]:
    """Return the files that SQLite keeps beside a database, existing or not."""
    return [path.with_name(path.name + suffix) for suffix in _COMPANIONS]


def remove(path: Path) -> None:
    """Remove a database and its companions, itself last, so that an interrupted removal is recognized."""
    for file in (*companions(path), path):
        file.unlink(missing_ok=True)


def clear_folder(path: Path, folder: str) -> None:
    """Remove the files of a folder beside a database: `COMMITS` when another memory replaces it on purpose, `LEFT` before new ones."""
    for file in path.with_name(folder).glob("*"):
        file.unlink(missing_ok=True)


def size(path: Path) -> int:
    """Return a file's size in bytes, 0 if it does not exist."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def sync(path: Path) -> None:
    """Fsync a file's content, or a folder's entries."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unfinished(path: Path) -> Path:
    """Return the path of a file while it is being written."""
    return path.with_name(f"{path.name}.new")


def read_word(path: Path) -> str:
    """Return the word in the first 4 KiB of a file. A pipe may take a few seconds. Raises OSError, UnicodeDecodeError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        readable = select.poll()
        readable.register(handle, select.POLLIN)
        if not readable.poll(_PATIENCE_MS):
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
        return os.read(handle, _WORD_BYTES).decode("ascii")
    finally:
        os.close(handle)


def unwritable(folder: Path, error: OSError) -> NotWritable:
    """Return the error for a folder of the home that cannot be written to."""
    return NotWritable(
        "The folder {parent} cannot be written to ({strerror}). Name another with LYRA_HOME.",
        parent=folder,
        strerror=error.strerror,
    )


def write_atomically(path: Path, data: bytes) -> None:
    """Atomically write and fsync a file that only its owner may read. Raises OSError, with nothing changed.

    Several processes may write it at once: one after another, and each the whole of it.
    """
    part = unfinished(path)
    handle = _held(part)
    with os.fdopen(handle, "wb") as file:
        try:
            os.fchmod(handle, 0o600)
            file.truncate()
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
    sync(path.parent)


def _held(part: Path) -> int:
    """Return the handle of an unfinished file, which is locked against others who would write it."""
    while True:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Whoever held it before has given it its name.
            if os.fstat(handle).st_ino == part.stat().st_ino:
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def make_private(*files: Path) -> None:
    """Restrict these files to their owner. Links, folders and missing files are left alone."""
    for file in files:
        with suppress(OSError):
            mode = file.lstat().st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                file.chmod(stat.S_IMODE(mode) & 0o600)


def leftovers(path: Path) -> list[str]:
    """Return the names of files that show that there was a database."""
    beside = (path.with_name(TOMBSTONES), path.with_name(f"{path.name}-wal"))
    companions_left = [file.name for file in beside if size(file)]
    return [*companions_left, HOLDERS] if path.with_name(HOLDERS).is_dir() else companions_left


def require_there(path: Path) -> None:
    """Raise MemoryMissing if the database is missing or empty although files beside it show that there was one.

    A start interrupted between the key and the database leaves neither tombstones nor holders behind, and may go on.
    """
    if size(path):
        return
    if left := leftovers(path):
        raise MemoryMissing(
            "{what}, though one was kept here. Put the file back, or a backup in its place with: "
            "lyra restore FILE. To begin anew on purpose, move away from {parent}: {left}.",
            what=lazy("The memory {path} is empty", path=path)
            if path.exists()
            else lazy("The memory {path} is missing", path=path),
            parent=path.parent,
            left=", ".join(left),
        )
