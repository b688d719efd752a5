"""Words that were said to her on Discord before she listened for the first time: they are met with one sentence, and not read."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from adapters.command_table import AnswerAudience
from adapters.events import MenuCall, Unreadable
from adapters.events import Message as Heard
from tests.fakes.discord import Message
from tests.kits import discord_town
from tests.kits.awake import model_server, prompt
from tests.kits.discord_kit import Ear, listening
from tests.kits.discord_speech import spec
from tests.kits.discord_town import Town

town = discord_town.town


def told(town: Town) -> list[Message]:
    """Return where she said that somebody wrote to her before she was here."""
    return [one for one in town.server.world.said if "before I was here" in one.content]


@pytest.mark.parametrize("after", ["a word", "a command"])
async def test_who_wrote_to_her_before_her_first_start_is_told_so_once(town: Town, after: str) -> None:
    dm = await town.ada.opens_dm()
    early = await town.ada.says(dm, "Hello, are you there?")
    for text in ("Good morning.", "Good evening."):
        async with model_server() as model, town.lyra(model) as lyra:
            if after == "a command":
                await town.asks(town.ada, dm, "status")
            await town.says(town.ada, dm, text)
            await lyra.heard()
            assert "are you there" not in prompt(lyra.chats[-1])
    assert [one.reply_to for one in told(town)] == [early.id]


async def test_of_what_was_long_ago_or_not_the_last_word_nothing_is_told(town: Town) -> None:
    now, world = datetime.now(UTC), town.server.world
    ada, bob = [await one.opens_dm() for one in (town.ada, town.bob)]
    await town.ada.says(ada, "Hello, are you there?", at=now - timedelta(days=8))
    await town.bob.says(bob, "Hello, are you there?", at=now - timedelta(hours=2))
    town.server.acts.post(Message(world.ids.next(now - timedelta(hours=1)), bob, world.bot, "Another program said this for her."))
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, ada, "Good morning.")
        await town.says(town.bob, bob, "Good morning.")
    assert told(town) == []


async def test_what_is_said_while_her_first_start_takes_long_is_not_from_before(town: Town) -> None:
    dm = await town.ada.opens_dm()

    class Slow(Ear):
        async def ready(self) -> None:
            now = datetime.now(UTC)
            await town.ada.runs(dm, "status")
            await town.ada.says(dm, "Hello, are you there?", at=now)
            # Ids tell moments that are a millisecond apart.
            while datetime.now(UTC) - now < timedelta(milliseconds=2):
                await asyncio.sleep(0)
            await super().ready()

    ear = Slow({"status": spec("status", answer=AnswerAudience.HERE)})
    async with listening(town.server, ear):
        await ear.heard(MenuCall)
        await ear.heard(Heard)
    assert ear.texts == ["Hello, are you there?"] and not ear.of(Unreadable)
