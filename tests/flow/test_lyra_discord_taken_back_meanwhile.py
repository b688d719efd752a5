"""A question that is deleted while its answer goes out: the answer is deleted as well, in whatever order she learns of both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from pathlib import Path

import pytest

from adapters.events import Event, MessagesDeleted
from bot.conversation.listening import NO_CURSORS
from tests.fakes.discord import DiscordServer, Held
from tests.flow.test_lyra_discord_changes import GREEN, answer_to, answers_to, caught_up
from tests.kits.discord_home import Awake, awake
from tests.kits.discord_knowing import Thoughtful


@pytest.fixture
async def model() -> AsyncIterator[Thoughtful]:
    async with Thoughtful() as model:
        yield model


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
