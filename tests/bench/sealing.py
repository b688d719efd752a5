"""What it costs that what holds words is sealed on a server: the writes of a turn, and a domain that is read for its index."""

import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import pytest

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.store.postgresql.address import Address
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, NewExchange, SessionRef
from tests.bench.writers import SAID, write
from tests.kits.memory_kit import said
from tests.kits.postgres import postgres
from tests.kits.sealed_kit import unsealed

_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
_TURNS, _ROUNDS, _MESSAGES = 60, 3, 4_000
_MILLISECONDS = 1_000
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row) -> None:
    """Measure processor and wall time of a turn's writes and of the rows of an index, sealed beside in words, in turns."""
    with tempfile.TemporaryDirectory(dir=_DISK) as name, postgres(on=_DISK) as server:
        found: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
        for n in range(_ROUNDS):
            for sealed in (True, False):
                folder = Path(name) / f"{sealed}{n}"
                folder.mkdir()
                with pytest.MonkeyPatch.context() as patch, nullcontext() if sealed else unsealed(patch):
                    found[sealed].append(await _measured(server.make(f"{sealed}{n}".lower()), folder / "lyra.db"))
    sealed_, words = ([median(column) for column in zip(*found[way], strict=True)] for way in (True, False))
    row("processor time of a turn's writes, sealed", sealed_[0], "in words", words[0], "ms")
    row("a turn's writes, sealed", sealed_[1], "in words", words[1], "ms")
    row(f"the rows of an index of {_MESSAGES:,} messages, sealed", sealed_[2], "in words", words[2], "ms")


async def _measured(address: Address, path: Path) -> tuple[float, float, float]:
    async with await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds()), address=address) as memory:
        await write(memory, "first", 10)
        worked, began = time.process_time(), time.perf_counter()
        await write(memory, "then", _TURNS)
        turn = (time.process_time() - worked) / _TURNS, (time.perf_counter() - began) / _TURNS
        domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", "index"), "UTC", 0)
        view = memory.view(domain)
        session = await view.sessions.get(SessionRef("bench", "index"), "index")
        for start in range(0, _MESSAGES, 500):
            some: list[NewExchange] = [said(f"{SAID} {n}", f"i{n}", n) for n in range(start, start + 500)]
            await view.say(session, some)
        worked = time.process_time()
        rows = await memory.db.all(
            "SELECT t.speaker, t.hashes, t.fingerprint FROM terms t WHERE t.domain = :d", {"d": domain.key}
        )
        assert len([tuple(one) for one in rows]) >= _MESSAGES
        return turn[0] * _MILLISECONDS, turn[1] * _MILLISECONDS, (time.process_time() - worked) * _MILLISECONDS
