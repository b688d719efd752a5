"""Tasks that live and end together, or run in the background."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

_under_way: set[asyncio.Future[None]] = set()


async def until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run all coroutines until one ends, cancel the others, and raise what ended it."""
    tasks = [asyncio.create_task(work) for work in works]
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


async def watched(task: asyncio.Task[None]) -> None:
    """Wait for a task, and raise what ended it; a waiter that is cancelled leaves it running."""
    await asyncio.shield(task)


def go_on(work: Awaitable[None]) -> None:
    """Run an awaitable in a background task that nobody waits for."""
    task = asyncio.ensure_future(work)
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


@asynccontextmanager
async def accompanied(work: Callable[[asyncio.Event], Awaitable[None]]) -> AsyncIterator[None]:
    """Run background work during the block. Afterwards its event is set, and it ends by itself."""
    done = asyncio.Event()
    go_on(work(done))
    try:
        yield
    finally:
        done.set()
