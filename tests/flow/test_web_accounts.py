"""One person with several accounts: each one's memory is read where they choose it, and nobody else's."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.types import Identity, Kind, NewExchange
from tests.kits import browsing
from tests.kits.browsing import Site, Visitor, site

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
