"""Tasks that live and end together, or run in the background."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")

_SOON_SECONDS = 0.25
_under_way: set[asyncio.Future[Any]] = set()


async def until_one_ends(*works: Awaitable[None]) -> None:
    """Run all of these until one ends, cancel the others, and raise what ended it."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        ended = [task for task in tasks if task.done()]
    finally:
        await cancel(*tasks)
    for task in ended:
        task.result()


async def cancel(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks, and wait until each of them has ended, however it does."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def run_in_background(work: Awaitable[T]) -> asyncio.Future[T]:
    """Run an awaitable in a background task that nobody has to wait for, and return the task."""
    task = asyncio.ensure_future(work)
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return task


async def shielded(work: Awaitable[T]) -> T:
    """Await a request that goes on if its caller is cancelled; how it ends is of no concern then.

    discord.py pauses all its requests for a global rate limit, and a request cancelled just then never lets them go on.
    """
    task = run_in_background(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return await asyncio.shield(task)


@asynccontextmanager
async def accompanied(
    act: Callable[[], Awaitable[bool]], seconds: float, last: Callable[[], Awaitable[object]] | None = None
) -> AsyncIterator[None]:
    """Act in the background during a block that lasts, every so many seconds as long as that returns True; then do the `last`.

    This begins after a quarter of a second, as what takes less needs no telling, and ends by itself after the block: no request of
    it is cancelled.
    """
    done = asyncio.Event()

    async def go() -> None:
        while not done.is_set() and await act():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await done.wait()
        if last is not None:
            await last()

    begins = asyncio.get_running_loop().call_later(_SOON_SECONDS, lambda: run_in_background(go()))
    try:
        yield
    finally:
        begins.cancel()
        done.set()
