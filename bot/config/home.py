"""The home: shared and exclusive access to it, and recovery from an interrupted restore."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.config.environment import Surroundings
from localization.sentences import lazy
from memory.ports import Clock
from memory.store import home_files, restoring
from memory.store.backup import Unfinished
from memory.store.locks import FileLock

_REPLACED = lazy("Another command is replacing this memory. Try again in a moment.")
_AT_WORK = lazy("Lyra is at work in this home. End her and every lyra command first, then try again.")


@contextmanager
def used(around: Surroundings, clock: Clock, *, kept_here: bool = True) -> Iterator[restoring.SetAside | None]:
    """Hold the home for the block, shared with other processes, with interrupted work finished and file modes private.

    Yields what a restore that is finished here set aside. Requires the memory's file if `kept_here`. Raises HomeInUse,
    MemoryMissing.
    """
    lock = FileLock(around.home / "use.lock")
    try:
        lock.require(_REPLACED, shared=True)
        aside = None
        while restoring.is_decided(around.db_path):
            lock.release()
            aside = _finish(lock.require(_REPLACED), around, clock)
            lock.require(_REPLACED, shared=True)
        home_files.make_private(*_kept(around))
        restoring.clear(around.db_path)
        Unfinished(around.db_path).clear()
        if kept_here:
            home_files.require_there(around.db_path)
        yield aside
    finally:
        lock.release()


@contextmanager
def alone(around: Surroundings, clock: Clock) -> Iterator[None]:
    """Hold the home exclusively for the block, with an interrupted restore finished. Raises HomeInUse."""
    lock = FileLock(around.home / "use.lock")
    try:
        lock.require(_AT_WORK)
        if restoring.is_decided(around.db_path):
            restoring.finish(around.db_path, clock.now())
        yield
    finally:
        lock.release()


def _finish(lock: FileLock, around: Surroundings, clock: Clock) -> restoring.SetAside | None:
    try:
        return restoring.finish(around.db_path, clock.now()) if restoring.is_decided(around.db_path) else None
    finally:
        lock.release()


def _kept(around: Surroundings) -> Iterator[Path]:
    """Yield the files that Lyra stores. The key is not among them: `lyra doctor` reports who could read it."""
    home, beside = around.home, around.db_path.parent
    yield from (file for file in beside.glob("*") if file.name.startswith(around.db_path.name))
    yield beside / home_files.TOMBSTONES
    for folder in (beside / home_files.HOLDERS, beside / home_files.LEFT, beside / "backups", home / "chats", home / "matrix"):
        yield from folder.rglob("*")
    yield from (home / "web-token", *home.glob("*.lock"))
