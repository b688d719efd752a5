"""The ledger of dreams: what is due, that one process dreams it once, and what becomes of a pass that breaks off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import time
from pathlib import Path
from uuid import uuid4

import pytest

from memory.core import ConsolidationRules, Memory
from memory.dream.schedule import AGAIN, INTERVAL, MOST_TRIES, NIGHT, DreamHours, Slot
from memory.journal.ledger import LEASE, Claim
from tests.kits.memory_kit import DAY, HOUR, START, Clock, Corner, Ids, corner, opened

EVERY = 4 * HOUR
NIGHTLY = DreamHours(time(3, 30), 0)
BY_DAY = DreamHours(None, EVERY)
NEXT_NIGHT = 15 * HOUR + HOUR // 2  # from noon, when tests begin


@asynccontextmanager
async def started(folder: Path, clock: Clock, hours: DreamHours = NIGHTLY) -> AsyncIterator[Memory]:
    """Open the memory of a folder as a process of its own."""
    async with opened(folder / "lyra.db", clock=clock, ids=Ids(uuid4().hex), habits=ConsolidationRules(hours=hours)) as memory:
        yield memory


@asynccontextmanager
async def home(folder: Path, hours: DreamHours = NIGHTLY) -> AsyncIterator[Corner]:
    """Open a fresh memory, with Ada's corner, which is a day old at noon; one word was said there."""
    clock = Clock()
    async with started(folder, clock, hours) as memory:
        here = await corner(memory, clock)
        await here.say("hello")
        clock.at = START + DAY
        yield here


async def begun(memory: Memory, slot: Slot) -> Claim:
    """Claim a pass that nobody else has."""
    held = await memory.dreams.claim(slot)
    assert held is not None
    return held


async def over(here: Corner, memory: Memory, held: Claim, slot: Slot, *, done: bool = True, rested: bool = True) -> bool:
    """End a pass; say whether it was recorded."""
    heard = await memory.db.one("SELECT coalesce(max(item), 0) AS last FROM exchanges")
    assert heard is not None
    return await memory.dreams.finish(held, slot, here.clock.now(), {}, done=done, rested=rested, heard=heard["last"])


async def dreamt(here: Corner, memory: Memory | None = None, *, done: bool = True, rested: bool = True) -> Slot:
    """Dream the one pass that is due."""
    memory = memory or here.memory
    (slot,) = await memory.dreams.due()
    assert await over(here, memory, await begun(memory, slot), slot, done=done, rested=rested)
    return slot


async def due(memory: Memory) -> list[str]:
    """Return the kinds of passes that are due."""
    return [slot.kind for slot in await memory.dreams.due()]


async def test_a_night_is_due_once_also_after_a_restart(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        slot = await dreamt(here)
        assert (slot.kind, slot.name) == (NIGHT, "2026-03-04")
        assert await due(here.memory) == []
    async with started(tmp_path, here.clock) as memory:
        assert await due(memory) == [] and await memory.dreams.claim(slot) is None
        assert await memory.dreams.claim(await memory.dreams.requested(here.domain)), "nothing is held in vain"
        here.clock.forward(NEXT_NIGHT - 1)
        assert await due(memory) == []
        here.clock.forward(1)
        assert [slot.name for slot in await memory.dreams.due()] == ["2026-03-05"]


async def test_by_day_she_dreams_only_where_something_changed(tmp_path: Path) -> None:
    async with home(tmp_path, BY_DAY) as here:
        await here.say("Ada builds a boat")
        here.clock.forward(EVERY)
        assert (await dreamt(here)).kind == INTERVAL
        here.clock.forward(10 * EVERY)
        assert await due(here.memory) == [], "nothing is new"
        await here.say("the boat is blue")
        assert (await dreamt(here)).kind == INTERVAL
        await here.say("and long")
        assert await due(here.memory) == [], "she dreamt not long ago"
        here.clock.forward(EVERY)
        assert await due(here.memory) == [INTERVAL]


async def test_a_pass_that_left_something_goes_on_at_the_next(tmp_path: Path) -> None:
    async with home(tmp_path, BY_DAY) as here:
        await here.say("Ada builds a boat")
        here.clock.forward(EVERY)
        await dreamt(here, rested=False)
        assert await due(here.memory) == []
        here.clock.forward(EVERY)
        await dreamt(here, rested=True)
        here.clock.forward(EVERY)
        assert await due(here.memory) == []


async def test_what_waits_longest_comes_first(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob", place="bobs")
        await bob.say("hello")
        here.clock.forward(DAY)
        for slot in reversed(await here.memory.dreams.due()):
            assert await over(here, here.memory, await begun(here.memory, slot), slot)
            here.clock.forward(HOUR)
        here.clock.forward(DAY)
        assert [slot.domain for slot in await here.memory.dreams.due()] == [bob.domain, here.domain]


async def test_a_night_that_failed_is_tried_again_after_an_hour_until_it_is_done(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        for _ in range(4):
            assert (await dreamt(here, done=False, rested=False)).name == "2026-03-04"
            here.clock.forward(AGAIN - 1)
            assert await due(here.memory) == [], "not at once"
            here.clock.forward(1)
        await dreamt(here)
        assert not await due(here.memory) and not await here.memory.dreams.parked()
        past = await here.memory.dreams.last_passes(here.domain, 3)
        assert [one.done for one in past] == [True, False, False]
        assert [(one.kind, one.slot) for one in past] == [(NIGHT, "2026-03-04")] * 3


async def test_a_process_that_goes_away_dreaming_tried_and_after_three_tries_she_is_left_in_peace(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        assert await due(here.memory) == [NIGHT]
    for tries in range(MOST_TRIES):
        async with started(tmp_path, here.clock) as memory:
            assert await due(memory) == [NIGHT] and await memory.dreams.parked() == [], f"after {tries} tries"
            await begun(memory, (await memory.dreams.due())[0])
            assert await memory.dreams.parked() == [], "while it is dreamt"
    async with started(tmp_path, here.clock) as memory:
        assert await memory.dreams.parked() == [here.domain] and await due(memory) == []
        here.clock.forward(3 * DAY)
        assert await due(memory) == [], "nor on another night"
        asked = await memory.dreams.requested(here.domain)
        assert await over(here, memory, await begun(memory, asked), asked)
        assert await memory.dreams.parked() == [] and await due(memory) == [NIGHT]


async def test_a_pass_that_went_well_makes_up_for_those_that_broke(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        assert await due(here.memory) == [NIGHT]
    for n in range(3 * (MOST_TRIES - 1)):
        async with started(tmp_path, here.clock) as memory:
            if n and n % (MOST_TRIES - 1) == 0:
                await dreamt(here, memory)
                here.clock.forward(DAY)
            await begun(memory, (await memory.dreams.due())[0])
    async with started(tmp_path, here.clock) as memory:
        assert await memory.dreams.parked() == [] and await due(memory) == [NIGHT]


async def test_a_pass_that_breaks_counts_as_a_try(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        (slot,) = await here.memory.dreams.due()
        async with started(tmp_path, here.clock) as other:
            await here.memory.dreams.abandon(await begun(here.memory, slot))
            await other.dreams.abandon(await begun(other, slot))
            here.clock.forward(AGAIN)
            assert await due(here.memory) == [NIGHT]
            await here.memory.dreams.abandon(await begun(here.memory, slot))
    async with started(tmp_path, here.clock) as memory:
        assert await memory.dreams.parked() == [here.domain] and await due(memory) == []


async def test_of_two_processes_at_once_one_dreams_and_never_again_what_is_done(tmp_path: Path) -> None:
    async with home(tmp_path) as here, started(tmp_path, here.clock) as other:
        for night in ("2026-03-04", "2026-03-05", "2026-03-06"):
            (slot,), (same,) = await asyncio.gather(here.memory.dreams.due(), other.dreams.due())
            assert slot == same and slot.name == night
            claims = await asyncio.gather(here.memory.dreams.claim(slot), other.dreams.claim(slot))
            (held,) = [claim for claim in claims if claim]
            winner, loser = (here.memory, other) if claims[0] else (other, here.memory)
            assert await loser.dreams.claim(slot) is None, "while it is dreamt"
            assert await loser.dreams.claim(await loser.dreams.requested(here.domain)) is None, "nor because somebody asks"
            assert await over(here, winner, held, slot)
            assert await loser.dreams.claim(slot) is None, "and not when it is done"
            here.clock.forward(DAY)
        assert [one.slot for one in await other.dreams.last_passes(here.domain, 9)] == ["2026-03-06", "2026-03-05", "2026-03-04"]


@pytest.mark.parametrize("taken", [True, False], ids=["taken over", "nobody came"])
async def test_who_slept_through_his_lease_records_nothing_where_another_took_over(tmp_path: Path, taken: bool) -> None:
    async with home(tmp_path) as here, started(tmp_path, here.clock) as other:
        (slot,) = await here.memory.dreams.due()
        slow = await begun(here.memory, slot)
        here.clock.forward(LEASE + 1)
        fast = await begun(other, slot) if taken else None
        assert await here.memory.dreams.renew(slow) is not taken
        assert await over(here, here.memory, slow, slot) is not taken
        assert len(await other.dreams.last_passes(here.domain, 9)) == (0 if taken else 1)
        if fast:
            await here.memory.dreams.abandon(slow)
            assert await here.memory.dreams.claim(slot) is None, "what was lost cannot be let go"
            assert await over(here, other, fast, slot)


async def test_who_renews_keeps_a_long_pass(tmp_path: Path) -> None:
    async with home(tmp_path) as here, started(tmp_path, here.clock) as other:
        (slot,) = await here.memory.dreams.due()
        held = await begun(here.memory, slot)
        for _ in range(5):
            here.clock.forward(LEASE - 1)
            assert await here.memory.dreams.renew(held)
            assert await other.dreams.claim(slot) is None
        here.clock.forward(LEASE + 1)
        assert await other.dreams.claim(slot) is not None


@pytest.mark.parametrize("done", [True, False], ids=["done", "failed"])
async def test_a_pass_recorded_while_the_clock_was_a_year_ahead_holds_back_none(tmp_path: Path, done: bool) -> None:
    async with home(tmp_path, BY_DAY) as here:
        here.clock.forward(365 * DAY)
        await here.say("my cat is called Turing")
        await dreamt(here, done=done)
        here.clock.forward(-365 * DAY)
        await here.say("my dog is called Rex")

        assert (await dreamt(here)).kind == INTERVAL
        # It counts as any other: the next one waits for its time.
        await here.say("my cow is called Elsa")
        assert await here.memory.dreams.due() == []
        here.clock.forward(EVERY)
        assert (await dreamt(here)).kind == INTERVAL


@pytest.mark.parametrize(("hours", "kind"), [(NIGHTLY, NIGHT), (BY_DAY, INTERVAL)], ids=["nights", "intervals"])
async def test_who_first_spoke_while_the_clock_was_a_year_ahead_is_dreamt_of(
    tmp_path: Path, hours: DreamHours, kind: str
) -> None:
    clock = Clock()
    async with started(tmp_path, clock, hours) as memory:
        clock.forward(365 * DAY)
        here = await corner(memory, clock)
        await here.say("my cat is called Turing")
        clock.forward(-365 * DAY)

        assert (await dreamt(here)).kind == kind
        assert await memory.dreams.due() == []
