"""Who may dream a place: one at a time, not for ever in vain, and with an eye for what was said meanwhile."""

from datetime import time
from pathlib import Path

import pytest

from memory.core import ConsolidationRules, Memory
from memory.dream.schedule import MOST_TRIES, DreamHours, Slot
from memory.journal.ledger import LEASE, Claim
from memory.types import MINUTE
from tests.kits.memory_kit import DAY, HOUR, Clock, Ids, corner, cornered, opened

NIGHTLY = ConsolidationRules(hours=DreamHours(time(3, 30), 0))
BY_DAY = ConsolidationRules(hours=DreamHours(None, 4 * HOUR))


async def begun(memory: Memory) -> tuple[Slot, Claim]:
    """Claim the one pass that is due."""
    (slot,) = await memory.dreams.due()
    held = await memory.dreams.claim(slot)
    assert held is not None
    return slot, held


async def test_who_was_taken_over_is_refused_also_when_the_other_has_finished_and_begun_anew(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with (
        opened(path, clock=clock, habits=NIGHTLY) as one,
        opened(path, clock=clock, ids=Ids("other"), habits=NIGHTLY) as other,
    ):
        await (await corner(one, clock)).say("hello")
        clock.forward(DAY)
        slot, stale = await begun(one)
        clock.forward(LEASE + 1)
        slot, held = await begun(other)
        assert await other.dreams.finish(held, slot, clock.now(), {}, done=True, rested=True, heard=0)
        clock.forward(DAY)
        slot, held = await begun(other)
        assert not await one.dreams.renew(stale)
        assert not await one.dreams.finish(stale, slot, clock.now(), {}, done=False, rested=False, heard=0)
        assert await other.dreams.finish(held, slot, clock.now(), {}, done=True, rested=True, heard=0)


async def test_a_pass_that_breaks_again_and_again_is_left_alone_by_a_process_that_lives_on(tmp_path: Path) -> None:
    async with cornered(tmp_path / "lyra.db", habits=NIGHTLY) as here:
        await here.say("hello")
        here.clock.forward(DAY)
        broke = 0
        for _ in range(50):
            for slot in await here.memory.dreams.due():
                held = await here.memory.dreams.claim(slot)
                assert held is not None
                await here.memory.dreams.abandon(held)
                broke += 1
            here.clock.forward(MINUTE)
        assert broke == MOST_TRIES and await here.memory.dreams.parked() == [here.domain]


async def test_what_is_said_while_she_dreams_is_news_afterwards(tmp_path: Path) -> None:
    async with cornered(tmp_path / "lyra.db", habits=BY_DAY) as here:
        first = await here.say("hello")
        here.clock.forward(DAY)
        slot, held = await begun(here.memory)
        await here.say("said while the model thinks")
        assert await here.memory.dreams.finish(held, slot, here.clock.now(), {}, done=True, rested=True, heard=first.key)
        here.clock.forward(DAY)
        assert len(await here.memory.dreams.due()) == 1


@pytest.mark.parametrize("habits", [NIGHTLY, BY_DAY], ids=["by night", "by day"])
async def test_where_nothing_was_ever_said_nothing_is_dreamt(tmp_path: Path, habits: ConsolidationRules) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, habits=habits) as memory:
        await corner(memory, clock)
        clock.forward(DAY)
        assert await memory.dreams.due() == []


async def test_a_long_pass_that_failed_is_not_tried_again_at_once(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, habits=NIGHTLY) as memory:
        await (await corner(memory, clock)).say("hello")
        clock.forward(DAY)
        (slot, held), at = await begun(memory), clock.now()
        for _ in range(10):
            clock.forward(LEASE - 1)
            assert await memory.dreams.renew(held)
        assert await memory.dreams.finish(held, slot, at, {}, done=False, rested=False, heard=0)
        assert await memory.dreams.due() == []


async def test_a_clock_that_was_wrong_for_a_moment_does_not_end_her_nights(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, habits=NIGHTLY) as memory:
        await (await corner(memory, clock)).say("hello")
        clock.forward(60 * DAY)
        slot, held = await begun(memory)
        assert await memory.dreams.finish(held, slot, clock.now(), {}, done=True, rested=True, heard=0)
        clock.forward(-3640 * DAY)
        assert len(await memory.dreams.due()) == 1


async def test_a_pass_that_failed_while_the_clock_was_ahead_is_tried_again(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, habits=NIGHTLY) as memory:
        await (await corner(memory, clock)).say("hello")
        clock.forward(DAY)
        (slot, held), at = await begun(memory), clock.now()
        clock.forward(60 * DAY)
        assert await memory.dreams.finish(held, slot, at, {}, done=False, rested=False, heard=0)
        clock.forward(-59 * DAY)
        assert len(await memory.dreams.due()) == 1
