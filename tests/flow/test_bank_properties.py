"""Whatever is said, forgotten and withdrawn, and wherever it is broken off: the bank is bounded, sound and the same."""

import asyncio
import random
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.bank import block
from memory.bank.bank_maintenance import BankPass
from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.text.budget import tokens
from memory.text.time import periods
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Statement
from tests.kits.bank_kit import ADA, BOB, Noter, Room, in_a_room, room, sized
from tests.kits.ladder_kit import unsound
from tests.kits.memory_kit import DAY, HOUR, START, CancelledAt, Clock, Ids, opened
from tests.kits.size import breaks, examples

WORDS = "tomato garden parrot river Xerxes guitar seven 1999 violin winter 井戸 Straße".split()
ZONES = ["UTC", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns", "Australia/Lord_Howe"]
few = settings(max_examples=examples(50))
moments = st.integers(START, START + 800 * DAY)


@st.composite
def bullets(draw: st.DrawFn) -> Statement:
    """Return a bullet of any rung and period, with any text."""
    at = draw(moments)
    chain = periods.upward(periods.conversation(at, draw(st.sampled_from(ZONES)), "abc", draw(st.integers(0, 3))))
    period = draw(st.sampled_from(chain))
    key = draw(st.integers(1, 10**6))
    text = draw(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=300))
    return Statement(key, str(key), "bank", period, periods.rung(period), text, "w", at, at, at)


@few
@given(st.lists(bullets(), max_size=25), st.integers(-5, 1500))
def test_the_rendered_bank_never_exceeds_its_budget(standing: list[Statement], most: int) -> None:
    noted = block.entries(standing)
    shown = block.render(noted, most)
    assert tokens(shown.text) <= max(0, most)
    assert bool(shown.text) == bool(shown.shown)
    assert all(one in standing and f"- {one.text}" in shown.text for one in shown.shown)
    assert sorted(one.key for entry in noted for one in entry.bullets) == sorted(one.key for one in standing)
    rungs = [periods.RUNGS.index(entry.rung) for entry in noted]
    assert rungs == sorted(rungs), "grouped by rung"
    for rung in periods.RUNGS[1:]:
        keys = [entry.period for entry in noted if entry.rung == rung]
        assert keys == sorted(keys, reverse=True), "the newest first"
    whole = block.render(noted)
    assert len(whole.shown) == len(standing)
    assert block.render(noted, tokens(whole.text)).text == whole.text, "what fits is all shown"


async def sound(here: Room, size: int) -> None:
    """Check what holds at any time: bounded, resting on living words of this room, none of those who keep out."""
    shown = (await here.view.bank.render(size)).text
    assert tokens(shown) <= size
    assert await unsound(here) == []
    state = await here.view.bank.state()
    if state.since is None:
        assert shown == "" and await here.everything() == []
    names = {ADA: "Ada", BOB: "Bob"}
    both = [*await here.view.digests.statements("bank"), *await here.view.digests.statements("bank", past=True)]
    said = [message for rests in (await here.view.digests.receipts(both)).values() for message in rests]
    assert {names[member] for member in state.without}.isdisjoint(message.speaker for message in said)
    assert all(state.since is not None and message.said_at > state.since for message in said)
    assert {one.text for one in both} <= {message.text for message in said}, "nothing is invented"


async def settled(here: Room) -> None:
    """Check what holds after a pass: nothing stands beside what it was folded into, nothing is lost, nothing is left to do."""
    before = await here.everything()
    writer = Noter()
    assert await here.kept(writer) == BankPass() and writer.tasks == []
    assert await here.everything() == before
    standing = {(kind, period) for kind, period, _, stands, _ in before if stands}
    removed = {(kind, period) for kind, period, _, stands, _ in before if not stands}
    there = {period for _, period, *_ in before}
    assert standing.isdisjoint(removed)
    assert all(periods.above(str(period)) not in there for _, period in standing)
    assert all(kind == "month" or periods.above(str(period)) in there for kind, period in removed)


async def walk(folder: Path, seed: int, steps: int) -> None:
    """Do random things in a room and check after each."""
    chance = random.Random(seed)
    size = chance.choice([40, 80, 200])
    habits = replace(sized(size, headroom=chance.choice([1.0, 1.25])), rules=EpisodeRules(count=chance.choice([3, 20])))
    async with in_a_room(folder, habits, time_zone=chance.choice(ZONES)) as here:
        for step in range(steps):
            match chance.choices(["talk", "late", "reply", "keep", "cut", "forget", "leave", "join", "off", "wait"],
                                 [6, 2, 2, 5, 2, 2, 1, 1, 0.3, 5])[0]:  # fmt: skip
                case "talk":
                    await here.talk(
                        *(f"{step}.{n} {' '.join(chance.choices(WORDS, k=4))}" for n in range(chance.choice([2, 3, 5])))
                    )
                case "late":
                    then = here.clock.now() - chance.choice([DAY, 9 * DAY, 40 * DAY])
                    for n in range(2):
                        await here.said_by(chance.choice([ADA, BOB]), f"{step}.{n} late {chance.choice(WORDS)}", at=then + n)
                    here.clock.forward(HOUR)
                case "reply":
                    said = [message async for _, message in here.view.messages.all() if message.kind.value == "said"]
                    if said:
                        other = chance.choice(said)
                        await here.answer(f"{step} you said {other.text}", chance.choice(said), other.key)
                case "keep":
                    await here.kept()
                    await settled(here)
                case "cut":
                    with suppress(WriterFailed):
                        await here.kept(Noter(many=chance.choice([0, 1, 2])))
                case "forget":
                    ids = [message.id async for _, message in here.view.messages.all()]
                    if ids:
                        await here.view.forget_message(chance.choice(ids))
                case "leave":
                    await here.view.bank.opt_out(chance.choice([ADA, BOB]))
                case "join":
                    await here.view.bank.opt_in(chance.choice([ADA, BOB]))
                case "off":
                    await here.view.bank.turn_off()
                    await here.view.bank.turn_on()
                case "wait":
                    here.clock.forward(chance.choice([HOUR, DAY, 9 * DAY, 35 * DAY]))
            await sound(here, size)


@pytest.mark.parametrize("seed", range(examples(4)))
def test_whatever_happens_it_is_bounded_sound_and_settled(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), seed, 50))


HABITS = ConsolidationRules(EpisodeRules(), bank=sized(60, headroom=1.0).bank)


async def lived(here: Room) -> None:
    """Have conversations over three months, some of them noted and folded, one forgotten, one late, and some yet to be noted."""
    said = await here.on("2026-03-04", "the well is dry", "we dig on Friday", "the parrot is called Xerxes")
    await here.on("2026-03-05", "the pump is new", "it is green")
    await here.on("2026-03-20", "the roof leaks", "we mend it")
    here.clock.forward(60 * DAY)
    await here.kept()
    await here.view.forget_message(said[2].id)
    for n, text in enumerate(("the late one", "came last")):
        await here.said_by(ADA, text, at=START + 2 * DAY + n * MINUTE)
    await here.on("2026-05-25", "the garden is wide", "and wild")
    here.clock.forward(3 * DAY)
    consolidator = Deriving(here.memory).consolidator(here.domain, Noter(), Noter())
    await consolidator.close_episodes(here.session)


async def broken_off(folder: Path, n: int) -> tuple[list[tuple[object, ...]], int]:
    """Keep the bank, be cancelled at the n-th wait, start again as another process, and return what is there then."""
    folder.mkdir()
    clock = Clock()
    async with opened(folder / "lyra.db", None, clock=clock, habits=HABITS) as memory:
        here = await room(memory, clock)
        await here.view.bank.turn_on()
        await lived(here)
        keeping = CancelledAt(Deriving(memory).bank(here.domain, Noter()).keep(), n)

        async def keep() -> object:
            return await keeping

        keeping.task = asyncio.ensure_future(keep())
        await asyncio.gather(keeping.task, return_exceptions=True)
        await sound(here, 60)
    async with opened(folder / "lyra.db", None, clock=clock, ids=Ids("again"), habits=HABITS) as memory:
        here = await room(memory, clock)
        await here.kept()
        await sound(here, 60)
        await settled(here)
        return await here.everything(), keeping.waits


async def test_broken_off_anywhere_and_started_again_it_is_the_same(tmp_path: Path) -> None:
    whole, waits = await broken_off(tmp_path / "0", 0)
    assert {kind for kind, *_ in whole} == set(periods.RUNGS) and waits > 100
    for n in breaks(waits, 3):
        assert (await broken_off(tmp_path / str(n), n))[0] == whole, f"broken off at its {n}th wait"


async def test_what_other_rooms_hold_changes_nothing_here(tmp_path: Path) -> None:
    async def noted(folder: Path, *, busy: bool) -> tuple[object, ...]:
        folder.mkdir()
        async with in_a_room(folder, HABITS) as here:
            if busy:
                other = await room(here.memory, Clock(here.clock.now()), name="!other")
                await other.view.bank.turn_on()
                await lived(other)
                await other.kept()
            await lived(here)
            writer = Noter()
            await here.kept(writer)
            return (await here.view.bank.render(2000)).text, writer.tasks

    assert await noted(tmp_path / "alone", busy=False) == await noted(tmp_path / "busy", busy=True)
