"""Completing work although the awaiting task is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uncancelled(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end even if this task is cancelled meanwhile, and return its result; then raise the cancellation."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and not task.cancelled() and task.exception() is None:
        raise cancelled
    return task.result()


def end_if_asked() -> None:
    """Raise CancelledError if this task was cancelled while it awaited something that failed.

    To be called by code that continues after a failure: a cancellation is delivered only once.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
