"""When the process looks for garbage everywhere: at quiet moments, because everything stands still meanwhile.

While 10,000 messages wait, a full collection takes 200 to 260 ms (measured on CPython 3.11), and comes 20 times by itself.
Young garbage is collected as ever.
"""

import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

_NEVER = 1_000_000
_LONGEST_SECONDS = 600.0
"""How long collections are put off where no moment is quiet."""


@asynccontextmanager
async def collected_when_quiet(
    waiting: Callable[[], int], clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Keep the interpreter from full collections during the block; yield the job, to be run every minute, that makes them.

    It does while nothing is `waiting`, and otherwise every ten minutes.
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
