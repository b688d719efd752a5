"""The end of a process that was asked to end: in time, whatever it still waits for.

A thread in a lookup of a name, a disk that does not answer, a reader of its output that stands still: neither ends by being cancelled,
and an interpreter waits for all of its threads. What such a process leaves is what one leaves that is killed, and that loses nothing.
"""

import asyncio
import os
import sys
import threading
from contextlib import suppress

from bot.service.log import log

SECONDS = 9.0
"""How long after it was asked to end a process is there at most; Docker kills after ten."""
_TELLING_SECONDS = 0.5
"""How long it is tried to say in the log what did not end: the log may be what it stands still at."""


class Stop(asyncio.Event):
    """Whether this process was asked to end; from then on it has `SECONDS`."""

    def __init__(self) -> None:
        """Nobody asked yet. Made in the running event loop."""
        super().__init__()
        self._running = asyncio.get_running_loop()
        self._beginning = threading.Lock()
        self._code = 0

    def set(self, code: int = 0) -> None:
        """Ask it to end; where it does not by itself, it ends with this exit code."""
        self._code = self._code or code
        self.begin()
        super().set()

    def begin(self) -> None:
        """Have the time begin, once; from a signal handler, too, while the event loop stands still."""
        if self._beginning.acquire(blocking=False):
            timer = threading.Timer(SECONDS, self._end)
            timer.daemon = True
            timer.start()

    def _end(self) -> None:
        telling = threading.Thread(target=self._tell, daemon=True)
        telling.start()
        telling.join(_TELLING_SECONDS)
        os._exit(self._code)

    def _tell(self) -> None:
        tasks: set[str] = set()
        with suppress(RuntimeError):
            tasks = {getattr(one.get_coro(), "__qualname__", "") for one in asyncio.all_tasks(self._running)}
        log.warning("lyra.cut_off", tasks=" ".join(sorted(tasks)), threads=" ".join(_standing()))


def _standing() -> list[str]:
    """Return the line at which each thread stands that an interpreter would wait for, without anybody's words."""
    awaited = {one.ident: one.name for one in threading.enumerate() if not one.daemon}
    found = []
    for ident, frame in sys._current_frames().items():
        if ident in awaited:
            file = frame.f_code.co_filename.rsplit("/", 1)[-1]
            found.append(f"{awaited[ident]}:{file}:{frame.f_lineno}")
    return sorted(found)
