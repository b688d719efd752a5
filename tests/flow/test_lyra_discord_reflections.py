"""Thoughts of hers on Discord: said where somebody wants them, once, in an embed, and answered with its buttons."""

from collections.abc import AsyncIterator

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, Message, Right
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_town import Town, buttons
from tests.kits.dream_talk import CURIOUS, dreamt, thoughtful

THOUGHT = "Is there something between garden and Graz?"
BUTTONS = ["Why this?", "Less of this", "Delete"]

town = discord_town.town


@pytest.fixture
async def lyra(town: Town) -> AsyncIterator[Awake]:
    """Lyra, who has thoughts."""
    async with model_server(thoughtful) as model, town.lyra(model, CURIOUS) as lyra:
        yield lyra


def thoughts(town: Town, place: Channel) -> list[Message]:
    """Return what she said unasked at a place, as it stands there."""
    return [one for one in town.server.world.by_bot(place) if one.embeds]


async def told(town: Town, place: Channel) -> tuple[Message, Message]:
    """Let Ada tell her two things."""
    first = await town.says(town.ada, place, "We have a new garden")
    return first, await town.says(town.ada, place, "My sister moves to Graz")


async def dreams(town: Town, lyra: Awake, place: Channel) -> None:
    """Let her dream of a place."""
    dm = place.recipient is not None
    view = await lyra.view(DomainKind.DM if dm else DomainKind.SERVER, town.ada.id if dm else town.guild.id)
    await dreamt(lyra, view.home)


async def test_in_a_dm_that_wants_them_a_thought_is_said_once_with_its_buttons(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    first, second = await told(town, dm)
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await dreams(town, lyra, dm)
    [said] = thoughts(town, dm)
    [embed] = said.embeds
    assert embed["description"].splitlines()[0] == THOUGHT and said.content == ""
    assert embed["footer"]["text"] == "A thought of mine, said unasked"
    assert all(str(one.id) in embed["description"] for one in (first, second)), "it leads to what it rests on"
    assert buttons(said) == BUTTONS
    await lyra.talk.tick()
    await dreams(town, lyra, dm)
    assert thoughts(town, dm) == [said]


async def test_it_comes_in_the_language_of_who_reads_it(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(town, dm)
    await town.says(town.ada, dm, "Ich habe heute gut geschlafen.")
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await dreams(town, lyra, dm)
    [said] = thoughts(town, dm)
    assert said.embeds[0]["footer"]["text"] == "Ein Gedanke von mir, ungefragt gesagt"
    assert "Aus: " in said.embeds[0]["description"] and buttons(said) == ["Warum das?", "Weniger davon", "Löschen"]


async def test_where_nobody_wants_them_none_is_said_and_a_dm_hears_once_how_to_want_them(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(town, dm)
    await dreams(town, lyra, dm)
    assert thoughts(town, dm) == []
    for _ in range(2):
        await town.says(town.ada, dm, "Good morning")
        await lyra.heard()
    offers = [one.content for one in town.server.world.by_bot(dm) if "/settings reflections on" in one.content]
    assert len(offers) == 1 and offers[0].startswith("While we were not talking, I had a thought")
    assert "I had a thought here; /settings reflections on" in await town.reads(town.ada, dm, "status")
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await lyra.talk.tick()
    assert [one.embeds[0]["description"].splitlines()[0] for one in thoughts(town, dm)] == [THOUGHT]


async def test_in_a_server_its_admins_decide_channel_by_channel(town: Town, lyra: Awake) -> None:
    await told(town, town.general)
    await dreams(town, lyra, town.general)
    assert thoughts(town, town.general) == []
    refused = await town.reads(town.ada, town.general, "settings", setting="reflections", value="on")
    assert refused.startswith("Only those who run this place")
    await town.asks(town.eve, town.general, "settings", setting="reflections", value="on")
    await lyra.talk.tick()
    [said] = thoughts(town, town.general)
    assert said.embeds[0]["description"].startswith(THOUGHT) and thoughts(town, town.staff) == []


async def test_where_she_may_embed_nothing_it_is_said_as_text_and_holds_up_no_answer(town: Town, lyra: Awake) -> None:
    everyone = town.guild.roles[town.guild.id]
    town.server.acts.change_role(town.guild, everyone, everyone.rights & ~Right.EMBED_LINKS)
    await told(town, town.general)
    await town.asks(town.eve, town.general, "settings", setting="reflections", value="on")
    await dreams(town, lyra, town.general)
    await town.says(town.bob, town.general, "Is anybody here?")
    [said] = [one for one in town.server.world.by_bot(town.general) if THOUGHT in one.content]
    assert said.content.startswith(f"-# A thought of mine, said unasked\n{THOUGHT}\n") and buttons(said) == BUTTONS


async def test_it_says_why_to_everyone_who_reads_it(town: Town, lyra: Awake) -> None:
    await told(town, town.general)
    await town.asks(town.eve, town.general, "settings", setting="reflections", value="on")
    await dreams(town, lyra, town.general)
    [said] = thoughts(town, town.general)
    why = await town.presses(town.bob, said, "Why this?")
    assert why.content.startswith(f'I thought "{THOUGHT}" because of:\n- ada, today at ')
    assert '"We have a new garden"' in why.content and '"My sister moves to Graz"' in why.content


async def test_less_of_this_lets_the_next_thought_wait_and_delete_takes_it_away_for_good(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(town, dm)
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await dreams(town, lyra, dm)
    [said] = thoughts(town, dm)
    less = await town.presses(town.ada, said, "Less of this")
    assert less.content == "I say fewer of my thoughts here from now on."
    view = await lyra.view(DomainKind.DM, town.ada.id)
    assert await view.thoughts.bar() > 0.05
    gone = await town.presses(town.ada, said, "Delete")
    assert gone.content == "I took it back, and forgot it."
    assert thoughts(town, dm) == []
    assert [one.text for one in await view.digests.statements("self") if one.kind == "reflection"] == []
    again = await town.presses(town.ada, said, "Why this?")
    assert again.content == "There is no thought of mine with that id here."


async def test_who_answers_a_thought_is_understood(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await told(town, dm)
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await dreams(town, lyra, dm)
    await town.says(town.ada, dm, "What makes you think so?")
    assert lyra.model is not None
    asked = [message["content"] for request in lyra.chats for message in request.messages if message["role"] == "assistant"]
    assert THOUGHT in asked


async def test_what_it_rests_on_is_forgotten_and_so_is_the_thought(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    _, second = await told(town, dm)
    await dreams(town, lyra, dm)
    await town.says(town.ada, dm, "Good morning")
    view = await lyra.view(DomainKind.DM, town.ada.id)
    assert await view.thoughts.waiting()
    await town.asks(town.ada, dm, "forget", what=str(second.id))
    assert await view.thoughts.waiting() == []
    await town.asks(town.ada, dm, "settings", setting="reflections", value="on")
    await lyra.talk.tick()
    assert thoughts(town, dm) == []
