"""What a platform's adapter notes waits for a database that is out of reach, but does not hold up the end of the process."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from bot.service import patient_listener
from bot.service.patient_listener import PatientNotes
from memory.errors import DatabaseAway


class Away:
    """Notes in a database that is out of reach as often as it is told to be."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.asked = asyncio.Event()

    async def get(self, name: str) -> Any:
        """Fail, or return the name."""
        self.asked.set()
        if self.left:
            self.left -= 1
            raise DatabaseAway("It is away.")
        return name

    async def put(self, name: str, _value: Any) -> None:
        """Fail, or do nothing."""
        await self.get(name)


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_listener, "_PAUSE_SECONDS", 0.0)


async def test_it_is_tried_until_the_database_is_back() -> None:
    notes = Away(3)
    assert await PatientNotes("discord", notes, asyncio.Event()).get("one") == "one" and notes.left == 0


async def test_whoever_was_asked_to_end_tries_once() -> None:
    notes = Away(1_000_000)

    async def lives() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            with suppress(DatabaseAway):
                await PatientNotes("discord", notes, asyncio.Event()).put("one", 1)

    task = asyncio.create_task(lives())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert notes.left == 999_999
