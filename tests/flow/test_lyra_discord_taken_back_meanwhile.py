"""What is taken back on Discord while its answer or a digest of it is made: the answer is deleted as well, and no model that writes digests is shown it."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from adapters.events import Event, MessagesDeleted
from bot.conversation.listening import NO_CURSORS
from memory.derive import pipeline
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import DiscordServer, Held
from tests.fakes.openai_behaviours import Request
from tests.flow.test_lyra_discord_changes import GREEN, answer_to, answers_to, caught_up
from tests.kits import discord_town
from tests.kits.discord_home import Awake, awake, model_server, prompt, server_of
from tests.kits.discord_knowing import Thoughtful
from tests.kits.discord_town import Town, rows
from tests.kits.entered import entered_in_loop
from tests.kits.ladder_talk import teller

model = entered_in_loop(Thoughtful)


async def test_discord_has_the_answer_and_she_does_not_know_it_yet(
    server: DiscordServer, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model):
        ada = server.person("ada")
        room = await ada.opens_dm()
        await caught_up(server)
        before = await ada.says(room, GREEN)
        await answer_to(server, before)
        model.thinks, slow = True, Held()
        heard = len(model.requests)
        said = await ada.says(room, GREEN)
        await model.heard(heard + 1)
        server.faults.script("create_message", slow)
        model.go.set()
        await asyncio.wait_for(slow.reached.wait(), 20)
        [answer] = answers_to(server, said)
        await ada.deletes(said)
        await caught_up(server)
        slow.go.set()
        await server.pulse.until(lambda: answer.deleted, "that the answer is deleted")
        assert len(answers_to(server, before)) == 1, "what answers another question stands"


class Late:
    """A listener that hears of a deletion late."""

    def __init__(self, her: Awake) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()
        self._hear = her.talk.listeners["discord"].hear

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Wait where something was deleted."""
        if any(isinstance(event, MessagesDeleted) for event in events):
            self.reached.set()
            await self.go.wait()
        return await self._hear(events, cursors)


async def test_she_hears_of_it_after_she_answered(
    server: DiscordServer, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        ada = server.person("ada")
        room = await ada.opens_dm()
        await caught_up(server)
        before = await ada.says(room, GREEN)
        await answer_to(server, before)
        late = Late(her)
        monkeypatch.setattr(her.talk.listeners["discord"], "hear", late.hear)
        model.thinks, heard = True, len(model.requests)
        said = await ada.says(room, GREEN)
        await model.heard(heard + 1)
        await ada.deletes(said)
        await late.reached.wait()
        model.go.set()
        await server.pulse.until(lambda: len(server.world.by_bot(room)) == 2, "the answer")
        await her.rests()
        answer = server.world.by_bot(room)[-1]
        late.go.set()
        await server.pulse.until(lambda: answer.deleted, "that the answer is deleted")
        assert len(answers_to(server, before)) == 1, "what answers another question stands"


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
