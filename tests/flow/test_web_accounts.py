"""One person with several accounts on the page: each one's memory, and the notes of shared places, are read where they choose it, by nobody else."""

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.discord.adapter import Discord
from adapters.events import Circle, Person
from bot.talk import talking
from bot.web.serving import BrowserPlatform, link, serving
from memory.types import Identity, Kind, NewExchange
from tests.fakes.discord import Right
from tests.kits import browsing, discord_town
from tests.kits.browsing import Site, Visitor, site
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_town import Town
from tests.kits.ladder_talk import climbed, teller

PEOPLE = '[people.ada]\nconsole = "ada"\ndiscord = "4711"\n[people.bob]\nconsole = "bob"\ndiscord = "4712"\n'


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The page of a home where ada and bob talked at the terminal and on Discord."""
    async with site(tmp_path, monkeypatch, f"[web]\nport = 0\n{PEOPLE}") as served:
        await served.told("The kettle is at the terminal.")
        for account, text in (("4711", "The ladder is on Discord."), ("4712", "The anvil is Bob's.")):
            view = await served.app.domains.view_of_account("discord", account)
            session = await view.sessions.get(await view.sessions.active("discord", f'["", "{account}", ""]'), f"DM {account}")
            now = served.app.base.clock.now()
            await view.say(session, [NewExchange(Kind.SAID, text, "m1", now, "ada", "user", Identity("discord", account))])
        yield served


ada = browsing.ada


async def read(visitor: Visitor) -> str:
    """Return all that is taken along."""
    return (await visitor.get("/export/lyra.txt")).text


async def test_the_memory_of_another_account_is_read_where_it_is_chosen(ada: Visitor) -> None:
    assert "this machine" in (await ada.get("/timeline")).words
    assert "kettle" in await read(ada)
    assert (await ada.post("/read", account="discord:4711")).status == 303
    assert "ladder" in await read(ada) and "kettle" not in await read(ada)
    assert "kettle" in (await ada.get("/talk")).text, "one talks as whom one is signed in"
    assert (await ada.post("/read", account="console:ada")).status == 303
    assert "kettle" in await read(ada)


async def test_everything_of_theirs_is_taken_along_from_all_accounts_at_once(ada: Visitor) -> None:
    for name in ("own.txt", "own.jsonl"):
        taken = (await ada.get(f"/export/{name}")).text
        assert "kettle" in taken and "ladder" in taken and "anvil" not in taken


async def test_the_privacy_policy_stands_on_the_page(ada: Visitor) -> None:
    assert "No word leaves the machine she runs on." in (await ada.get("/policy")).words


async def test_what_is_found_is_of_all_accounts(ada: Visitor) -> None:
    assert "ladder" in (await ada.get("/search?q=ladder")).words
    assert "anvil" not in (await ada.get("/search?q=anvil")).text.partition("<main")[2].replace('value="anvil"', "")


@pytest.mark.parametrize("account", ["discord:4712", "console:bob", "discord:", "", "matrix:4711"])
async def test_nobody_elses_account_is_chosen(ada: Visitor, account: str) -> None:
    assert (await ada.post("/read", account=account)).status == 404
    assert "kettle" in await read(ada)
    assert "anvil" not in await read(ada)


async def test_an_account_that_is_no_longer_theirs_is_read_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch, f"[web]\nport = 0\n{PEOPLE}") as before:
        await before.told("The kettle is at the terminal.")
        ada = await before.visitor()
        await ada.post("/read", account="discord:4711")
        assert "kettle" not in await read(ada)
        kept = {one.key: one.value for one in ada.http.cookie_jar}
    async with site(tmp_path, monkeypatch) as after:
        ada = await after.stranger()
        ada.http.cookie_jar.update_cookies(kept)
        assert "kettle" in await read(ada)


async def test_a_message_of_another_account_is_forgotten_there(ada: Visitor) -> None:
    await ada.post("/read", account="discord:4711")
    message = next(link for link in (await ada.get("/search?q=ladder")).links if link.endswith("/forget"))
    assert "Forgotten: 1 message" in (await ada.post(message)).words
    assert "ladder" not in await read(ada)


async def test_what_is_found_elsewhere_is_forgotten_only_where_that_is_read(ada: Visitor) -> None:
    found = await ada.get("/search?q=ladder")
    assert any(link.startswith("/messages/") for link in found.links)
    assert not any(link.endswith("/forget") for link in found.links)


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
