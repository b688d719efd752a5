"""Every minute housekeeping looks at the domains that changed or whose time has come, and at no other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.settings import Settings
from bot.service.maintenance import Maintenance
from memory.errors import EmbeddingFailed
from memory.ports import Vectors
from memory.types import MINUTE
from tests.kits.long_talk import CopyingModel, CopyingModels, Unsteady
from tests.kits.memory_kit import DAY, HOUR, BagOfWords, Corner, at_home, corner, utc

IDLE = Settings().episode_idle_minutes


class Offline(BagOfWords):
    """An embedder that cannot be reached until it is said to be there."""

    there = False

    def __init__(self) -> None:
        super().__init__()
        self.failed = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Fail, or embed."""
        if not self.there:
            self.failed.set()
            raise EmbeddingFailed("No embedder answers.")
        return await super().embed(texts)


@asynccontextmanager
async def keeping(here: Corner, model: CopyingModel | None = None) -> AsyncIterator[Maintenance]:
    """Return what keeps house with a writer that copies; it has looked at everything once."""
    settings = Settings()
    maintenance = Maintenance(here.memory, CopyingModels(settings, here.memory, model or CopyingModel()), settings, here.clock)
    for _ in range(2):
        await maintenance.tick()
        await maintenance.drain()
    yield maintenance


async def looked(here: Corner, maintenance: Maintenance, forward: int = MINUTE) -> int:
    """Let time pass, keep house, and return how often memory was read for it."""
    here.clock.forward(forward)
    before = here.memory.db.reads
    await maintenance.tick()
    await maintenance.drain()
    return here.memory.db.reads - before


async def talk(here: Corner, n: int = 4) -> None:
    """Say some things."""
    for at in range(n):
        await here.say(f"The parrot said number {at} today.")


@pytest.mark.file
async def test_a_quiet_minute_costs_the_same_however_many_people_talked_before(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await talk(here)
        async with keeping(here) as maintenance:
            alone = await looked(here, maintenance)
        for n in range(30):
            await talk(await corner(here.memory, here.clock, f"p{n}", place=f"p{n}"))
        async with keeping(here) as maintenance:
            assert await looked(here, maintenance) == alone <= 4


async def test_what_is_said_anywhere_is_seen_to_in_the_next_minute(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here, keeping(here) as maintenance:
        await talk(here, 19)
        await looked(here, maintenance)
        assert await here.count("digests") == 0
        await here.say("and this makes it twenty")
        await looked(here, maintenance)
        assert await here.count("digests") == 1


async def test_a_conversation_that_falls_silent_ends_in_the_minute_in_which_it_is_over(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await talk(here)
        async with keeping(here) as maintenance:
            for _ in range(IDLE - 1):
                await looked(here, maintenance)
            assert await here.count("digests") == 0
            await looked(here, maintenance)
            assert await here.count("digests") == 1


async def test_a_month_ends_when_it_ends_there(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        vienna = await corner(here.memory, here.clock, "eva", "Europe/Vienna")
        here.clock.at = utc("2026-03-31T21:30:00")
        await talk(vienna, 2)
        async with keeping(here) as maintenance:
            while here.clock.at < utc("2026-03-31T21:59:00"):
                await looked(here, maintenance)
            assert await here.count("digests") == 0, "it is eleven o'clock in summer time"
            await looked(here, maintenance)
            assert await here.count("digests") == 1


async def test_what_a_model_could_not_write_is_tried_again_in_the_next_minute(tmp_path: Path) -> None:
    model = Unsteady()
    async with at_home(tmp_path) as here, keeping(here, model) as maintenance:
        model.failing = 3
        await talk(here, 20)
        for _ in range(3):
            await looked(here, maintenance)
            assert (await here.memory.db.all("SELECT extractive FROM digests")) == []
        await looked(here, maintenance)
        assert await here.count("digests") == 1


async def test_what_could_not_be_embedded_is_tried_again_in_the_next_minute(tmp_path: Path) -> None:
    embedder = Offline()
    async with at_home(tmp_path, embedder=embedder) as here:
        await talk(here, 1)
        async with keeping(here) as maintenance:
            embedder.there = True
            await looked(here, maintenance)
            assert await here.count("vectors") == 1


@pytest.mark.file
async def test_what_could_not_be_embedded_while_its_names_are_read_is_tried_again_in_the_next_minute(tmp_path: Path) -> None:
    embedder = Offline()
    async with at_home(tmp_path, embedder=embedder) as here, keeping(here) as maintenance:
        await talk(here, 1)
        async with here.memory.db.transaction():
            keeps = asyncio.create_task(maintenance.tick())
            await embedder.failed.wait()
        await keeps
        await maintenance.drain()
        embedder.there = True
        await looked(here, maintenance)
        assert await here.count("vectors") == 1


@pytest.mark.parametrize("jump", [-2 * DAY, HOUR])
async def test_a_clock_that_jumps_leaves_nobody_out(tmp_path: Path, jump: int) -> None:
    async with at_home(tmp_path) as here:
        await talk(here)
        async with keeping(here) as maintenance:
            quiet = await looked(here, maintenance)
            assert await looked(here, maintenance, jump) > quiet
