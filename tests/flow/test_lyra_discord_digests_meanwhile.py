"""What is taken back while a digest of it waits for somebody's answer is not shown to the model that writes digests."""

import asyncio
from contextlib import nullcontext

import pytest

from memory.derive import pipeline
from tests.fakes import openai_behaviours as b
from tests.fakes.openai_behaviours import Request
from tests.kits import discord_town
from tests.kits.discord_home import model_server, prompt, server_of
from tests.kits.discord_town import Town, rows
from tests.kits.ladder_talk import teller

SECRET = "zebrafinch"
TOLD = "My boat is called Flora."

town = discord_town.town


def digests(requests: list[Request]) -> list[str]:
    """Return what was asked for a digest."""
    return [prompt(one) for one in requests if "You write the memory" in prompt(one)]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_what_is_deleted_while_a_digest_waits_behind_an_answer_is_in_no_prompt(
    town: Town, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(pipeline, "requiring", lambda _: nullcontext())
    async with model_server(teller) as model:
        async with town.lyra(model, "summarize_after = 50") as lyra:
            secret = await town.says(town.ada, town.general, f"My {SECRET} sings.")
            await town.says(town.ada, town.general, TOLD)
        async with town.lyra(model, "summarize_after = 2") as lyra:
            model.script(b.Held("I think so."))
            before = len(model.requests)
            asked = await town.bob.says(await town.bob.opens_dm(), "are you there?")
            await model.heard(before + 1)
            housekeeping = asyncio.create_task(lyra.app.maintenance.tick())
            while not await rows(lyra, "claims"):
                await asyncio.sleep(0.01)
            await town.ada.deletes(secret)
            while any(SECRET in text for text in await lyra.kept(*server_of(town.guild))):
                await asyncio.sleep(0.01)
            model.go.set()
            await town.answer(asked)
            await housekeeping
            await lyra.app.maintenance.tick()
            told = digests(lyra.chats)
            assert any("Flora" in one for one in told)
            assert (not any(SECRET in one for one in told)) is guarded
