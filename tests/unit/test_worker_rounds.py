"""A worker has only those domains looked after each minute that changed or whose time has come, and tries again what failed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from bot.config.settings import Settings
from bot.service.maintenance import Maintenance
from bot.service.serve import Worker
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.store.domains import by_key
from memory.types import MINUTE
from tests.kits import fresh
from tests.kits.fresh import named, server
from tests.kits.long_talk import CopyingModel, CopyingModels, Unsteady
from tests.kits.memory_kit import HOUR, Corner, Ids, at_home, corner, opened

_on_server = fresh.kept_on_server


class Working:
    """A worker whose minutes come when they are told to, on a memory that it opened."""

    def __init__(self, memory: Memory, here: Corner, model: CopyingModel) -> None:
        self._memory, self._clock, settings = memory, here.clock, Settings()
        self._maintenance = Maintenance(memory, CopyingModels(settings, memory, model), settings, here.clock)
        self._worker = Worker(memory, self._maintenance)

    async def looks_round(self, forward: int = MINUTE) -> int:
        """Let a minute pass, and return in how many domains something is to be looked at."""
        self._clock.forward(forward)
        await self._worker.tick()
        row = await self._memory.db.one("SELECT count(*) AS n FROM claims WHERE name = 'chore'")
        assert row
        return int(row["n"])

    async def works(self) -> None:
        """Do all that waits."""
        chores = self._memory.chores
        while chore := await chores.take():
            domain = await by_key(self._memory.db, chore.domain)
            assert domain
            await self._maintenance.maintain(domain, partial(chores.renew, chore))
            await chores.done(chore)

    async def settles(self) -> None:
        """Do all there is to do anywhere."""
        for _ in range(3):
            await self.looks_round()
            await self.works()


@asynccontextmanager
async def two(folder: Path, model: CopyingModel) -> AsyncIterator[tuple[Corner, Working, Working]]:
    """Give a place where somebody talked, and two workers who have seen to it."""
    async with at_home(folder) as here, opened(folder / "lyra.db", clock=here.clock, ids=Ids("other")) as memory:
        one, other = Working(here.memory, here, model), Working(memory, here, model)
        await talk(here, 4)
        for worker in (one, other, one):
            await worker.settles()
        yield here, one, other


async def talk(here: Corner, n: int) -> None:
    """Say some things."""
    for at in range(n):
        await here.say(f"The parrot said number {at} today.")


async def test_a_minute_in_which_nobody_says_anything_asks_for_no_domain_however_many_there_are(tmp_path: Path) -> None:
    async with two(tmp_path, CopyingModel()) as (here, one, other):
        for n in range(10):
            await talk(await corner(here.memory, here.clock, f"p{n}", place=f"p{n}"), 2)
        assert await one.looks_round() >= 10
        await one.works()
        for worker in (one, other):
            await worker.settles()
        before = here.memory.db.reads
        assert [await worker.looks_round() for worker in (one, other)] == [0, 0]
        assert here.memory.db.reads - before <= 5


async def test_where_somebody_says_something_and_where_it_is_time_is_looked_after(tmp_path: Path) -> None:
    async with two(tmp_path, CopyingModel()) as (here, one, _):
        await here.say("One more.")
        assert await one.looks_round() == 1
        await one.works()
        assert await one.looks_round() == 0
        await here.say("And another.")
        assert await one.looks_round() == 1
        await one.works()
        assert await here.count("digests") == 0
        assert await one.looks_round(7 * HOUR) == 1
        await one.works()
        assert await here.count("digests") == 1


async def test_what_one_worker_fails_at_is_tried_again_though_another_had_asked_for_it(tmp_path: Path) -> None:
    model = Unsteady()
    async with two(tmp_path, model) as (here, one, other):
        await talk(here, 20)
        model.failing = 1
        assert await one.looks_round() == 1
        await other.works()
        assert (await here.count("digests"), model.failing) == (0, 0)
        assert await other.looks_round() == 1
        await other.works()
        assert await here.count("digests") == 1


async def test_what_could_not_be_asked_for_is_asked_for_in_the_next_minute(tmp_path: Path) -> None:
    async with two(tmp_path, CopyingModel()) as (here, one, _):
        await here.say("One more.")
        await here.memory.db.all("SELECT 1 AS one")
        server().ask("REVOKE INSERT ON lyra.claims FROM lyra", named(tmp_path / "lyra.db"))
        with pytest.raises(MemoryFailure):
            await one.looks_round()
        server().ask("GRANT INSERT ON lyra.claims TO lyra", named(tmp_path / "lyra.db"))
        assert await one.looks_round() == 1
