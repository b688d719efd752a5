"""The life cycle of a `lyra run` process: systemd notifications, SIGHUP, jobs every minute, and garbage collection."""

import asyncio
import gc
import signal
import socket
import sys
import termios
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from adapters.task_groups import run_in_background
from bot.app import App
from bot.printing import note
from bot.service import costs
from bot.service.awake import reloadable
from bot.service.log import carried_on, log

_MICROSECONDS = 1_000_000
_NEVER = 1_000_000
_LONGEST_SECONDS = 600.0
"""The longest time between full collections if there is always something to do."""
MINUTE = 60.0
"""The seconds between two runs of a job."""
_JOB = "job"
Work = Callable[[], Awaitable[None]]


class Notifier:
    """Reports the state to systemd, if it runs this process: ready, alive, stopping (the protocol of sd_notify(3)).

    Datagrams go to the socket named by NOTIFY_SOCKET; a no-op without it.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read the socket and the watchdog interval (WATCHDOG_USEC), half of which is used."""
        address = variables.get("NOTIFY_SOCKET", "")
        # A name beginning with @ is an abstract socket of Linux.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        interval = variables.get("WATCHDOG_USEC", "")
        self._seconds = int(interval) / _MICROSECONDS / 2 if interval.isdigit() else 0.0

    def tell(self, state: str) -> None:
        """Send a state, such as READY=1; failures are ignored."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(state.encode(), self._address)

    async def keep_alive(self) -> None:
        """Send watchdog pings from the event loop, until cancelled."""
        while self._address and self._seconds:
            self.tell("WATCHDOG=1")
            await asyncio.sleep(self._seconds)


@asynccontextmanager
async def lifecycle(app: App, stop: asyncio.Event, *every_minute: Work, at_once: Work | None = None) -> AsyncIterator[None]:
    """Notify systemd, reload on SIGHUP, and do jobs every minute during the block.

    The job `at_once` also runs immediately, concurrently with the platforms, since it may wait for a model.
    """
    notifier = Notifier(app.base.environment.variables)
    alive = asyncio.create_task(notifier.keep_alive())
    _on_hangup(app, stop)
    works: list[Work] = [*every_minute, partial(costs.save_usage, app.memory)]
    try:
        with reloadable(app.base.environment.home):
            async with minutely(works, at_once):
                log.info("lyra.started")
                notifier.tell("READY=1")
                yield
    finally:
        alive.cancel()
        notifier.tell("STOPPING=1")
        log.info("lyra.stopped")


def _on_hangup(app: App, stop: asyncio.Event) -> None:
    """Reload the configuration at SIGHUP, or stop if it means that the controlling terminal is gone."""
    at_terminal = sys.stdin.isatty()

    async def reload() -> None:
        note(await app.reloading.try_reload())

    def hung_up() -> None:
        if at_terminal and _is_gone():
            stop.set()
        else:
            run_in_background(reload())

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up)


def _is_gone() -> bool:
    try:
        termios.tcgetattr(sys.stdin)
    except (termios.error, OSError, ValueError):
        return True
    return False


@asynccontextmanager
async def collected_when_quiet(waiting: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> AsyncIterator[Work]:
    """Disable automatic full collections during the block; yield a job, to be run every minute, that makes them.

    It collects if nothing is `waiting`, otherwise every ten minutes, because a full collection blocks everything: with 10,000
    waiting messages it takes 200 to 260 ms (CPython 3.11), and would run 20 times. Younger generations are collected as usual.
    """
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    last = clock()

    async def collect() -> None:
        nonlocal last
        if not waiting() or clock() - last >= _LONGEST_SECONDS:
            gc.collect()
            last = clock()

    try:
        yield collect
    finally:
        gc.set_threshold(young, middle, old)


class Minutely(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """Fires a minute from now.

    APScheduler's interval goes through every minute that was missed: with the clock set forward by a year it held up the event
    loop for 25 s.
    """

    def get_next_fire_time(self, _previous: datetime | None, now: datetime) -> datetime:
        """Return when to fire next."""
        return now + timedelta(seconds=MINUTE)


@asynccontextmanager
async def minutely(works: Sequence[Work], at_once: Work | None = None) -> AsyncIterator[AsyncIOScheduler]:
    """Do each job every minute during the block, and `at_once` immediately; one that fails is logged, and done again."""
    scheduler = AsyncIOScheduler(timezone=UTC)
    for work in works:
        scheduler.add_job(_job(work), Minutely(), max_instances=1, coalesce=True)
    if at_once:
        scheduler.add_job(_job(at_once))
    following = asyncio.create_task(_follow_clock(scheduler))
    scheduler.start()
    try:
        yield scheduler
    finally:
        following.cancel()
        scheduler.shutdown(wait=False)


async def _follow_clock(scheduler: AsyncIOScheduler) -> None:
    """Have jobs done again that wait for more than a minute: the clock was set back, and APScheduler waits for it."""
    while True:
        await asyncio.sleep(MINUTE)
        now = datetime.now(UTC)
        for job in scheduler.get_jobs():
            if job.next_run_time > now + timedelta(seconds=2 * MINUTE):
                job.modify(next_run_time=now)


def _job(work: Work) -> Work:
    async def done() -> None:
        # Cancelling it at shutdown is not an error.
        with suppress(asyncio.CancelledError):
            await carried_on(work(), _JOB)

    return done
