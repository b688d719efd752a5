"""She is put out of a place and comes back, on Discord and on Matrix: what was asked meanwhile is answered once she is back."""

from pathlib import Path

import pytest

from bot.conversation.answering.lateness import LATE
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Right
from tests.fakes.matrix import People, Proxy
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town
from tests.kits.matrix_home import Home, home, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = discord_town.town


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return await home(people, proxy, tmp_path, monkeypatch)


def out(town: Town, how: str) -> None:
    if how == "the server":
        return town.server.acts.remove_bot(town.guild)
    return town.server.acts.overwrite(town.general, town.server.world.bot, deny=Right.VIEW_CHANNEL)


def come_back(town: Town, how: str) -> None:
    if how == "the server":
        return town.server.acts.add_bot(town.guild)
    return town.server.acts.overwrite(town.general, town.server.world.bot)


@pytest.mark.parametrize("how", ["the channel", "the server"])
async def test_on_discord_what_was_asked_while_she_was_out_is_answered_once_she_is_back(town: Town, how: str) -> None:
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, town.general, "hello")
        out(town, how)
        asked = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.caught_up()
        come_back(town, how)
        assert (await town.answer(asked)).content == "You said: ada: what is new?"


@pytest.mark.parametrize("down", [False, True])
async def test_on_matrix_what_was_asked_while_she_was_out_is_answered_once_she_is_back(
    at_home: Home, people: People, down: bool
) -> None:
    ada, bob = await people.person("ada"), await people.person("bob", listens=False)
    async with model_server() as model:
        async with at_home.lyra(model):
            room = await room_of(at_home, ada, bob)
            await at_home.asks(ada, room, "hello", mentions=[at_home.user])
            if not down:
                await ada.kicks(room, at_home.user)
                asked = await ada.says(room, "what is new?", mentions=[at_home.user])
                await ada.invites(room, at_home.user)
                assert (await at_home.answer(ada, room, asked)).body == "You said: Ada: what is new?"
        if down:
            await ada.kicks(room, at_home.user)
            asked = await ada.says(room, "what is new?", mentions=[at_home.user])
            await ada.invites(room, at_home.user)
            async with at_home.lyra(model):
                assert (await at_home.answer(ada, room, asked)).body == "You said: Ada: what is new?"


@pytest.mark.parametrize("back", ["before the model answers", "after it"])
@pytest.mark.parametrize("how", ["the channel", "the server"])
async def test_what_she_is_asked_just_before_she_is_put_out_is_answered_or_told_to_be_lost(
    town: Town, how: str, back: str
) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "hello")
        model.script(b.Held("It is noon."))
        asked = await town.ada.says(town.general, f"{town.server.mention} what time is it?")
        await model.heard(2)
        out(town, how)
        await town.caught_up()
        if back == "after it":
            model.go.set()
            await town.server.pulse.until(lambda: not lyra.talk.mailboxes.waiting, "an answer that waits")
        come_back(town, how)
        await town.caught_up()
        model.go.set()
        await lyra.talk.tick()
        # What was said in a server that she is put out of comes up no more, so that no answer can rest on it.
        told = ("It is noon.", "You said: ada: what time is it?") if how == "the channel" else (str(LATE),)
        assert (await town.answer(asked)).content in told
