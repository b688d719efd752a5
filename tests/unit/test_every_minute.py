"""What is done every minute is done again whatever it raises, and whatever the clock on the wall shows."""

import asyncio

import pytest

from bot.service import process_frame
from memory.errors import DatabaseBusy
from tests.fakes.pulse import PATIENCE


@pytest.mark.parametrize("error", [DatabaseBusy("later"), ValueError("a fault")])
async def test_a_job_that_fails_is_done_again_a_minute_later(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(process_frame, "MINUTE", 0.0)
    done, enough = 0, asyncio.Event()

    async def job() -> None:
        nonlocal done
        done += 1
        if done == 3:
            enough.set()
        raise error

    repeating = asyncio.create_task(process_frame.repeated(job))
    async with asyncio.timeout(PATIENCE):
        await enough.wait()
    assert not repeating.done()
    repeating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await repeating


async def test_a_job_that_takes_longer_than_a_minute_is_not_begun_a_second_time_beside_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_frame, "MINUTE", 0.0)
    begun, go = 0, asyncio.Event()

    async def job() -> None:
        nonlocal begun
        begun += 1
        await go.wait()

    repeating = asyncio.create_task(process_frame.repeated(job))
    async with asyncio.timeout(PATIENCE):
        while not begun:
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        assert begun == 1
        go.set()
        while begun < 2:
            await asyncio.sleep(0)
    repeating.cancel()
