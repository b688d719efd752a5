"""A clock that is wrong for a while takes nothing away that was to be kept for longer."""

from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.forget import retention
from memory.types import DAY, MINUTE
from tests.kits.dream_kit import Muse, days, dreamt
from tests.kits.dream_month import month
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import at_home

YEAR, HOUR = 365 * DAY, 60 * MINUTE
MONTH = ConsolidationRules(retention={"messages": 31})


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_clock_that_is_a_year_ahead_and_put_right_again_has_nothing_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(retention, "_FAR", 100 * YEAR)
    async with at_home(tmp_path, habits=MONTH) as home:
        await home.say("my cat is called Turing")
        assert await home.memory.expire() == 0
        home.clock.forward(YEAR)
        assert (await home.memory.expire() == 0) is guarded
        home.clock.forward(59 * MINUTE)
        assert await home.memory.expire() == 0
        home.clock.forward(-YEAR - 59 * MINUTE)
        assert await home.memory.expire() == 0
        # It is doubted anew the next time.
        home.clock.forward(YEAR)
        assert await home.memory.expire() == 0


@pytest.mark.parametrize("passing", [[YEAR, HOUR], [29 * DAY, -DAY, 4 * DAY]], ids=["an hour after a year", "not far ahead"])
async def test_what_is_over_goes_where_the_clock_is_to_be_believed(tmp_path: Path, passing: list[int]) -> None:
    async with at_home(tmp_path, habits=MONTH) as home:
        await home.say("my cat is called Turing")
        for time in passing:
            assert await home.memory.expire() == 0
            home.clock.forward(time)
        assert await home.memory.expire() == 1


async def test_drives_and_mood_go_on_once_a_clock_that_was_ahead_is_put_right(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        here.clock.forward(10 * YEAR)
        await days(here, 2)
        await dreamt(here, Teller(), Muse())
        here.clock.forward(-10 * YEAR)
        await dreamt(here, Teller(), Muse())
        right = (await here.view.self_state.now()).since
        assert right <= here.clock.now()
        here.clock.forward(DAY)
        await days(here, 1, mark="again")
        await dreamt(here, Teller(), Muse())
        assert (await here.view.self_state.now()).since > right


async def test_thoughts_are_said_again_once_a_clock_that_was_ahead_is_put_right(tmp_path: Path) -> None:
    async with month(tmp_path) as lived:
        lived.clock.forward(10 * YEAR)
        await lived.wants(thoughts=True)
        await lived.hours(3)
        await lived.dreams.dream(lived.domain, forced=True)
        assert await lived.reflections.say(lived.domain)
        lived.clock.forward(-10 * YEAR)
        await lived.hours(3)
        await lived.dreams.dream(lived.domain, forced=True)
        assert await lived.view.thoughts.waiting()
        assert await lived.reflections.say(lived.domain)
