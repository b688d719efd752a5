"""Rounds in which a memory on a server is measured as it is and, beside that and in turns, without something that guards it."""

import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.store.postgresql.database_server import DatabaseAddress
from memory.text.time.times import SystemClock
from tests.kits.postgres import postgres

TURNS = 60
_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
_MILLISECONDS = 1_000
Row = Callable[[str, float, str, float, str], None]


async def medians(
    rounds: int, measured: Callable[[DatabaseAddress, Path, bool], Awaitable[Sequence[float]]]
) -> list[list[float]]:
    """Return the medians of what is measured on fresh databases, as they are and otherwise, as `measured` is told by its last."""
    found: dict[bool, list[Sequence[float]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory(dir=_DISK) as name, postgres(on=_DISK) as server:
        for n in range(rounds):
            for as_it_is in found:
                folder = Path(name) / f"{as_it_is}{n}"
                folder.mkdir()
                found[as_it_is].append(await measured(server.make(folder.name.lower()), folder / "lyra.db", as_it_is))
    return [[median(column) for column in zip(*some, strict=True)] for some in found.values()]


@asynccontextmanager
async def opened(address: DatabaseAddress, path: Path) -> AsyncIterator[Memory]:
    """Open a memory on a server, for the block."""
    async with await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds()), address=address) as memory:
        yield memory


async def timed(times: int, work: Callable[[int], Awaitable[object]]) -> tuple[float, float]:
    """Return the milliseconds of the processor and of the clock that work takes each time."""
    worked, began = time.process_time(), time.perf_counter()
    for n in range(times):
        await work(n)
    return (time.process_time() - worked) * _MILLISECONDS / times, (time.perf_counter() - began) * _MILLISECONDS / times
