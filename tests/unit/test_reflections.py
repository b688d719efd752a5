"""Whether a thought of hers is said: where it is wanted, at an hour that is not quiet, rarely, and not for ever later."""

from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest

from bot.dreams.reflection_posting import in_quiet_hours
from memory.tiers import selfstate
from memory.tiers.selfstate import StateOfMind
from tests.kits.dream_month import Month, month
from tests.kits.memory_kit import DAY, HOUR


@pytest.mark.parametrize(
    ("hours", "now", "is_quiet"),
    [
        ("22:00-08:00", "23:00", True),
        ("22:00-08:00", "07:59", True),
        ("22:00-08:00", "08:00", False),
        ("22:00-08:00", "21:59", False),
        ("13:00-15:00", "14:00", True),
        ("13:00-15:00", "15:00", False),
        ("", "03:00", False),
    ],
)
def test_quiet_hours_may_go_over_midnight(hours: str, now: str, is_quiet: bool) -> None:
    assert in_quiet_hours(time.fromisoformat(now), hours) is is_quiet


async def thinks(lived: Month) -> None:
    """Let her have a thought about what was said a while ago, at noon, where thoughts are wanted."""
    await lived.wants(thoughts=True)
    await lived.hours(6)
    await lived.dreams.dream(lived.domain, forced=True)
    assert await lived.view.thoughts.waiting()


async def said(lived: Month, *, at_hand: bool = False) -> bool:
    """Let her say what she may, and return whether she did."""
    return await lived.reflections.say(lived.domain, at_hand=at_hand)


async def test_it_waits_while_people_talk_and_over_the_night_but_not_for_who_is_at_hand(tmp_path: Path) -> None:
    async with month(tmp_path) as lived:
        await lived.hours(4)
        await lived.dreams.dream(lived.domain, forced=True)
        assert await lived.view.thoughts.waiting()
        await lived.wants(thoughts=True)
        await lived.talk()
        assert not await said(lived), "somebody talks"
        lived.clock.forward(13 * HOUR)
        assert not await said(lived), "it is night"
        assert await said(lived, at_hand=True)


async def test_it_is_said_once_a_day(tmp_path: Path) -> None:
    async with month(tmp_path) as lived:
        await thinks(lived)
        lived.clock.forward(HOUR)
        before = len(lived.thoughts)
        assert before == 1 or await said(lived)
        await lived.talk()
        lived.clock.forward(HOUR)
        await lived.dreams.dream(lived.domain, forced=True)
        assert await lived.view.thoughts.waiting() and not await said(lived)
        lived.clock.forward(DAY)
        assert await said(lived) and not await said(lived)


async def test_where_she_is_not_caught_up_or_was_not_as_curious_as_is_asked_for_it_waits(tmp_path: Path) -> None:
    async with month(tmp_path) as lived:
        await lived.hours(6)
        await lived.dreams.dream(lived.domain, forced=True)
        await lived.wants(thoughts=True)
        lived.clock.forward(HOUR)
        mind = (await lived.view.self_state.now()).mind
        for stability, bar, says in ((0.4, 0.0, False), (1.0, 1.01, False), (1.0, 0.0, True)):
            await lived.view.thoughts.raise_bar(bar)
            async with lived.memory.db.transaction() as tx:
                state = StateOfMind(mind.mood, mind.energy, replace(mind.drives, stability=stability), mind.heard)
                await selfstate.keep(tx, lived.domain, state, lived.clock.now())
            assert await said(lived) is says


async def test_after_two_days_it_is_kept_to_herself(tmp_path: Path) -> None:
    async with month(tmp_path) as lived:
        await lived.hours(6)
        await lived.dreams.dream(lived.domain, forced=True)
        assert await lived.view.thoughts.waiting()
        lived.clock.forward(2 * DAY + HOUR)
        await lived.wants(thoughts=True)
        assert not await said(lived) and await lived.view.thoughts.waiting() == []
        assert (await lived.view.self_state.now()).reflections
