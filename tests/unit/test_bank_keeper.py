"""Housekeeping keeps the banks of the places where they are on: after gists, within the calls of the day."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.models.chains import Models
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.port import ChatMessage, Model, Toolbox
from bot.service.maintenance import Maintenance
from tests.kits.bank_kit import Room, in_a_room
from tests.kits.roomless import Roomless

_LINE = re.compile(r"\[(\w+)\] [^\n]*\n\| ([^\n]+)")


class Copier(Roomless):
    """A model that answers with the first line of what it is to condense; it remembers what it was asked."""

    name = "copier"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Answer with one line."""
        self.asked.append(messages[0]["content"])
        found = _LINE.search(messages[1]["content"])
        assert found
        yield f"{found[2]} [{found[1]}]"

    async def close(self) -> None:
        """Let go of nothing."""


@asynccontextmanager
async def keeping(here: Room, model: Copier | None, *, calls: int = 200) -> AsyncIterator[Maintenance]:
    """Return what keeps house with a model, or with none."""
    backend = {"main": Backend(base_url="http://127.0.0.1:1/v1", model="copier")} if model else {}
    settings = Settings(chat=["main"] if model else [], models=backend, background_calls_per_day=calls)

    def make(name: str, backend: Backend, tries: int, waits: Sequence[float], facts: BackendFacts) -> Model:
        assert model
        return model

    models = Models(settings, here.memory.settings, make, here.clock)
    await models.open()
    yield Maintenance(here.memory, models, settings, here.clock)
    await models.close()


async def test_every_minute_what_is_over_is_noted_where_the_bank_is_on(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        model = Copier()
        async with keeping(here, model) as maintenance:
            await here.talk("the well is dry", "we dig on Friday")
            await maintenance.tick()
            assert await here.lines() == ["the well is dry"]
            kinds = ["note one conversation" in system for system in model.asked]
            assert kinds == sorted(kinds) and any(kinds), "gists come first"
            asked = len(model.asked)
            await maintenance.tick()
            assert len(model.asked) == asked, "and what is done is not done again"


async def test_where_it_is_off_nothing_is_noted(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, on=False) as here:
        model = Copier()
        async with keeping(here, model) as maintenance:
            await here.talk("the well is dry", "we dig on Friday")
            await maintenance.tick()
            assert model.asked == [] and await here.lines() == []


@pytest.mark.parametrize(("calls", "noted"), [(1, []), (2, ["the well is dry"])])
async def test_no_more_calls_are_made_than_the_day_allows(tmp_path: Path, calls: int, noted: list[str]) -> None:
    async with in_a_room(tmp_path) as here:
        model = Copier()
        async with keeping(here, model, calls=calls) as maintenance:
            await here.talk("the well is dry", "we dig on Friday")
            await maintenance.tick()
            assert len(model.asked) == calls and await here.lines() == noted


async def test_without_a_model_there_are_gists_and_no_notes(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here, keeping(here, None) as maintenance:
        await here.talk("the well is dry", "we dig on Friday")
        await maintenance.tick()
        assert await here.count("digests") == 1 and await here.lines() == []
