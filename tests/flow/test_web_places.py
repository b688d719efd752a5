"""Shared places on the page: their notes, to whom can read them now under any of their accounts, and to nobody else."""

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.discord.adapter import Discord
from adapters.events import Circle, Person
from bot.talk import talking
from bot.web.serving import BrowserPlatform, link, serving
from tests.fakes.discord import Right
from tests.kits import discord_town
from tests.kits.browsing import Visitor, site
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_town import Town
from tests.kits.ladder_talk import climbed, teller

town = discord_town.town


class Blind(Discord):
    """Takes everybody for a reader of everything."""

    async def readable_circles(self, person: Person, circles: Collection[Circle]) -> set[Circle]:
        return set(circles)


@asynccontextmanager
async def visiting(lyra: Awake) -> AsyncIterator[dict[str, Visitor]]:
    """Serve the page beside Discord for the block, to ada, bob and a stranger."""
    async with AsyncExitStack() as stack:
        place = BrowserPlatform.of(lyra.app)
        talk = await stack.enter_async_context(talking(lyra.app, {place.browser.platform: place.browser}))
        url = await stack.enter_async_context(serving(lyra.app, talk, place, {lyra.adapter.platform: lyra.adapter}))
        found: dict[str, Visitor] = {}
        for name in ("ada", "bob", "stranger"):
            http = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)))
            found[name] = Visitor(url, http)
            assert (await found[name].enter(await link(lyra.app, "", name))).status == 303
        yield found


def config(town: Town) -> str:
    """Return who has which account."""
    people = "".join(
        f'[people.{name}]\nconsole = "{name}"\ndiscord = "{one.id}"\n' for name, one in (("ada", town.ada), ("bob", town.bob))
    )
    return f"[web]\nport = 0\n{people}"


async def told(town: Town, lyra: Awake) -> None:
    """Turn the banks on, and say something everywhere."""
    for place in (town.general, town.staff):
        await town.reads(town.eve if place is town.general else town.ada, place, "memory bank", choice="on")
    await town.says(town.ada, town.general, "The ferry leaves at nine.")
    await town.says(town.ada, town.staff, "The vault is behind the clock.")
    await climbed(lyra)
    await lyra.app.maintenance.tick()


async def test_the_notes_of_a_place_are_shown_to_whom_can_read_it(town: Town) -> None:
    async with model_server(teller) as model, town.lyra(model, config(town)) as lyra:
        await told(town, lyra)
        async with visiting(lyra) as visitors:
            bobs = (await visitors["bob"].get("/places")).words
            assert "everyone who reads it sees these notes" in bobs
            assert "The ferry leaves at nine." in bobs
            assert "vault" not in bobs
            adas = (await visitors["ada"].get("/places")).words
            assert "The ferry leaves at nine." in adas
            assert "Channel on Discord." in adas
            assert "There is no shared place that you can read now." in (await visitors["stranger"].get("/places")).words


async def test_who_can_read_a_place_no_more_sees_nothing_of_it(town: Town) -> None:
    async with model_server(teller) as model, town.lyra(model, config(town)) as lyra:
        await told(town, lyra)
        async with visiting(lyra) as visitors:
            assert "Channel on Discord." in (await visitors["ada"].get("/places")).words
            town.server.acts.overwrite(town.staff, town.ada.user, deny=Right.VIEW_CHANNEL)
            await town.caught_up()
            assert "Channel on Discord." not in (await visitors["ada"].get("/places")).words


async def test_without_the_guard_everything_would_be_shown(town: Town) -> None:
    async with model_server(teller) as model, town.lyra(model, config(town), kind=Blind) as lyra:
        await told(town, lyra)
        async with visiting(lyra) as visitors:
            assert "Channel on Discord." in (await visitors["bob"].get("/places")).words


async def test_where_no_platform_is_connected_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as served:
        assert "No platform is connected." in (await (await served.visitor()).get("/places")).words
