"""Being asked to stop: signals set an event, and a deadline ends the process in time, whatever it still waits for.

The interpreter waits for all of its threads, and a thread in a DNS lookup, on a hanging disk or writing to a stalled reader cannot be
cancelled. Exiting regardless is as safe as a kill, which loses nothing.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from adapters.task_groups import cancel
from bot.service.log import log

T = TypeVar("T")
SECONDS = 9.0
"""The deadline after the request to stop; Docker kills after ten seconds."""
_TELLING_SECONDS = 0.5
"""The time limit for logging what did not end: the log itself may hang."""


class Stop(asyncio.Event):
    """The event that this process was asked to stop; the deadline runs from then on."""

    def __init__(self, on_set: Callable[[], None]) -> None:
        """Prepare; must be created in the running event loop. `on_set` is called when the process is asked to stop."""
        super().__init__()
        self._on_set = on_set
        self._running = asyncio.get_running_loop()
        self._beginning = threading.Lock()
        self._code = 0

    def set(self, code: int = 0) -> None:
        """Ask the process to stop; `code` is its exit code if it misses the deadline."""
        self._code = self._code or code
        self.begin()
        self._on_set()
        super().set()

    def begin(self) -> None:
        """Start the deadline (idempotent); a signal handler may call it while the event loop is blocked."""
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
    """Return the current line of each thread that the interpreter would wait for, without any stored text."""
    awaited = {one.ident: one.name for one in threading.enumerate() if not one.daemon}
    found = []
    for ident, frame in sys._current_frames().items():
        if ident in awaited:
            file = frame.f_code.co_filename.rsplit("/", 1)[-1]
            found.append(f"{awaited[ident]}:{file}:{frame.f_lineno}")
    return sorted(found)


@asynccontextmanager
async def until_stopped() -> AsyncIterator[asyncio.Event]:
    """Yield an event that is set on SIGINT or SIGTERM, then remove the signal handlers."""
    stop = asyncio.Event()
    with _set_on_signals(stop):
        yield stop


@asynccontextmanager
async def until_ended(hurry: Callable[[], None]) -> AsyncIterator[Stop]:
    """Yield an event that is set on SIGINT or SIGTERM, and from then on end the process in time, whatever it waits for.

    `hurry` is called then.
    """
    stop = Stop(hurry)
    with _set_on_signals(stop):
        for number in (signal.SIGINT, signal.SIGTERM):
            # The event loop is woken beside this, unless it stands still.
            signal.signal(number, lambda _number, _frame: stop.begin())
        yield stop


async def unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T | None:
    """Return the result of some work, None if it was stopped, or took longer than so many seconds: it is cancelled then."""
    working, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((working, stopped), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        await cancel(working, stopped)


@contextmanager
def _set_on_signals(stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
