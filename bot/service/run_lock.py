"""Who is awake in a home: one process that does everything, or several in their roles, each to be reached by a command."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memory.store.file_locks import FileLock


def run_lock(home: Path) -> FileLock:
    """Return the lock of whoever is awake in a home, which several in their roles share."""
    return FileLock(home / "run.lock")


def is_awake(home: Path) -> bool:
    """Return whether somebody is awake in a home. Raises NotWritable."""
    lock = run_lock(home)
    awake = not lock.take()
    lock.release()
    return awake


@contextmanager
def reloadable(home: Path) -> Iterator[None]:
    """Have `reload` reach this process during the block, in which it reads its configuration again at SIGHUP."""
    own = FileLock(home / f"run-{os.getpid()}.lock")
    try:
        own.take()
        yield
    finally:
        own.path.unlink(missing_ok=True)
        own.release()


def reload(home: Path) -> bool:
    """Have everybody who is awake in a home read the configuration again; return whether there was anybody."""
    reached = False
    for path in home.glob("run-*.lock"):
        process = FileLock(path)
        # A process that was killed leaves its file, and another may have its number by now.
        if process.take():
            path.unlink(missing_ok=True)
            process.release()
            continue
        with suppress(OSError, ValueError):
            os.kill(int(path.stem.removeprefix("run-")), signal.SIGHUP)
            reached = True
    return reached
