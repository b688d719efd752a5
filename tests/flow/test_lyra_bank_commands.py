"""The bank of a shared place on Discord: who turns it on and off, what everyone is told, who sees it, and how one keeps out of it."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.discord import Channel
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_town import Town, rows
from tests.kits.ladder_talk import climbed, teller

NO_ADMIN = "Only those who run this place can turn its bank on or off."
OFF = "The bank is off here; those who run this place turn it on with /memory bank on."
NO_MODEL = "That takes a model: without one I make gists and summaries of what is said, and nothing more."
PRIVATE = "There is no bank here: it is for places that several people read."

town = discord_town.town


@pytest.fixture
async def lyra(town: Town) -> AsyncIterator[Awake]:
    """Lyra, with a model that notes what is said."""
    async with model_server(teller) as model, town.lyra(model) as lyra:
        yield lyra


async def bank(town: Town, who: str, place: Channel, choice: str = "") -> str:
    """Use the command, and return what its caller alone reads."""
    return await town.reads(getattr(town, who), place, "memory bank", **({"choice": choice} if choice else {}))


def aloud(town: Town, place: Channel) -> list[str]:
    """Return what Lyra said of the bank to everyone at a place."""
    said = town.server.world.by_bot(place)
    return [one.content for one in said if "turned the memory bank" in one.content and not one.ephemeral]


async def noted(lyra: Awake) -> None:
    """Let every conversation end and enter the banks that are on."""
    await climbed(lyra)
    await lyra.app.maintenance.tick()


async def test_an_admin_turns_it_on_and_everyone_is_told_who_sees_what(town: Town, lyra: Awake) -> None:
    assert await bank(town, "bob", town.general) == OFF
    assert await bank(town, "eve", town.general, "on") == "The bank is on, and I said so here."
    [disclosure] = aloud(town, town.general)
    assert disclosure.startswith("eve turned the memory bank on. From now on I note each conversation that I keep here")
    assert "Everyone who can read this server can see the notes with /memory bank" in disclosure
    assert "/memory bank leave keeps what you say out of them" in disclosure
    assert await bank(town, "eve", town.general, "on") == "The bank is on already."
    assert await bank(town, "bob", town.general) == "The bank is on, and empty so far. A conversation is noted once it is over."
    assert aloud(town, town.general) == [disclosure] and aloud(town, town.staff) == []
    assert await bank(town, "ada", town.staff) == OFF


@pytest.mark.parametrize("choice", ["on", "off"])
async def test_nobody_else_turns_it_on_or_off(town: Town, lyra: Awake, choice: str) -> None:
    if choice == "off":
        await bank(town, "eve", town.general, "on")
    before, told = await bank(town, "bob", town.general), aloud(town, town.general)
    assert await bank(town, "ada", town.general, choice) == NO_ADMIN
    assert await bank(town, "bob", town.general) == before and aloud(town, town.general) == told


async def test_whoever_reads_the_place_sees_what_was_said_since(town: Town, lyra: Awake) -> None:
    await town.says(town.ada, town.general, "The mill was sold.")
    await bank(town, "eve", town.general, "on")
    await town.says(town.ada, town.general, "The ferry leaves at nine.")
    await noted(lyra)
    shown = await bank(town, "bob", town.general, "show")
    assert shown.startswith("On since ") and "; everyone who reads this server sees this:\nConversation of " in shown
    assert "ada said: The ferry leaves at nine." in shown and "mill" not in shown
    assert await bank(town, "ada", town.staff) == OFF


async def test_turned_off_it_is_emptied_and_everyone_is_told(town: Town, lyra: Awake) -> None:
    await bank(town, "eve", town.general, "on")
    await town.says(town.ada, town.general, "The ferry leaves at nine.")
    await noted(lyra)
    assert await bank(town, "eve", town.general, "off") == "The bank is off and empty, and I said so here."
    assert aloud(town, town.general)[1:] == ["eve turned the memory bank off, and I emptied it. The messages themselves stay."]
    assert await bank(town, "eve", town.general, "off") == "The bank is off already."
    assert await bank(town, "ada", town.general) == OFF
    await bank(town, "eve", town.general, "on")
    assert "empty so far" in await bank(town, "ada", town.general)
    assert "ferry" in await town.reads(town.ada, town.general, "recall", query="ferry")


async def test_everybody_may_keep_out_of_it_and_come_back(town: Town, lyra: Awake) -> None:
    await bank(town, "eve", town.general, "on")
    await town.says(town.ada, town.general, "The ferry leaves at nine.")
    await town.says(town.bob, town.general, "The bread needs forty minutes.")
    await noted(lyra)
    left = await bank(town, "ada", town.general, "leave")
    assert left.startswith("What you said here is out of the bank, and what you say stays out.")
    shown = await bank(town, "bob", town.general)
    assert "ferry" not in shown and "forty minutes" in shown
    await town.says(town.ada, town.general, "The harbour is closed.")
    await noted(lyra)
    assert "harbour" not in await bank(town, "bob", town.general)
    assert (await bank(town, "ada", town.general, "join")).startswith("What you say here enters the bank again")
    await town.says(town.ada, town.general, "The lighthouse is painted red.")
    await noted(lyra)
    shown = await bank(town, "bob", town.general)
    assert "lighthouse" in shown and "forty minutes" in shown and "ferry" not in shown


async def test_in_private_there_is_none(town: Town, lyra: Awake) -> None:
    dm = await town.eve.opens_dm()
    for choice in ("", "on", "off", "leave", "join"):
        assert await bank(town, "eve", dm, choice) == PRIVATE


async def test_without_a_model_it_is_not_turned_on(town: Town) -> None:
    async with town.lyra() as lyra:
        assert await bank(town, "eve", town.general, "on") == NO_MODEL
        assert aloud(town, town.general) == [] and await bank(town, "ada", town.general) == OFF
        assert (await bank(town, "ada", town.general, "leave")).startswith("What you said here is out of the bank")
        assert await rows(lyra, "statements") == 0


async def test_one_that_is_on_when_the_model_is_gone_says_that_it_takes_one(town: Town) -> None:
    async with model_server(teller) as model, town.lyra(model):
        await bank(town, "eve", town.general, "on")
    async with town.lyra():
        assert await bank(town, "ada", town.general) == f"The bank is on, and empty so far. {NO_MODEL}"
        assert (await bank(town, "eve", town.general, "off")).startswith("The bank is off and empty")
