"""The receipt of a forgetting counts all that is gone, whoever erased it."""

import asyncio
from pathlib import Path

import pytest

from memory.types import Forgotten
from tests.kits.importing import imported, lines
from tests.kits.memory_kit import Clock, at_home, corner, opened

MANY = 60


@pytest.mark.parametrize("elsewhere", [False, True], ids=["housekeeping", "another process"])
async def test_what_is_erased_beside_it_meanwhile_is_counted(tmp_path: Path, elsewhere: bool) -> None:
    async with at_home(tmp_path) as here, opened(tmp_path / "lyra.db", clock=Clock()) as beside:
        await imported(here, "long", lines([f"line {n} of a long story" for n in range(MANY)]))
        forgetting = asyncio.create_task(here.view.forget_session(await here.view.sessions.find("long")))
        sweeper = beside if elsewhere else here.memory
        while not forgetting.done():
            await sweeper.sweep()
        assert await forgetting == Forgotten(MANY, 0, 0)
        assert await (await corner(beside, Clock())).found("story") == []
