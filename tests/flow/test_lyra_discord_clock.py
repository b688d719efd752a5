"""The machine's clock is wrong by hours, as where it was set to local time: on Discord people are answered as ever."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.platform_clock import PlatformClock
from memory.types import MINUTE
from tests.fakes.discord import DiscordServer
from tests.kits.discord_knowing import Thoughtful, Town


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """A server with one channel, and Ada."""
    async with DiscordServer() as server, Thoughtful() as model:
        town = Town(server, model, tmp_path, monkeypatch)
        home = server.world.guild("Home")
        town.names["general"] = server.world.channel(home, "general")
        server.world.join(home, server.person("ada").user)
        yield town


def in_hours(hours: int) -> int:
    """Return what a clock says that is so many hours ahead, in microseconds UTC."""
    return int(datetime.now(UTC).timestamp() * 1_000_000) + hours * 60 * MINUTE


@pytest.mark.parametrize("told", [True, pytest.param(False, marks=pytest.mark.torture, id="nothing told of Discord's clock")])
async def test_a_question_is_answered_where_the_clock_is_two_hours_ahead(
    town: Town, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    if not told:
        monkeypatch.setattr(PlatformClock, "note", lambda self, date: None)
    async with town.lyra(at=in_hours(2)):
        answer = await town.asks("ada", town.names["general"], "How are you?")
    assert ("ask again" not in answer.content) is told


async def test_what_was_asked_two_hours_ago_is_too_late_where_the_clock_is_three_hours_behind(town: Town) -> None:
    async with town.lyra(at=in_hours(-3)):
        ada, question = town.person("ada"), f"{town.server.mention} Are you there?"
        asked = await ada.says(town.names["general"], question, at=datetime.now(UTC) - timedelta(hours=2))
        assert "ask again" in (await town.answer(asked)).content
