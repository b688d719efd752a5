"""Many at once on Discord, in many channels of many servers: each gets an answer to their own question, in order, and nobody waits for another place."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from memory.types import DomainKind, Kind
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Guild, Message
from tests.kits.awake import model_server
from tests.kits.discord_home import awake, prompt, question, server_of, sound
from tests.kits.discord_knowing import Thoughtful, Town, answers
from tests.kits.size import TORTURE

MANY = 50 if TORTURE else 15


class Patient(Thoughtful):
    """A model server that answers nobody before so many have asked."""

    waits_for = 0

    async def _record(self, request: web.Request) -> b.Request:
        recorded = await super()._record(request)
        await self.heard(self.waits_for)
        return recorded


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with DiscordServer() as server, Patient() as model:
        yield Town(server, model, tmp_path, monkeypatch)
        sound(server)


@pytest.fixture
def home(town: Town) -> Guild:
    return town.server.world.guild("Home")


@pytest.fixture
def general(town: Town, home: Guild) -> Channel:
    return town.server.world.channel(home, "general")


async def ask(town: Town, name: str, place: Channel, text: str) -> Message:
    return await town.person(name).says(place, f"{town.server.mention} {text}")


async def told(town: Town, *questions: Message) -> list[str]:
    """Return the only answer to each question."""
    for one in questions:
        await town.answer(one)
    found = [answers(town.server, one) for one in questions]
    assert all(len(one) == 1 for one in found)
    return [one[0].content for one in found]


async def busy(town: Town, place: Channel) -> None:
    """Keep Lyra busy with a question at a place until the model is told to go."""
    heard = len(town.model.requests)
    town.model.thinks = True
    await ask(town, "eve", place, "think about this")
    await town.model.heard(heard + 1)


async def test_two_people_in_one_channel_each_get_their_own_answer(town: Town, home: Guild, general: Channel) -> None:
    async with town.lyra() as lyra:
        questions = await asyncio.gather(
            *(ask(town, name, general, f"what is {number} and {number}?") for number, name in enumerate(["ada", "bob"] * 5))
        )
        said = await told(town, *questions)
        asked = {f"You said: {name}: what is {number} and {number}?" for number, name in enumerate(["ada", "bob"] * 5)}
        assert asked == set(said)
        pinged = [answers(town.server, one)[0].mentions for one in questions]
        assert pinged == [[one.author] for one in questions]
        kept = await lyra.kept(*server_of(home))
        assert len(kept) == len(set(kept)) == 20


async def test_a_burst_of_one_person_is_answered_together(town: Town, general: Channel) -> None:
    async with town.lyra() as lyra:
        await busy(town, general)
        burst = [await ask(town, "ada", general, text) for text in ("I have a question", "it is about tea", "is there any?")]
        await town.caught_up()
        town.model.go.set()
        [said] = await told(town, burst[-1])
        assert said == "You said: ada: I have a question\nada: it is about tea\nada: is there any?"
        assert not any(answers(town.server, one) for one in burst[:-1])
        assert [question(chat) for chat in lyra.chats].count(said.removeprefix("You said: ")) == 1


async def test_a_burst_ends_where_somebody_else_speaks(town: Town, general: Channel) -> None:
    async with town.lyra():
        await busy(town, general)
        first, second = [await ask(town, "ada", general, text) for text in ("is there tea?", "green tea?")]
        between = await ask(town, "bob", general, "is there coffee?")
        last = await ask(town, "ada", general, "with milk?")
        await town.caught_up()
        town.model.go.set()
        assert await told(town, second, between, last) == [
            "You said: ada: is there tea?\nada: green tea?", "You said: bob: is there coffee?", "You said: ada: with milk?",
        ]  # fmt: skip
        assert answers(town.server, first) == []


async def test_many_channels_at_once_do_not_wait_for_each_other(town: Town, home: Guild) -> None:
    channels = [town.server.world.channel(home, f"room-{number}") for number in range(MANY)]
    assert isinstance(town.model, Patient)
    async with town.lyra() as lyra:
        town.model.waits_for = MANY
        questions = [await ask(town, "ada", place, f"what is {at} and {at}?") for at, place in enumerate(channels)]
        assert await told(town, *questions) == [f"You said: ada: what is {at} and {at}?" for at in range(MANY)]
        assert len(lyra.chats) == MANY
        view = await lyra.view(*server_of(home))
        assert {session.name: session.messages for session in await view.sessions.all()} == {
            f"#{one.name}": 2 for one in channels
        }


async def test_many_people_in_their_dms_at_once_never_read_each_other(town: Town) -> None:
    names = [f"person{number}" for number in range(MANY)]
    assert isinstance(town.model, Patient)
    async with town.lyra() as lyra:
        town.model.waits_for = MANY
        questions = [
            await town.person(name).says(await town.person(name).opens_dm(), f"my name is {name} and I like tea")
            for name in names
        ]
        assert await told(town, *questions) == [f"You said: my name is {name} and I like tea" for name in names]
        again = [await town.person(name).says(one.channel, "what do I like?") for name, one in zip(names, questions, strict=True)]
        await told(town, *again)
        for name in names:
            mine = [text for chat in lyra.chats if f"name is {name} " in (text := prompt(chat))]
            assert len(mine) == 2
            assert not any(f"name is {other} " in text for text in mine for other in names if other != name)


SERVERS, CHANNELS, EACH = (10, 20, 50) if TORTURE else (3, 4, 5)
NO_LIMITS = "[limits]\nin_a_row = 0\n[limits.person]\nturns_per_minute = 0\n"


async def test_nothing_of_a_burst_is_lost_and_each_channel_keeps_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordServer() as server, model_server() as model:
        # Ten thousand turns, of some 30 ms of a processor each.
        server.pulse.patience *= 10 if TORTURE else 1
        ada = server.person("ada")
        guilds = [server.world.guild(f"Server {n}") for n in range(SERVERS)]
        channels = [server.world.channel(guild, f"channel-{n}") for guild in guilds for n in range(CHANNELS)]
        for guild in guilds:
            ada.joins(guild)
        async with awake(server, tmp_path / "home", monkeypatch, model=model, config=NO_LIMITS) as lyra:
            for n in range(EACH):
                for channel in channels:
                    await ada.says(channel, f"{server.mention} {channel.id} {n}")
            unanswered = {max(channel.messages) for channel in channels}

            def answered() -> bool:
                for one in server.world.said[looked_at[0] :]:
                    unanswered.discard(one.reply_to or 0)
                looked_at[0] = len(server.world.said)
                return not unanswered

            looked_at = [0]
            await server.pulse.until(answered, "an answer to the last of each")
            await lyra.heard()
            for guild in guilds:
                view = await lyra.view(DomainKind.SERVER, guild.id)
                said = [
                    one.text.split()[-2:] for _session, one in [row async for row in view.messages.all()] if one.kind is Kind.SAID
                ]
                for channel in (one for one in channels if one.guild is guild):
                    assert [int(n) for place, n in said if place == str(channel.id)] == list(range(EACH))
        sound(server)
