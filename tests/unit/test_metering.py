"""What she does unasked: within the calls and tokens of a day, and after everybody who talks with her."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.config.sections import DreamSection
from bot.config.settings import Settings
from bot.errors import ModelDown
from bot.models.chains import limits
from bot.models.outage import LONGEST_UNASKED, ModelOutage
from bot.models.port import ChatMessage, Toolbox
from bot.models.writer import Metered, ModelWriter
from bot.service.priority import Priority
from memory.errors import BudgetSpent, WriterFailed, WriterRefused
from memory.journal.usage import CallLimits, Spent
from memory.ports import Source, Task
from memory.types import MINUTE
from tests.kits.memory_kit import DAY, HOUR, Corner, Ids, at_home, corner, opened, utc
from tests.kits.roomless import Roomless

PLENTY = Spent(1000, 1_000_000)
NOTHING = Spent(0, 0)
COSTS = 6
"""Tokens of a call that is answered: three there, three back."""


@dataclass
class Answers(Roomless):
    """A model that gives one answer, or fails; `hears` is done while it is asked."""

    answer: str = "so it is"
    failure: Exception | None = None
    hears: Callable[[], Awaitable[object]] | None = None
    asked: list[str] = field(default_factory=list)
    name: str = "answers"

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Answer."""
        self.asked.append(messages[1]["content"])
        if self.hears:
            await self.hears()
        if self.failure:
            raise self.failure
        yield self.answer

    async def close(self) -> None:
        """Let go of nothing."""


async def nothing() -> None:
    """Wait for nobody."""


def metered(
    here: Corner, model: Answers, domain: Spent = PLENTY, every: Spent = PLENTY, before: Callable[[], Awaitable[None]] = nothing
) -> Metered:
    """Return a model that may take so much in a day for a corner, and for every one together."""
    return Metered(ModelWriter(model), here.domain, here.memory.spending, CallLimits(domain, every), before)


async def calls(meter: Metered, most: int = 20) -> int:
    """Ask until the budget of the day is spent; return how often there was an answer."""
    for n in range(most):
        try:
            assert await meter.answer("be", "brief") == "so it is"
        except BudgetSpent:
            return n
    return most


@pytest.mark.parametrize("allowed", [0, 1, 5])
async def test_a_place_takes_as_many_calls_as_its_day_allows(tmp_path: Path, allowed: int) -> None:
    async with at_home(tmp_path) as here:
        model = Answers()
        meter = metered(here, model, domain=Spent(allowed, 1_000_000))
        assert await calls(meter) == allowed == len(model.asked) == meter.spent.calls
        assert await calls(metered(here, model, domain=Spent(allowed, 1_000_000))) == 0, "whoever asks for the place"
        assert len(model.asked) == allowed


async def test_one_place_leaves_another_its_calls_but_all_have_a_limit_together(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob", place="bobs")
        model, together = Answers(), Spent(5, 1_000_000)
        assert await calls(metered(here, model, Spent(3, 1_000_000), together)) == 3
        assert await calls(metered(bob, model, Spent(3, 1_000_000), together)) == 2, "only five in all"
        assert (await here.memory.spending.today(bob.domain)).calls == 2
        assert (await here.memory.spending.today()).calls == len(model.asked) == 5


async def test_tokens_there_and_back_are_counted_and_end_the_day_as_calls_do(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        meter = metered(here, Answers(answer="so it is"), domain=Spent(1000, 3 * COSTS))
        assert await calls(meter) == 3
        assert meter.spent == await here.memory.spending.today(here.domain) == Spent(3, 3 * COSTS)
        assert await calls(metered(here, Answers(), every=Spent(1000, 3 * COSTS))) == 0
        assert await calls(metered(here, Answers(), every=Spent(1000, 3 * COSTS + 1))) == 1, "the last call may go beyond"


async def test_a_call_is_counted_before_it_is_made(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        seen: list[Spent] = []

        async def look() -> None:
            seen.append(await here.memory.spending.today(here.domain))

        await metered(here, Answers(hears=look)).answer("be", "brief")
        assert seen == [Spent(1, COSTS // 2)], "what goes there; the answer is not here yet"
        assert await here.memory.spending.today(here.domain) == Spent(1, COSTS)


async def test_a_call_that_is_cut_off_was_a_call(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        begun = asyncio.Event()

        async def hang() -> None:
            begun.set()
            await asyncio.Event().wait()

        asking = asyncio.create_task(metered(here, Answers(hears=hang)).answer("be", "brief"))
        await begun.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert (await here.memory.spending.today(here.domain)).calls == 1


async def test_a_call_that_fails_counts_and_one_that_is_not_made_does_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        meter = metered(here, Answers(failure=ModelDown("The model is away.")), domain=Spent(2, 1_000_000))
        for _ in range(2):
            with pytest.raises(WriterFailed, match="away") as failed:
                await meter.answer("be", "brief")
            assert not isinstance(failed.value, BudgetSpent)
        for _ in range(3):
            with pytest.raises(BudgetSpent):
                await meter.answer("be", "brief")
        assert meter.spent.calls == 2 == (await here.memory.spending.today()).calls


async def test_a_spent_budget_is_a_writer_out_of_reach_and_says_when_there_is_more(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        with pytest.raises(WriterFailed, match="tomorrow"):
            await metered(here, Answers(), every=NOTHING).write(Task("gist", (Source("a", "Ada", "now", "hello"),)))


async def test_a_digest_that_it_writes_is_metered_and_read(tmp_path: Path) -> None:
    task = Task("gist", (Source("a", "Ada", "2026-03-03", "the boat is blue"),))
    async with at_home(tmp_path) as here:
        meter = metered(here, Answers("The boat is blue [a]."))
        (entry,) = await meter.write(task)
        assert (entry.cites, meter.spent.calls) == (("a",), 1)
        with pytest.raises(WriterRefused):
            await metered(here, Answers("")).write(task)
        assert (await here.memory.spending.today()).calls == 2, "an answer that cannot be used was an answer"


async def test_a_new_day_begins_at_midnight_utc_wherever_the_place_is(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        home.clock.at = utc("2026-03-03 12:00")
        here = await corner(home.memory, home.clock, "kiki", "Pacific/Auckland", "kikis")
        one = Spent(1, 1_000_000)
        assert await calls(metered(here, Answers(), one)) == 1
        home.clock.forward(12 * HOUR - 1)
        assert await calls(metered(here, Answers(), one)) == 0
        home.clock.forward(1)
        assert await calls(metered(here, Answers(), one)) == 1
        home.clock.forward(DAY)
        assert await home.memory.spending.today() == NOTHING


async def test_what_was_spent_is_known_after_a_restart_and_to_other_processes(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await calls(metered(here, Answers(), Spent(3, 1_000_000)))
        async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other")) as other:
            assert (await other.spending.today(here.domain)).calls == 3
    async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("again")) as memory:
        assert await calls(metered(await corner(memory, here.clock), Answers(), Spent(3, 1_000_000))) == 0


async def test_what_stops_her_before_a_call_costs_nothing(tmp_path: Path) -> None:
    async def lost() -> None:
        raise WriterFailed("Another process goes on with it.")

    async with at_home(tmp_path) as here:
        model = Answers()
        with pytest.raises(WriterFailed, match="Another"):
            await metered(here, model, before=lost).answer("be", "brief")
        assert model.asked == [] and await here.memory.spending.today() == NOTHING


async def test_what_others_spent_while_she_waited_is_spent(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:

        async def spend() -> None:
            await here.memory.spending.note(here.domain, Spent(1, 6))

        assert await calls(metered(here, Answers(), every=Spent(1, 1_000_000), before=spend)) == 0


def test_dreams_have_a_share_of_what_all_that_is_unasked_may_take() -> None:
    dream = DreamSection(calls_per_day=7, tokens_per_day=70)
    settings = Settings(background_calls_per_day=9, background_tokens_per_day=90, dream=dream)
    assert limits(settings, dreaming=True) == CallLimits(Spent(7, 70), Spent(9, 90))
    assert limits(settings) == CallLimits(Spent(9, 90), Spent(9, 90))


async def waiting(work: asyncio.Task[int]) -> bool:
    """Say whether something waits, having had time to go on."""
    done, _ = await asyncio.wait({work}, timeout=0.05)
    return not done


async def test_she_waits_until_the_last_who_talks_has_an_answer(tmp_path: Path) -> None:
    priority = Priority()
    async with at_home(tmp_path) as here:
        model = Answers()
        with priority.running_turn():
            with priority.running_turn():
                asking = asyncio.create_task(calls(metered(here, model, before=priority.free), 1))
                assert await waiting(asking), "two talk"
            assert await waiting(asking), "one does yet"
            assert model.asked == [] and await here.memory.spending.today() == NOTHING
        assert await asking == 1


async def test_with_nobody_talking_she_goes_on_at_once() -> None:
    priority = Priority(patience=3600)
    await asyncio.wait_for(priority.free(), 1)
    with pytest.raises(RuntimeError), priority.running_turn():
        raise RuntimeError("the turn broke")
    await asyncio.wait_for(priority.free(), 1)


async def test_her_patience_ends_where_somebody_always_talks(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        priority, model = Priority(patience=0.01), Answers()
        with priority.running_turn():
            assert await asyncio.wait_for(calls(metered(here, model, before=priority.free), 2), 5) == 2


async def test_a_budget_holds_where_several_ask_at_once(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        model, one = Answers(), Spent(1, 1_000_000)
        meters = [metered(here, model, one, one) for _ in range(3)]
        told = await asyncio.gather(*(meter.answer("be", "brief") for meter in meters), return_exceptions=True)
        assert len(model.asked) == 1 and sum(isinstance(one, BudgetSpent) for one in told) == 2


async def tried_in_a_day(here: Corner, pause: ModelOutage | None) -> int:
    """Let a model fail for a day in which it is wanted every minute; return how often it was asked."""
    model = Answers(failure=ModelDown("away"))
    meter = Metered(
        ModelWriter(model), here.domain, here.memory.spending, CallLimits(PLENTY, Spent(200, 1_000_000)), nothing, pause
    )
    here.clock.forward(DAY - here.clock.now() % DAY)
    for _ in range(DAY // MINUTE - 1):
        with pytest.raises(WriterFailed):
            await meter.answer("be", "brief")
        here.clock.forward(MINUTE)
    return len(model.asked)


async def test_a_model_that_fails_for_a_day_leaves_most_of_its_budget(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        model = Answers()
        pause = ModelOutage(here.clock, lambda: model, LONGEST_UNASKED)
        assert 40 < await tried_in_a_day(here, pause) < 100
        here.clock.forward(30 * MINUTE)
        meter = Metered(ModelWriter(model), here.domain, here.memory.spending, CallLimits(PLENTY, PLENTY), nothing, pause)
        assert await calls(meter, 3) == 3 and not pause.lasts, "it answers, and is asked whenever it is wanted"


async def test_without_a_pause_it_spends_all_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await tried_in_a_day(here, None) == 200


async def test_a_model_that_waits_for_its_pause_is_told_of_as_it_failed_last(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        model = Answers(failure=ModelDown("The lights are out."))
        pause = ModelOutage(here.clock, lambda: model)
        meter = Metered(ModelWriter(model), here.domain, here.memory.spending, CallLimits(PLENTY, PLENTY), nothing, pause)
        for minutes in (0, 60, 1):
            here.clock.forward(minutes * MINUTE)
            with pytest.raises(WriterFailed, match="The lights are out"):
                await meter.answer("be", "brief")
        assert len(model.asked) == 2
