"""The whole ladder: made once, in order, by the domain alone, and the same however often it is broken off."""

import asyncio
from pathlib import Path

import pytest

from memory.deriving import Deriving
from memory.ports import Entry, Task
from memory.tiers.selfstate import StateOfMind, keep
from memory.types import DomainKind, DomainRef
from tests.kits.ladder_kit import PAIRS, Teller, climbed, gists, ladder, standing, unsound
from tests.kits.memory_kit import (
    DAY,
    HOUR,
    CancelledAt,
    Clock,
    Corner,
    Ids,
    Move,
    Overtaking,
    Writer,
    at_home,
    corner,
    cornered,
    opened,
)
from tests.kits.size import breaks


async def years(here: Corner, n: int = 24) -> None:
    """Say two things a month for n months, the last of them now."""
    here.clock.at -= 30 * DAY * n
    for at in range(n):
        await here.say(f"the boat of month {at} is blue")
        await here.say(f"month {at} was long")
        here.clock.forward(30 * DAY)


async def test_profile_and_eras_become_a_narrative_and_that_becomes_how_she_tells_of_herself(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada builds a boat")
        await here.say("Kiki sings")
        writer = Teller()
        await climbed(here, writer)
        kinds = [task.kind for task in writer.tasks if task.kind != "gist"]
        assert kinds == ["profile", "era", "narrative", "self"]
        assert await standing(here, "narrative") == ["Ada builds a boat", "Kiki sings"]
        assert await standing(here, "self") == ["I heard that Ada builds a boat", "I heard that Kiki sings"]
        (arc, _) = await here.view.digests.statements("narrative")
        assert arc.kind == "arc"
        assert await unsound(here) == []


async def test_nothing_is_made_anew_while_nothing_is_new(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await years(here, 6)
        writer = Teller()
        await climbed(here, writer)
        made = len(writer.tasks)
        before = await ladder(here)
        for _ in range(3):
            assert await climbed(here, writer) == 0
            here.clock.forward(HOUR)
        assert len(writer.tasks) == made and await ladder(here) == before


async def test_a_line_told_again_in_the_same_words_stands_on_and_the_others_are_history(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada builds a boat")
        await here.say("Kiki sings")
        await climbed(here, Teller())
        first = {one.text: one.key for one in await here.view.digests.statements("narrative")}
        await here.say("Ada builds a shed")
        await here.say("it rains")
        await climbed(here, Teller())
        now = {one.text: one.key for one in await here.view.digests.statements("narrative")}
        assert now["Kiki sings"] == first["Kiki sings"]
        assert "Ada builds a boat" in {one.text for one in await here.view.digests.statements("era")}
        assert [one.text for one in await here.view.digests.statements("profile", past=True)] == ["Ada builds a boat"]


@pytest.mark.parametrize(
    ("said", "told", "left"),
    [
        (("it rains", "Bo paints"), [("Arc: Bo paints", ("f4",))], ["Ada builds a boat", "Kiki sings", "Bo paints"]),
        (
            ("the boat swims", "Kiki sings louder"),
            [("Over: the boat swims", ("s1", "f2")), ("Trend: Kiki sings louder", ("s2", "f3"))],
            ["Kiki sings louder"],
        ),
        (("the boat swims", "it rains"), [("Over: Ada builds a boat", ("s1", "f2"))], ["Kiki sings"]),
    ],
    ids=["not mentioned", "over and changed", "over in its own words"],
)
async def test_a_line_ends_when_an_answer_says_that_it_is_over_or_changed_and_no_other_does(
    tmp_path: Path, said: tuple[str, str], told: list[tuple[str, tuple[str, ...]]], left: list[str]
) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for text in ("Ada builds a boat", "Kiki sings"):
            await here.say(text)
        await climbed(here, Teller())
        for text in said:
            await here.say(text)
        await retell(here, *(Entry(text, cited) for text, cited in told))
        assert await standing(here, "narrative") == left


async def test_a_line_ends_with_the_fact_that_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki sings")
        await retell(here, Entry("Arc: Ada lives in Graz", ("f1",)), Entry("Arc: Kiki sings", ("f2",)))
        await here.say("Ada lives in Linz")
        await here.say("it rains")
        await retell(here, Entry("Arc: it rains", ("f3",)))
        assert "Ada lives in Graz" not in await standing(here, "narrative")
        assert "Kiki sings" in await standing(here, "narrative")


async def retell(here: Corner, *entries: Entry) -> None:
    """Climb the ladder with a writer whose narrative is these lines."""

    class Brief(Teller):
        async def write(self, task: Task) -> list[Entry]:
            return list(entries) if task.kind == "narrative" else await super().write(task)

    await climbed(here, Brief())


async def test_her_mind_begins_even_and_keeps_what_it_was(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert (await here.view.self_state.now()).mind == StateOfMind(0.0, 0.5)
        async with here.memory.db.transaction() as tx:
            await keep(tx, here.domain, StateOfMind(0.4, 0.7), here.clock.now())
        here.clock.forward(HOUR)
        async with here.memory.db.transaction() as tx:
            await keep(tx, here.domain, StateOfMind(0.2, 0.6), here.clock.now())
        now = await here.view.self_state.now()
        assert (now.mind, now.mind.version, now.since) == (StateOfMind(0.2, 0.6), 2, here.clock.now())
        assert await here.count("selves") == 2


async def test_two_at_once_make_everything_once(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await years(here, 6)
        writer = Teller()
        await gists(here, writer)
        async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other"), habits=PAIRS) as other:
            await asyncio.gather(
                Deriving(here.memory).ladder(here.domain, writer).climb(asked=True),
                Deriving(other).ladder(here.domain, writer).climb(asked=True),
            )
        told = [task.sources for task in writer.asked("era")]
        assert len(told) == len(set(told)), "no month twice"
        once = await ladder(here)
        await climbed(here, Teller())
        assert await ladder(here) == once


async def test_who_was_too_slow_publishes_nothing_while_another_is_at_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada builds a boat")
        await here.say("Kiki sings")
        await gists(here, Teller())
        async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other"), habits=PAIRS) as other:

            async def begins(move: Move) -> int:
                return await Deriving(other).ladder(here.domain, Teller("the other", moves=[move])).climb(asked=True)

            late = Overtaking(here.clock, begins)
            await Deriving(here.memory).ladder(here.domain, Teller("too late", moves=[late.first])).climb(asked=True)
            assert await standing(here, "profile") == []
            await late.ends()
        assert {one.writer for one in await here.view.digests.statements("profile")} == {"the other"}


async def test_what_other_domains_hold_changes_nothing_here(tmp_path: Path) -> None:
    async def told(folder: Path, busy: bool) -> tuple[list[object], list[object]]:
        folder.mkdir()
        async with at_home(folder, habits=PAIRS) as here:
            if busy:
                bob = await corner(here.memory, Clock(here.clock.now()), "bob", place="bobs")
                await years(bob, 5)
                await climbed(bob, Teller())
            await years(here, 5)
            writer = Teller()
            await climbed(here, writer)
            return list(writer.tasks), list(await ladder(here))

    assert await told(tmp_path / "alone", False) == await told(tmp_path / "busy", True)


async def test_backlog_counts_the_sessions_that_the_profile_knows(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada builds a boat")
        await here.say("Kiki sings")
        await gists(here, Teller())
        assert (await here.memory.backlog()).profile_sessions_covered == 0
        await climbed(here, Teller())
        assert (await here.memory.backlog()).profile_sessions_covered == 1
        await here.say("the shed is old")
        await here.say("and green")
        await gists(here, Teller())
        assert (await here.memory.backlog()).profile_sessions_covered == 0, "there is something it does not know yet"


async def test_a_room_that_copies_only_has_no_ladder(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await years(here, 3)
        assert await climbed(here, Writer("extractive", extractive=True)) == 0
        assert await ladder(here) == []


async def broken_off(folder: Path, n: int) -> tuple[list[object], int]:
    """Climb, be cancelled at the n-th wait, start again as another process, and return what stands and how often was waited."""
    folder.mkdir()
    clock = Clock()
    async with cornered(folder / "lyra.db", None, clock=clock, habits=PAIRS) as here:
        await years(here, 2)
        await gists(here, Teller())
        climbing = CancelledAt(Deriving(here.memory).ladder(here.domain, Teller()).climb(asked=True), n)

        async def climb() -> object:
            return await climbing

        climbing.task = asyncio.ensure_future(climb())
        await asyncio.gather(climbing.task, return_exceptions=True)
    async with opened(folder / "lyra.db", None, clock=clock, ids=Ids("again"), habits=PAIRS) as memory:
        domain = await memory.places.find_domain(DomainRef(DomainKind.DM, "console", "ada"))
        assert domain is not None
        here = await corner(memory, clock)
        await climbed(here, Teller())
        assert await unsound(here) == []
        return list(await ladder(here)), climbing.waits


async def test_broken_off_anywhere_and_started_again_it_is_the_same(tmp_path: Path) -> None:
    whole, waits = await broken_off(tmp_path / "0", 0)
    assert whole and waits > 50
    for n in breaks(waits, 3):
        assert (await broken_off(tmp_path / str(n), n))[0] == whole, f"broken off at its {n}th wait"
