"""The queue of the processes that write to one file."""

import asyncio
import fcntl
import os
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlcipher3 import dbapi2 as sqlcipher

T = TypeVar("T")
_APART = sys.platform == "linux"
"""Whether flock and lockf know nothing of each other; elsewhere they exclude each other, even within a process, and nobody yields."""
_TRIES = 6
"""How many busy timeouts a transaction waits for the one that is open."""
_TELL_SECONDS, _QUEUE_SECONDS, _YIELD_SECONDS, _LOOK_SECONDS = 2.0, 60.0, 0.5, 0.01
"""Seconds until a wait is logged, until waiting is given up, that others may write first, and between two tries of a lock."""


@dataclass(frozen=True, slots=True)
class FileSharing:
    """How a process shares a file with the others.

    Without `checkpoints` another process does the automatic ones; if it `yields`, others write first. `tell_wait` is called where
    a transaction waits for them for more than two seconds.
    """

    checkpoints: bool = True
    yields: bool = False
    tell_wait: Callable[[], None] = lambda: None


ALONE = FileSharing()


class WriteQueue:
    """The processes that wait to write to a file: one at a time waits for the end of the transaction that is open.

    SQLite serves nobody in order: who writes one transaction after another, as an import does, could begin the next one before
    those who wait look again. A process that yields lets others write for half a second before each transaction.
    """

    def __init__(self, log: Path, sharing: FileSharing) -> None:
        # SQLite locks the database and its index, but never the log; to close a file that it locks would undo its locks.
        self._log = log
        self._sharing = sharing
        self._front: int | None = None
        self._lowering: asyncio.TimerHandle | None = None
        self._patience = _QUEUE_SECONDS

    async def first(self, step: Callable[[], Awaitable[T]], has_begun: Callable[[], bool]) -> T:
        """Take the step that begins a transaction, once others let it begin, and return what it does.

        `has_begun` returns whether it did. Raises the library's error if others do not let it.
        """
        loop = asyncio.get_running_loop()
        telling = loop.call_later(_TELL_SECONDS, self._tell_unless, has_begun)
        try:
            # Where no log can be made, BEGIN says why.
            with suppress(OSError):
                if self._front is None:
                    self._front = os.open(self._log, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                await self._turn(loop, self._front)
            for _ in range(_TRIES - 1):
                try:
                    return await step()
                except (sqlite3.OperationalError, sqlcipher.OperationalError) as error:
                    if has_begun() or "locked" not in str(error):
                        raise
            return await step()
        finally:
            telling.cancel()
            self.leave()

    async def _turn(self, loop: asyncio.AbstractEventLoop, front: int) -> None:
        """Wait until no other process stands in front, or does not go on, as one that was stopped."""
        if _APART and self._sharing.yields:
            await _take(front, _YIELD_SECONDS, fcntl.lockf)
            fcntl.lockf(front, fcntl.LOCK_UN)
        elif _APART:
            self._show(loop, front)
        # Who was waited for in vain is waited for no more, until the front is free again.
        self._patience = _QUEUE_SECONDS if await _take(front, self._patience) else 0.0

    def _tell_unless(self, has_begun: Callable[[], bool]) -> None:
        # What follows in the same step may take long by itself.
        if not has_begun():
            self._sharing.tell_wait()

    def _show(self, loop: asyncio.AbstractEventLoop, front: int) -> None:
        """Show others that yield that this process writes, for half a second: most of what writes once does so again."""
        if self._lowering is not None:
            self._lowering.cancel()
        with suppress(BlockingIOError):
            fcntl.lockf(front, fcntl.LOCK_SH | fcntl.LOCK_NB)
        self._lowering = loop.call_later(_YIELD_SECONDS, fcntl.lockf, front, fcntl.LOCK_UN)

    def leave(self) -> None:
        """Let the next one wait in front."""
        if self._front is not None:
            fcntl.flock(self._front, fcntl.LOCK_UN)

    def close(self) -> None:
        """Stand in nobody's way any more."""
        if self._lowering is not None:
            self._lowering.cancel()
        if self._front is not None:
            os.close(self._front)
            self._front = None


async def _take(handle: int, seconds: float, lock: Callable[[int, int], None] = fcntl.flock) -> bool:
    """Lock a file as soon as no other process has; return False if one has it for so many seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        try:
            lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if loop.time() >= until:
                return False
            # Nothing reports the commits of another process.
            await asyncio.sleep(_LOOK_SECONDS)
        else:
            return True
