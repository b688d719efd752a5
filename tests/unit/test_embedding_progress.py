"""Two embedders look at every text one after the other, and progress tells of both as of one work."""

from itertools import pairwise
from pathlib import Path

from memory.index.embedder_routing import EmbedderRouting
from tests.kits.memory_kit import BagOfWords, at_home

SAID = ("the parrot is green and it sits on my shoulder", "Meine Katze schläft auf dem Sofa und will nicht fressen")


async def test_what_waits_for_the_second_embedder_is_not_told_to_be_done_and_nothing_is_told_to_be_undone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(40):
            for text in SAID:
                await here.say(f"{text} {n}")
        routing = EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), BagOfWords("second"))
        told: list[tuple[int, int]] = []
        await routing.catch_up(here.domain, lambda done, total: told.append((done, total)))
        assert await routing.waiting() == 0
        assert all(before[0] < after[0] for before, after in pairwise(told)), told
        assert [done for done, total in told].index(80) == len(told) - 1, "it is done once, at the end"
        assert {total for _, total in told} == {80}


async def test_one_embedder_tells_of_its_own_work(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(40):
            await here.say(f"{SAID[0]} {n}")
        told: list[tuple[int, int]] = []
        await EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), None).catch_up(
            here.domain, lambda done, total: told.append((done, total))
        )
        assert told == [(32, 40), (40, 40)]
