"""What it costs that a server shows and takes only what is of the domains at hand: the writes of a turn, and its reads."""

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import psycopg
import pytest

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.store.database import Row as StoredRow
from memory.store.postgresql import transaction
from memory.store.postgresql.address import Address
from memory.store.postgresql.connection import Connection
from memory.store.postgresql.guarding.scope import Scope
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, SessionRef
from memory.view.recalled import Wanted
from tests.bench.writers import SAID, write
from tests.kits.postgres import postgres, unguarded

_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
_TURNS, _ROUNDS = 60, 5
_MILLISECONDS = 1_000
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row) -> None:
    """Measure processor and wall time of a turn's writes, and of what is read for one, guarded beside unguarded, in turns."""
    with tempfile.TemporaryDirectory(dir=_DISK) as name, postgres(on=_DISK) as server:
        found: dict[bool, list[tuple[float, ...]]] = {True: [], False: []}
        for n in range(_ROUNDS):
            for guarded in (True, False):
                folder = Path(name) / f"{guarded}{n}"
                folder.mkdir()
                address = server.make(f"{guarded}{n}".lower())
                with pytest.MonkeyPatch.context() as patch:
                    lift = partial(_lift, address, patch) if not guarded else None
                    found[guarded].append(await _measured(address, folder / "lyra.db", lift))
    with_, without = ([median(column) for column in zip(*found[way], strict=True)] for way in (True, False))
    told = "processor time of a turn's writes", "a turn's writes", "processor time of what is read for it", "what is read for it"
    for what, one, other in zip(told, with_, without, strict=True):
        row(f"{what}, guarded", one, "unguarded", other, "ms")


def _lift(address: Address, patch: pytest.MonkeyPatch) -> None:
    """Have no table be guarded, and nothing be said with what is read."""
    with psycopg.connect(unguarded(address), autocommit=True) as there:
        tables = there.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'lyra' AND rowsecurity").fetchall()
        for (table,) in tables:
            there.execute(f"ALTER TABLE lyra.{table} DISABLE ROW LEVEL SECURITY".encode())

    async def asked(connection: Connection, _scope: Scope, sql: str, given: Sequence[object] = ()) -> list[StoredRow]:
        cursor = await connection.execute(sql, given, binary=True)
        return await cursor.fetchall() if cursor.description else []

    patch.setattr(transaction, "asked", asked)


async def _measured(address: Address, path: Path, lift: Callable[[], None] | None) -> tuple[float, ...]:
    async with await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds()), address=address) as memory:
        if lift:
            lift()
        await write(memory, "then", 10)
        writes = await _timed(_TURNS, lambda n: write(memory, f"then {n}", 1))
        domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", "then"), "UTC", 0)
        view = memory.view(domain)
        session = await view.sessions.get(SessionRef("bench", "then"), "then")

        async def read(_: int) -> None:
            await view.messages.window(session, 20)
            await view.recall.at_once(SAID, Wanted(20, 8, 4), (), "")
            await view.digests.statements("profile")

        return (*writes, *await _timed(_TURNS, read))


async def _timed(times: int, work: Callable[[int], Awaitable[None]]) -> tuple[float, float]:
    """Return the milliseconds of the processor and of the clock that work takes each time."""
    worked, began = time.process_time(), time.perf_counter()
    for n in range(times):
        await work(n)
    return (time.process_time() - worked) * _MILLISECONDS / times, (time.perf_counter() - began) * _MILLISECONDS / times
