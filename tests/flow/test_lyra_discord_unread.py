"""What Lyra cannot read on Discord, without the message content intent, is not for her: she says once how to be heard."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import Discord
from adapters.discord.incoming import convert
from adapters.discord.incoming.hearing import Hearing
from adapters.discord.session_client import GatewayEvent
from adapters.events import Message, Unreadable
from tests.fakes.discord import Channel, DiscordServer, Person
from tests.kits.discord_home import awake, sound
from tests.kits.discord_knowing import Thoughtful, Town, answers, everything

HINT = "Here I can read only what mentions me. Mention me with @ in your message, and I answer it."


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with DiscordServer(content_intent=False) as server, Thoughtful() as model:
        town = Town(server, model, tmp_path, monkeypatch)
        home = server.world.guild("Home")
        for name in ("ada", "bob"):
            server.person(name).joins(home)
        town.names["general"] = server.world.channel(home, "general")
        yield town
        sound(server)


def lyra(town: Town, **changes: Any) -> Any:
    return awake(town.server, town.home, town.monkeypatch, model=town.model, **changes)


def said(town: Town, place: Channel) -> list[str]:
    """Return what Lyra said at a place, but for who she is."""
    return [one.content for one in town.server.world.by_bot(place) if not one.content.startswith("Hello, I am Lyra")]


async def thread_of_hers(town: Town, name: str = "Plans") -> Channel:
    """Open a thread and call her into it."""
    thread = await town.person("ada").starts_thread(town.names["general"], name)
    await town.asks("ada", thread, "are you with us?")
    return thread


class Guessing(Hearing):
    """Takes what cannot be read for said to her, whatever it was."""

    async def hand_over(self, heard: Sequence[GatewayEvent]) -> None:
        """Hand over an empty message in place of it."""
        await super().hand_over([replace(one, event=_guessed(one)) for one in heard])


def _guessed(heard: GatewayEvent) -> Any:
    one = heard.event
    return Message(one.id, one.place, one.person, "", convert.said_at(int(one.id))) if isinstance(one, Unreadable) else one


class Overhearing(Discord):
    hearing = Guessing


@pytest.mark.each
@pytest.mark.parametrize("kind", [Discord, Overhearing], ids=["guarded", "without the guard"])
@pytest.mark.parametrize("content", [True, False], ids=["not allowed", "not wanted"])
async def test_what_cannot_be_read_in_a_thread_of_hers_gets_no_answer_but_one_hint(
    town: Town, kind: type[Discord], content: bool
) -> None:
    async with lyra(town, kind=kind, content=content) as her:
        thread = await thread_of_hers(town)
        people = [town.person(name) for name in ("ada", "bob")]
        unread = [await people[number % 2].says(thread, f"unread words number {number}") for number in range(10)]
        told = await town.asks("bob", thread, "and now?")
        spoken = [one.content for message in unread for one in answers(town.server, message)]
        if kind is Overhearing:
            assert len([text for text in spoken if text != HINT]) > 1
            return
        assert spoken == [HINT] and answers(town.server, unread[0])
        assert said(town, thread) == ["You said: ada: are you with us?", HINT, told.content]
        assert await everything(her) == ["are you with us?", "You said: ada: are you with us?", "and now?", told.content]


async def test_the_hint_is_given_once_in_each_conversation_over_restarts_too(town: Town) -> None:
    async with lyra(town):
        thread = await thread_of_hers(town)
        await town.person("ada").says(thread, "one")
        await town.asks("ada", thread, "two")
    await town.person("ada").says(thread, "while she was away")
    async with lyra(town):
        await town.person("bob").says(thread, "three")
        await town.asks("bob", thread, "four")
        assert said(town, thread).count(HINT) == 1
        other = await thread_of_hers(town, "Other plans")
        await town.person("bob").says(other, "five")
        await town.asks("bob", other, "six")
        assert said(town, other).count(HINT) == 1


async def test_who_answers_her_without_calling_her_is_told_as_well(town: Town) -> None:
    general = town.names["general"]
    async with lyra(town):
        told = await town.asks("ada", general, "are you there?")
        await town.person("ada").says(general, "thanks", reply_to=told, ping=False)
        await town.asks("ada", general, "hello?")
        assert said(town, general).count(HINT) == 1


async def test_where_she_answers_always_she_says_what_she_needs_for_that(town: Town) -> None:
    general = town.names["general"]
    async with lyra(town):
        await town.person("bob").says(general, "nobody in particular")
        await town.asks("bob", general, "hello?")
        assert HINT not in said(town, general), "what is not for her passes by"
        await (
            await Person(town.server.hub, town.server.world.boss).runs(general, "settings", setting="answers", value="always")
        ).answer()
        await town.person("bob").says(general, "who hears me?")
        await town.asks("bob", general, "and this?")
        assert said(town, general).count(HINT) == 1


async def test_who_told_her_to_stop_is_told_nothing(town: Town) -> None:
    async with lyra(town):
        thread = await thread_of_hers(town)
        await (await town.person("bob").runs(thread, "privacy", choice="stop")).answer()
        await town.person("bob").says(thread, "psst")
        await town.asks("ada", thread, "hello?")
        assert HINT not in said(town, thread)
