"""What it costs that a server shows and takes only what is of the domains at hand: the writes of a turn, and its reads."""

from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from memory.index.hits import RecallLimits
from memory.store.database import Row as StoredRow
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.scope import Scope
from memory.store.postgresql.sealing import sealer
from memory.types import DomainKind, DomainRef, SessionRef
from tests.bench.rounds import TURNS, Row, medians, opened, timed
from tests.bench.writers import SAID, write
from tests.kits.postgres import unguarded

_ROUNDS = 5


async def measure(row: Row) -> None:
    """Measure processor and wall time of a turn's writes, and of what is read for one, guarded beside unguarded, in turns."""
    told = "processor time of a turn's writes", "a turn's writes", "processor time of what is read for it", "what is read for it"
    for what, one, other in zip(told, *await medians(_ROUNDS, _measured), strict=True):
        row(f"{what}, guarded", one, "unguarded", other, "ms")


def _lift(address: DatabaseAddress, patch: pytest.MonkeyPatch) -> None:
    """Have no table be guarded, and nothing be said with what is read."""
    with psycopg.connect(unguarded(address), autocommit=True) as there:
        tables = there.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'lyra' AND rowsecurity").fetchall()
        for (table,) in tables:
            there.execute(f"ALTER TABLE lyra.{table} DISABLE ROW LEVEL SECURITY".encode())

    async def asked(connection: PipelinedConnection, _scope: Scope, sql: str, given: Sequence[object] = ()) -> list[StoredRow]:
        cursor = await connection.execute(sql, given, binary=True)
        return await cursor.fetchall() if cursor.description else []

    patch.setattr(sealer, "query", asked)


async def _measured(address: DatabaseAddress, path: Path, guarded: bool) -> tuple[float, ...]:
    with pytest.MonkeyPatch.context() as patch:
        async with opened(address, path) as memory:
            if not guarded:
                _lift(address, patch)
            await write(memory, "then", 10)
            writes = await timed(TURNS, lambda n: write(memory, f"then {n}", 1))
            domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", "then"), "UTC", 0)
            view = memory.view(domain)
            session = await view.sessions.get(SessionRef("bench", "then"), "then")

            async def read(_: int) -> None:
                await view.messages.window(session, 20)
                await view.recall.at_once(SAID, RecallLimits(20, 8, 4), (), "")
                await view.digests.statements("profile")

            return (*writes, *await timed(TURNS, read))
