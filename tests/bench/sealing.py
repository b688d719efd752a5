"""What it costs that what holds words is sealed on a server: the writes of a turn, and a domain that is read for its index."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from memory.store.postgresql.database_server import DatabaseAddress
from memory.types import DomainKind, DomainRef, NewExchange, SessionRef
from tests.bench.rounds import TURNS, Row, medians, opened, timed
from tests.bench.writers import SAID, write
from tests.kits.memory_kit import said
from tests.kits.sealed_kit import unsealed

_ROUNDS, _MESSAGES = 3, 4_000


async def measure(row: Row) -> None:
    """Measure processor and wall time of a turn's writes and of the rows of an index, sealed beside in words, in turns."""
    told = "processor time of a turn's writes", "a turn's writes", f"the rows of an index of {_MESSAGES:,} messages"
    for what, one, other in zip(told, *await medians(_ROUNDS, _measured), strict=True):
        row(f"{what}, sealed", one, "in words", other, "ms")


async def _measured(address: DatabaseAddress, path: Path, sealed: bool) -> tuple[float, ...]:
    with pytest.MonkeyPatch.context() as patch, nullcontext() if sealed else unsealed(patch):
        async with opened(address, path) as memory:
            await write(memory, "first", 10)
            worked, took = await timed(1, lambda _: write(memory, "then", TURNS))
            domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", "index"), "UTC", 0)
            view = memory.view(domain)
            session = await view.sessions.get(SessionRef("bench", "index"), "index")
            for start in range(0, _MESSAGES, 500):
                some: list[NewExchange] = [said(f"{SAID} {n}", f"i{n}", n) for n in range(start, start + 500)]
                await view.say(session, some)

            async def read(_: int) -> None:
                rows = await memory.db.all(
                    "SELECT t.speaker, t.hashes, t.fingerprint FROM terms t WHERE t.domain = :d", {"d": domain.key}
                )
                assert len([tuple(one) for one in rows]) >= _MESSAGES

            return (worked / TURNS, took / TURNS, (await timed(1, read))[0])
