"""A dream that breaks off, is doubled or is interfered with: nothing is lost or made twice, and nothing forgotten stays."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memory.dream.report import Report
from memory.errors import BudgetSpent, WriterFailed
from memory.journal.ledger import LEASE
from memory.tiers.drives import BASELINE
from memory.types import DomainKind, DomainRef
from tests.kits.dream_kit import (
    Begins,
    Muse,
    Scribe,
    days,
    dreamer,
    forced,
    holding,
    reflections,
    step,
    thinking,
    told,
    wondering,
)
from tests.kits.ladder_kit import PAIRS, Teller, ladder, unsound
from tests.kits.memory_kit import DAY, CancelledAt, Clock, Corner, Ids, at_home, corner, cornered, opened
from tests.kits.size import TORTURE, breaks, few

AWAY = WriterFailed("The model is out of reach.")
SPENT = BudgetSpent("What may be asked of a model today was asked.")
CALLS = 8


async def stands(here: Corner) -> list[object]:
    """Return what dreams made: the gists, all that stands above them, and the thoughts that wait to be said."""
    gists = sorted((digest.text, digest.writer) for _, digest in await here.view.digests.all())
    return [gists, sorted(set(await ladder(here))), [text for text, state in await reflections(here) if state == "waiting"]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """What a dream makes that nothing comes between."""

    async def dream() -> list[object]:
        async with at_home(tmp_path_factory.mktemp("undisturbed"), habits=PAIRS) as here:
            await days(here)
            writer = Teller()
            await forced(here, writer, Muse([wondering]))
            assert len(writer.tasks) == CALLS
            return await stands(here)

    return asyncio.run(dream())


@pytest.mark.parametrize("n", range(0, CALLS + 1, 1 if TORTURE else CALLS // 2))
async def test_where_the_model_goes_out_of_reach_the_pass_ends_and_the_next_one_goes_on(
    tmp_path: Path, undisturbed: list[object], n: int
) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        said, chat_model = await here.count("exchanges"), Muse([AWAY])
        report = await forced(here, Scribe(lasts=n, failure=AWAY) if n < CALLS else Teller(), chat_model)
        assert report.failed == str(AWAY) and not report.rested
        at = 0 if n < 4 else 1 if n < CALLS else 2
        assert [one.why == report.failed for one in report.steps] == [number >= at for number in range(3)]
        assert not any(one.acted for one in report.steps[at + 1 :]), "what comes after it waits"
        assert len(chat_model.prompts) == (n == CALLS)
        assert await here.count("exchanges") == said and await here.count("digests") == min(n, 4), "what is made stays"
        again = Teller()
        assert (await forced(here, again, Muse([wondering]))).rested
        assert len(again.tasks) == CALLS - n, "and is not made again"
        assert await stands(here) == undisturbed


@pytest.mark.parametrize("n", range(0, CALLS + 1, 1 if TORTURE else CALLS // 2))
async def test_where_the_budget_is_spent_the_rest_waits_and_that_is_no_failure(
    tmp_path: Path, undisturbed: list[object], n: int
) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await forced(here, Scribe(lasts=n, failure=SPENT), Muse([SPENT]))
        assert report.failed == "" and not report.rested
        assert str(SPENT) in [one.why for one in report.steps]
        assert await here.count("digests") == min(n, 4)
        here.clock.forward(DAY)
        again = Teller()
        assert (await forced(here, again, Muse([wondering]))).rested
        assert len(again.tasks) == CALLS - n
        assert await stands(here) == undisturbed


async def test_a_model_out_of_reach_calms_no_drive(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await dreamer(here, Scribe(failure=AWAY), Muse()).dream()
        assert report.after.continuity == step(report, "continuity").level == 1
        assert report.after.curiosity == step(report, "curiosity").level > BASELINE
        assert (await here.view.self_state.now()).mind.drives == report.after


async def broken_off(folder: Path, n: int) -> tuple[list[object], int]:
    """Dream, be cancelled at the n-th wait, dream again as another process; return what stands and how often was waited."""
    folder.mkdir()
    clock = Clock()
    async with cornered(folder / "lyra.db", None, clock=clock, habits=PAIRS) as here:
        await days(here)
        dreaming = CancelledAt(forced(here, Teller(), Muse([wondering])), n)

        async def dream() -> object:
            return await dreaming

        dreaming.task = asyncio.ensure_future(dream())
        await asyncio.gather(dreaming.task, return_exceptions=True)
        assert dreaming.task.cancelled() == bool(n)
    async with opened(folder / "lyra.db", None, clock=clock, ids=Ids("again"), habits=PAIRS) as memory:
        domain = await memory.places.find_domain(DomainRef(DomainKind.DM, "console", "ada"))
        assert domain is not None
        here = await corner(memory, clock)
        assert (await forced(here, Teller(), Muse([wondering]))).rested
        assert await unsound(here) == []
        mind = (await here.view.self_state.now()).mind
        return [*await stands(here), (mind.mood, mind.energy, mind.heard)], dreaming.waits


async def test_broken_off_anywhere_a_second_pass_ends_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    whole, waits = await broken_off(tmp_path / "0", 0)
    assert all(whole) and waits > 300
    for n in breaks(waits, 3):
        assert (await broken_off(tmp_path / str(n), n))[0] == whole, f"broken off at its {n}th wait"


async def test_two_passes_at_once_make_everything_once(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    async with at_home(tmp_path / "one", habits=PAIRS) as here:
        await days(here, 2)
        await forced(here, Teller())
        one = await ladder(here)
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 2)
        writer = Teller()
        async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other"), habits=PAIRS) as other:
            there = await corner(other, here.clock)
            await asyncio.gather(forced(here, writer), forced(there, writer))
        assert len(writer.asked("gist")) == await here.count("digests") == 2
        late = Teller()
        assert (await forced(here, late, Muse())).rested and late.tasks == []
        assert await ladder(here) == one


async def test_who_thought_for_too_long_keeps_no_thought_while_another_is_at_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here, opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other")) as other:
        await days(here)
        there, asked, go = replace(here, memory=other), asyncio.Event(), asyncio.Event()
        passes: list[asyncio.Task[Report]] = []

        async def second() -> None:
            asked.set()
            await go.wait()

        async def first() -> None:
            here.clock.forward(LEASE + 1)
            passes.append(asyncio.create_task(forced(there, chat_model=Muse([wondering], meanwhile=second))))
            await asked.wait()

        late = await forced(here, chat_model=Muse([wondering], meanwhile=first))
        assert step(late, "curiosity").made == 0 and await reflections(here) == []
        go.set()
        assert step(await passes[0], "curiosity").made == 1 and len(await reflections(here)) == 1


def about_birds(user: str) -> str:
    """Answer with a thought that rests on whatever was said of birds."""
    birds = [(label, text) for label, text in told(user) if "zebrafinch" in text]
    return thinking(" and ".join(text for _, text in birds), *(label for label, _ in birds))


@pytest.mark.parametrize("kind", few(["gist", "thought", "era", "profile", "narrative", "self"], 3))
async def test_what_is_forgotten_while_a_model_reads_it_is_in_nothing_that_comes_of_it(tmp_path: Path, kind: str) -> None:
    async with at_home(tmp_path, None, habits=PAIRS) as here:
        await here.say("the zebrafinch in the kitchen sings all morning")
        gone = await here.say("every zebrafinch likes millet and cucumber")
        await days(here)

        async def forget() -> None:
            assert (await here.view.forget_message(gone.id)).messages == 1

        chat_model = Muse([about_birds], meanwhile=forget if kind == "thought" else None)
        writer = Scribe(meanwhile={kind: forget} if kind != "thought" else {})
        await forced(here, writer, chat_model)
        assert not writer.meanwhile and (kind != "thought" or "cucumber" in chat_model.prompts[0])
        assert await holding(here, "cucumber") == [] and await unsound(here) == []
        assert (await forced(here, Teller(), Muse([wondering]))).rested
        assert await holding(here, "cucumber") == [] and await unsound(here) == []
        assert "digests" in await holding(here, "zebrafinch"), "what was not forgotten is told"


async def test_what_is_forgotten_at_any_moment_of_a_pass_is_in_nothing_that_comes_of_it(tmp_path: Path) -> None:
    async def forgotten_at(n: int) -> int:
        folder = tmp_path / str(n)
        folder.mkdir()
        async with at_home(folder, None, habits=PAIRS) as here:
            gone = await here.say("every zebrafinch likes millet and cucumber")
            await days(here)
            dreaming = CancelledAt(forced(here, Teller(), Muse([about_birds])), n)
            dreaming.task = forgetting = Begins(lambda: here.view.forget_message(gone.id))
            await dreaming
            if forgetting.begun:
                await forgetting.begun
                assert await holding(here, "cucumber") == [] and await unsound(here) == [], f"forgotten at the {n}th wait"
            return dreaming.waits

    waits = await forgotten_at(0)
    for n in breaks(waits, 3):
        await forgotten_at(n)
