"""A clock that is wrong for a while takes nothing away that was to be kept for longer."""

from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.forget import clock_jumps
from memory.types import DAY, MINUTE
from tests.kits.memory_kit import at_home

YEAR, HOUR = 365 * DAY, 60 * MINUTE
MONTH = ConsolidationRules(retention={"messages": 31})


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_clock_that_is_a_year_ahead_and_put_right_again_has_nothing_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(clock_jumps, "_FAR", 100 * YEAR)
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


async def test_what_is_over_goes_an_hour_later_where_nobody_was_here_for_a_year(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=MONTH) as home:
        await home.say("my cat is called Turing")
        assert await home.memory.expire() == 0
        home.clock.forward(YEAR)
        assert await home.memory.expire() == 0
        home.clock.forward(HOUR)
        assert await home.memory.expire() == 1


async def test_what_is_over_goes_at_once_where_the_clock_was_not_far_ahead_and_after_it_went_back(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=MONTH) as home:
        await home.say("my cat is called Turing")
        assert await home.memory.expire() == 0
        home.clock.forward(29 * DAY)
        assert await home.memory.expire() == 0
        home.clock.forward(-DAY)
        assert await home.memory.expire() == 0
        home.clock.forward(4 * DAY)
        assert await home.memory.expire() == 1
