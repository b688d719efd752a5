"""Answers that begin to be shown on Discord, and may not end there: what stands of one says why, or becomes whole once it may."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person, Status
from tests.flow.test_lyra_discord_streaming import ON, Halting, finished, hurry
from tests.kits import discord_home
from tests.kits.discord_home import Awake, awake
from tests.kits.discord_quick import greeted

BEGINNING, REST = "Once there was", " a cat."


@pytest.fixture
async def model() -> AsyncIterator[Halting]:
    async with Halting(lambda request: "I see.") as model:
        model.rest = REST
        yield model


ada = discord_home.ada


async def begun(server: DiscordServer, her: Awake, model: Halting, ada: Person, place: Channel) -> Message:
    """Ask for a tale, and return the answer once its beginning is shown; the model is silent from there on."""
    await greeted(server, place)
    hurry(her)
    model.script(b.Hang(BEGINNING))
    return await finished(server, await ada.says(place, f"{server.mention} tell me a tale"), BEGINNING)


async def test_an_answer_in_a_thread_that_is_closed_meanwhile_becomes_whole_once_it_is_opened_again(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        thread = await ada.starts_thread(general, "tales")
        shown = await begun(server, her, model, ada, thread)
        server.acts.change_thread(thread, archived=True)
        model.go.set()
        await her.rests()
        assert shown.content == BEGINNING
        await ada.says(thread, "and then?")
        await server.pulse.until(lambda: shown.content == BEGINNING + REST, "the whole answer")
        assert shown.controls() == []


async def test_an_answer_whose_end_is_refused_for_good_says_why_in_its_place(
    server: DiscordServer, general: Channel, model: Halting, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model, discord=ON) as her:
        shown = await begun(server, her, model, ada, general)
        server.faults.script("update_message", Status(400))
        model.go.set()
        await server.pulse.until(lambda: shown.content.startswith("Discord refused the message (400"), "why it does not end")
        assert shown.controls() == []
