"""Jobs that are done every minute, whatever the clock on the wall shows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from bot.service.log import carried_on

MINUTE = 60.0
"""The seconds between two runs of a job."""
_JOB = "job"
Work = Callable[[], Awaitable[None]]


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
