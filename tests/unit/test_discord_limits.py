"""What Discord allows is waited for by a clock that may be put right meanwhile."""

from adapters.discord.limits import Limits
from memory.types import DAY, MINUTE
from tests.kits.adapter_kit import Notebook
from tests.kits.memory_kit import Clock


async def test_a_stop_noted_while_the_clock_was_a_year_ahead_ends_once_it_is_right() -> None:
    clock, notes = Clock(), Notebook()
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)
        clock.forward(round(seconds * 1_000_000))

    await notes.put("stopped_until", clock.now() + 365 * DAY + MINUTE)
    limits = Limits(notes, clock.now, pause)
    await limits.load()
    await limits.hold()
    limits.require()
    assert waited == []
    await notes.put("stopped_until", clock.now() + MINUTE)
    await limits.load()
    await limits.hold()
    assert waited == [60.0]
