"""Emoji are compared on the page of whoever runs Lyra, and by nobody else there."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from adapters.base import Adapter
from adapters.matrix.verification import records
from adapters.matrix.verification.records import Records, VerificationRecord, attestations
from bot.app import App
from bot.web.pages import health_pages
from bot.web.serving import BrowserPlatform, serving
from tests.fakes.matrix import Person
from tests.flow.test_matrix_verification import compared, notes, said
from tests.kits import matrix_account
from tests.kits.awake import Awake
from tests.kits.browsing import Answer, Site
from tests.kits.matrix_home import Home

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

ada = matrix_account.signed_ada


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> str:
    """Who runs this machine."""
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "ada")
    return "ada"


@asynccontextmanager
async def awake_with_page(at_home: Home) -> AsyncIterator[tuple[Awake, Site]]:
    """Wake her with the page beside Matrix."""
    places: list[BrowserPlatform] = []

    def beside(app: App) -> Adapter:
        places.append(BrowserPlatform.of(app))
        return places[0].browser

    async with (
        at_home.lyra(config="[web]\nport = 0\n", beside=beside) as lyra,
        serving(lyra.app, lyra.talk, places[0]) as url,
        AsyncExitStack() as stack,
    ):
        yield lyra, Site(lyra.app, lyra.talk, places[0], url, stack)


def form(page: Answer) -> dict[str, str]:
    """Return what the form of a page sends along."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text.partition("<main")[2]))


async def test_who_runs_her_compares_on_the_page(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        browser = await served.visitor(owner)
        assert "No emoji wait" in (await browser.get("/verify")).words
        room, app = await compared(at_home, ada)
        page = await browser.get("/verify")
        assert ada.user in page.words and ada.device in page.words
        assert (
            "".join(one.rstrip("\ufe0f") for one in re.findall(r'<span aria-hidden="true">(.*?)</span>', page.text)) == app.emoji
        )
        assert len(re.findall(r"<li><span[^<]*</span> \w+[^<]*</li>", page.text)) == 7, "each has its name"
        await app.agrees()
        assert "I finish it now" in (await browser.follows(await browser.post("/verify", same="yes", **form(page)))).words
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified: whoever runs me")
        assert (await attestations(notes(lyra), at_home.user))[ada.user].signed
        assert "No emoji wait" in (await browser.get("/verify")).words


async def test_nobody_else_compares_on_the_page_and_no_other_page_does(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await compared(at_home, ada)
        hers, bobs = await served.visitor(owner), await served.visitor("bob")
        given = form(await hers.get("/verify"))
        page = await bobs.get("/verify")
        assert "for whoever runs this machine" in page.words and ada.device not in page.text and "<ol" not in page.text
        assert (await bobs.post("/verify", same="yes", **given | {"form_token": bobs.token})).status == 403
        assert (await hers.post("/verify", {"Origin": "https://evil.example"}, same="yes", **given)).status == 403
        assert (await hers.post("/verify", same="yes", **given | {"form_token": "guessed"})).status == 403
        assert (await (await served.stranger()).get("/verify")).status == 401
        for odd in ({"same": ""}, {"same": "yes", "id": "another"}):
            assert "nothing was decided" in (await hers.follows(await hers.post("/verify", **given | odd))).words
        kept = Records(notes(lyra), at_home.user)
        assert [await kept.answer(one) for one in await kept.under_way()] == [None]


@pytest.mark.parametrize("guarded", [True, False], ids=["with the guard", "the twin"])
async def test_a_verdict_is_on_the_emoji_that_were_shown(
    at_home: Home, ada: Person, owner: str, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        browser, kept = await served.visitor(owner), Records(notes(lyra), at_home.user)
        await kept.keep(VerificationRecord("t1", ada.user, ada.device, "", (1, 2, 3, 4, 5, 6, 7)))
        given = form(await browser.get("/verify"))
        if not guarded:
            monkeypatch.setattr(health_pages, "numbers", lambda one: given["emoji"])
        other = VerificationRecord("t1", ada.user, ada.device, "", (8, 9, 10, 11, 12, 13, 14))
        await kept.keep(other)
        await browser.post("/verify", same="yes", **given)
        assert (await kept.answer(other)) is (None if guarded else True)


@pytest.mark.parametrize("guarded", [True, False], ids=["with the guard", "the twin"])
async def test_a_verdict_that_comes_too_late_is_none_on_a_later_one_of_that_name(
    at_home: Home, ada: Person, owner: str, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        monkeypatch.setattr(records, "shown_of", lambda one: {"id": one.id})
    async with awake_with_page(at_home) as (lyra, served):
        browser, kept = await served.visitor(owner), Records(notes(lyra), at_home.user)
        first = VerificationRecord("t1", ada.user, ada.device, "", (1, 2, 3, 4, 5, 6, 7))
        await kept.keep(first)
        await kept.end(first.id)
        # Whoever looked at the first says so once it is over, at the terminal or on the page.
        await kept.say(first, same=True)
        later = VerificationRecord("t1", ada.user, ada.device, "", (8, 9, 10, 11, 12, 13, 14))
        await kept.keep(later)
        assert await kept.answer(later) is (None if guarded else True)
        assert ("No emoji wait" in (await browser.get("/verify")).words) is not guarded


async def test_what_a_device_is_called_is_no_markup_of_the_page(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        called = '"><script>alert(1)</script>'
        await Records(notes(lyra), at_home.user).keep(VerificationRecord(called, ada.user, called, "", (1, 2, 3, 4, 5, 6, 7)))
        page = await (await served.visitor(owner)).get("/verify")
        assert "<script>alert" not in page.text and called in page.words.replace("< script", "<script")


async def test_no_link_to_the_page_shows_words_of_whoever_made_it(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await Records(notes(lyra), at_home.user).keep(VerificationRecord("t1", ada.user, ada.device, "", (0, 2, 3, 4, 5, 6, 7)))
        page = await (await served.visitor(owner)).get("/verify?told=Compared+already:+press+They+match")
        assert "Compared already" not in page.words and "They match" in page.words


async def test_the_page_is_read_in_its_readers_language(at_home: Home, ada: Person, owner: str) -> None:
    async with awake_with_page(at_home) as (lyra, served):
        await Records(notes(lyra), at_home.user).keep(VerificationRecord("t1", ada.user, ada.device, "", (0, 2, 3, 4, 5, 6, 7)))
        browser = await served.visitor(owner)
        page = await browser.get("/verify", **{"Accept-Language": "de"})
        assert "Hund" in page.words and "Sie stimmen überein" in page.words
