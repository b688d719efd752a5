"""A channel that only some read is opened to everyone: what was said there before stays with them, however late she hears of both."""

from collections.abc import Container

import pytest

from adapters.discord.access.audiences import Audiences
from adapters.discord.session_client import SessionClient
from adapters.events import Message as Heard
from memory.types import DomainKind
from tests.fakes.discord import Message, Right
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server, server_of
from tests.kits.discord_town import Town

CODE = "The code of the safe is 7741."
GUARDED = pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])

town = discord_town.town


class Everything(Container[str]):
    """Has everything in it."""

    def __contains__(self, _: object) -> bool:
        return True


def opens(town: Town) -> None:
    """Let everyone read what only staff could."""
    town.server.acts.overwrite(town.staff, town.guild.roles[town.guild.id])


async def told(town: Town) -> Message:
    """Tell the code among staff."""
    return await town.ada.says(town.staff, f"{town.server.mention} {CODE}")


async def keeps(lyra: Awake, town: Town, *, apart: bool) -> None:
    """Assert that the code is kept with staff alone, or with everyone."""
    public, private = await lyra.kept(*server_of(town.guild)), await lyra.kept(DomainKind.CHANNEL, town.staff.id)
    assert (CODE in public, CODE in private) == (not apart, apart)


@GUARDED
async def test_what_was_said_before_is_not_everyones_though_both_are_heard_at_once(
    town: Town, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(SessionClient, "waiting_handlers", Everything())
    async with model_server() as model, town.lyra(model) as lyra:
        for place in (town.general, town.staff):
            await town.says(town.ada, place, "hello")
        said = await told(town)
        # Nothing is awaited in between: both are there when she reads the first, as in the replay after a lost connection.
        opens(town)
        await town.answer(said)
        await keeps(lyra, town, apart=guarded)


@GUARDED
async def test_what_was_said_while_she_was_away_is_not_everyones_where_the_channel_was_opened_meanwhile(
    town: Town, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:

        def as_it_is(_: Audiences, message: Heard) -> Heard:
            return message

        monkeypatch.setattr(Audiences, "before_opening", as_it_is)
    async with model_server() as model:
        async with town.lyra(model) as lyra:
            for place in (town.general, town.staff):
                await town.says(town.ada, place, "hello")
        said = await told(town)
        opens(town)
        async with town.lyra(model) as lyra:
            answer = await town.answer(said)
            assert ("Who can read this place changed" in answer.content) is guarded
            await keeps(lyra, town, apart=guarded)
            await town.says(town.bob, town.staff, "What is the code?")
            await town.says(town.ada, town.staff, "It is open now.")
            assert "It is open now." in await lyra.kept(*server_of(town.guild))


async def test_what_was_said_while_she_was_away_in_a_channel_that_was_closed_meanwhile_stays_there(town: Town) -> None:
    async with model_server() as model:
        opens(town)
        async with town.lyra(model):
            await town.says(town.ada, town.staff, "hello")
        said = await told(town)
        town.server.acts.overwrite(town.staff, town.guild.roles[town.guild.id], deny=Right.VIEW_CHANNEL)
        async with town.lyra(model) as lyra:
            await town.answer(said)
            await keeps(lyra, town, apart=True)
