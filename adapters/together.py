"""Works that live and end together."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends, end the others, and raise what ended it."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        ended = [task for task in tasks if task.done()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        task.result()
