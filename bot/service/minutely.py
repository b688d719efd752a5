"""Jobs that are done every minute, by a clock that nobody sets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from adapters.task_groups import cancel
from bot.service.log import carried_on

MINUTE = 60.0
"""The seconds between two runs of a job."""
_JOB = "job"
Work = Callable[[], Awaitable[None]]


@asynccontextmanager
async def minutely(works: Sequence[Work], at_once: Work | None = None) -> AsyncIterator[None]:
    """Do each job every minute during the block, and `at_once` immediately; one that fails is logged, and done again."""
    jobs = [asyncio.create_task(_repeated(work)) for work in works]
    if at_once:
        jobs.append(asyncio.create_task(_done(at_once)))
    try:
        yield
    finally:
        await cancel(*jobs)


async def _repeated(work: Work) -> None:
    while True:
        await asyncio.sleep(MINUTE)
        job = asyncio.create_task(_done(work))
        try:
            # A job that cancels itself is done again all the same.
            await asyncio.wait([job])
        finally:
            await cancel(job)


async def _done(work: Work) -> None:
    await carried_on(work(), _JOB)
