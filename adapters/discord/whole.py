"""Requests that are made to their end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_under_way: set[asyncio.Task[Any]] = set()


async def whole(work: Coroutine[Any, Any, T]) -> T:
    """Await work that goes on when its caller is cancelled.

    discord.py closes all its requests for a global limit, and a request that is cancelled just then never opens them again.
    """
    task = asyncio.create_task(work)
    _under_way.add(task)
    task.add_done_callback(_ended)
    return await asyncio.shield(task)


def _ended(task: asyncio.Task[Any]) -> None:
    _under_way.discard(task)
    if not task.cancelled():
        task.exception()
