"""The home: shared and exclusive access to it, and recovery from an interrupted restore."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.config.environment import Environment
from localization.sentences import lazy
from memory.ports import Clock
from memory.store import home_files, restoring
from memory.store.backup import Unfinished
from memory.store.file_locks import FileLock

_REPLACED = lazy("Another command is replacing this memory. Try again in a moment.")
_AT_WORK = lazy("Lyra is at work in this home. End her and every lyra command first, then try again.")


@contextmanager
def hold_shared(environment: Environment, clock: Clock, *, kept_here: bool = True) -> Iterator[restoring.SupersededMemory | None]:
    """Hold the home for the block, shared with other processes, with interrupted work finished and file modes private.

    Yields what a restore that is finished here set aside. Requires the memory's file if `kept_here`. Raises HomeInUse,
    MemoryMissing.
    """
    lock = FileLock(environment.home / "use.lock")
    try:
        lock.require(_REPLACED, shared=True)
        aside = None
        while restoring.is_decided(environment.db_path):
            lock.release()
            aside = _finish(lock.require(_REPLACED), environment, clock)
            lock.require(_REPLACED, shared=True)
        home_files.make_private(*_stored_files(environment))
        restoring.clear(environment.db_path)
        Unfinished(environment.db_path).clear()
        if kept_here:
            home_files.require_there(environment.db_path)
        yield aside
    finally:
        lock.release()


@contextmanager
def hold_exclusive(environment: Environment, clock: Clock) -> Iterator[None]:
    """Hold the home exclusively for the block, with an interrupted restore finished. Raises HomeInUse."""
    lock = FileLock(environment.home / "use.lock")
    try:
        lock.require(_AT_WORK)
        if restoring.is_decided(environment.db_path):
            restoring.finish(environment.db_path, clock.now())
        yield
    finally:
        lock.release()


def _finish(lock: FileLock, environment: Environment, clock: Clock) -> restoring.SupersededMemory | None:
    try:
        return restoring.finish(environment.db_path, clock.now()) if restoring.is_decided(environment.db_path) else None
    finally:
        lock.release()


def _stored_files(environment: Environment) -> Iterator[Path]:
    """Yield the files that Lyra stores. The key is not among them: `lyra doctor` reports who could read it."""
    home, beside = environment.home, environment.db_path.parent
    yield from (file for file in beside.glob("*") if file.name.startswith(environment.db_path.name))
    yield beside / home_files.TOMBSTONES
    for folder in (
        beside / home_files.HOLDERS,
        beside / home_files.COMMITS,
        beside / home_files.LEFT,
        beside / "backups",
        home / "chats",
        home / "matrix",
    ):
        yield from folder.rglob("*")
    yield from (home / "web-token", *home.glob("*.lock"))
