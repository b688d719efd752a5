"""What is done every minute is done again whatever it raises, and ends with what it is done for."""

import asyncio
from collections.abc import Callable

import pytest

from bot.service import minutely
from memory.errors import DatabaseBusy
from tests.fakes.pulse import PATIENCE


@pytest.fixture(autouse=True)
def short_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of a hundredth of a second."""
    monkeypatch.setattr(minutely, "MINUTE", 0.01)


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0)


class Counted:
    """A job that counts how often it was begun, and waits for `go` if it has that."""

    def __init__(self, error: BaseException | None = None, go: asyncio.Event | None = None) -> None:
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
    async with minutely.minutely([job]):
        await until(lambda: job.begun == 3)


async def test_a_job_that_takes_longer_than_a_minute_is_not_begun_a_second_time_beside_itself() -> None:
    go = asyncio.Event()
    slow, other = Counted(go=go), Counted()
    async with minutely.minutely([slow, other]):
        await until(lambda: other.begun >= 5)
        assert slow.begun == 1
        go.set()
        await until(lambda: slow.begun >= 2)


async def test_a_job_that_cancels_itself_is_done_again_and_one_that_is_under_way_ends_with_the_block() -> None:
    job, waits = Counted(asyncio.CancelledError()), Counted(go=asyncio.Event())
    async with minutely.minutely([job], at_once=waits):
        await until(lambda: job.begun == 3 and waits.begun == 1)
    assert asyncio.all_tasks() == {asyncio.current_task()}
