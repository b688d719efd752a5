"""What is done every minute is done again whatever it raises, and whatever the clock on the wall shows."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.service import process_lifecycle
from memory.errors import DatabaseBusy
from tests.fakes.pulse import PATIENCE


@pytest.fixture(autouse=True)
def short_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of a hundredth of a second."""
    monkeypatch.setattr(process_lifecycle, "MINUTE", 0.01)


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0)


class Counted:
    """A job that counts how often it was begun, and waits for `go` if it has that."""

    def __init__(self, error: Exception | None = None, go: asyncio.Event | None = None) -> None:
        self.begun = 0
        self._error = error
        self._go = go

    async def __call__(self) -> None:
        self.begun += 1
        if self._go:
            await self._go.wait()
        if self._error:
            raise self._error


@pytest.mark.parametrize("error", [DatabaseBusy("later"), ValueError("a fault")])
async def test_a_job_that_fails_is_done_again_a_minute_later(error: Exception) -> None:
    job = Counted(error)
    async with process_lifecycle.minutely([job]):
        await until(lambda: job.begun == 3)


async def test_a_job_that_takes_longer_than_a_minute_is_not_begun_a_second_time_beside_itself() -> None:
    go = asyncio.Event()
    slow, other = Counted(go=go), Counted()
    async with process_lifecycle.minutely([slow, other]):
        await until(lambda: other.begun >= 5)
        assert slow.begun == 1
        go.set()
        await until(lambda: slow.begun >= 2)


async def test_jobs_go_on_after_the_clock_was_set_back() -> None:
    job = Counted()
    async with process_lifecycle.minutely([job]) as scheduler:
        await until(lambda: job.begun >= 1)
        # What a clock that was an hour ahead leaves behind once it is put right.
        for one in scheduler.get_jobs():
            one.modify(next_run_time=datetime.now(UTC) + timedelta(hours=1))
        before = job.begun
        await until(lambda: job.begun >= before + 2)


async def test_a_clock_set_forward_by_years_has_a_job_done_once_for_all_the_minutes_that_were_missed() -> None:
    now = datetime.now(UTC)
    assert process_lifecycle.Minutely().get_next_fire_time(now - timedelta(days=3650), now) > now
