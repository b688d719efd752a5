"""The page in the language of whoever reads it: as they set it, as the configuration has it, or as their browser asks for."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import model_server
from tests.kits.browsing import Answer, Site, Visitor, site
from tests.kits.dream_talk import CURIOUS
from tests.kits.entered import entered_in_loop
from tests.kits.in_english import said_in_english
from tests.kits.lived import companion, lived

PAGES = (
    "/talk", "/talk?in=nowhere", "/search", "/search?q=tulips", "/search?since=x", "/search?q=zebra", "/timeline", "/facts", "/facts?past=1",
    "/people", "/people/Lea", "/people/Nobody", "/self", "/persona", "/dreams", "/places", "/numbers", "/export", "/health?look=1",
    "/activity", "/nothing",
)  # fmt: skip
GERMAN = {"Accept-Language": "fr-FR, de-AT;q=0.8, en;q=0.5"}
FOLLOWED = re.compile(r"/(timeline|gists|conversations|messages|facts|thoughts)/[^?\s]+")

model = entered_in_loop(lambda: model_server(companion))
"""A model that answers like a good one."""


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer) -> AsyncIterator[Site]:
    """The page of a home that was lived in."""
    async with site(tmp_path, monkeypatch, CURIOUS, model=model) as served:
        await lived(served)
        yield served


async def pages(visitor: Visitor) -> AsyncIterator[tuple[str, Answer]]:
    """Open every page, and one of each kind that these lead to."""
    led: dict[str, str] = {}
    for path in PAGES:
        answer = await visitor.get(path, **GERMAN)
        yield path, answer
        for link in answer.links:
            if FOLLOWED.fullmatch(link):
                led.setdefault(re.sub(r"[0-9a-f-]{6,}", "…", link), link)
    for link in led.values():
        yield link, await visitor.get(link, **GERMAN)


async def test_no_sentence_of_the_page_stays_english_for_whoever_reads_german(served: Site) -> None:
    ada = await served.visitor()
    seen = 0
    async for path, answer in pages(ada):
        seen += 1
        shown = re.sub(
            r"(?s)<(q|textarea|code|pre)\b.*?</\1>|<p class=\"words\">.*?</p>|<div class=\"prose\">.*?</div>", " ", answer.text
        )
        words = Answer(answer.status, {}, shown).words + " ".join(
            re.findall(r'(?:placeholder|aria-label|data-\w+)="([^"]*)"', answer.text)
        )
        assert '<html lang="de">' in answer.text, path
        assert said_in_english(words) == [], path
    assert seen > len(PAGES) + 6


async def test_numbers_dates_and_spans_of_time_are_as_german_has_them(served: Site) -> None:
    ada = await served.visitor()
    self_page, talk = await ada.get("/self", **GERMAN), await ada.get("/talk", **GERMAN)
    assert re.search(r"Stimmung [+-]\d,\d\d ", self_page.words)
    assert re.search(r"vor \d+ Tagen", talk.words)
    month = next(link for link in (await ada.get("/timeline", **GERMAN)).links if re.fullmatch(r"/timeline/\d{4}-\d\d", link))
    months = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    assert re.search(rf"({months}) \d{{4}}", (await ada.get(month, **GERMAN)).words)


async def test_what_is_set_goes_before_what_the_browser_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch, 'language = "de"\n') as served:
        stranger, ada = await served.stranger(), await served.visitor()
        assert "Hier ist niemand angemeldet." in (await stranger.get("/talk", **{"Accept-Language": "en"})).words
        assert "Hier wurde noch nichts gesagt." in (await ada.get("/talk", **{"Accept-Language": "en"})).words
        async with ada.watching() as tab:
            await ada.post("/talk", conversation="main", text="/settings language english")
            assert "die Sprache, in der ich dir antworte" in str((await tab.until("notice"))["text"])
            await ada.post("/talk", conversation="main", text="/settings language")
            assert "the language I answer you in" in str((await tab.until("notice"))["text"])
        assert '<html lang="en">' in (await ada.get("/talk", **GERMAN)).text
        refused = await ada.post("/facts/none/correct", text="x")
        assert "There is no fact with that id here." in refused.words


async def test_an_answer_in_a_tab_is_in_the_language_of_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as served:
        ada = await served.visitor()
        async with ada.watching() as tab:
            await ada.post("/talk", GERMAN, conversation="main", text="/sessions")
            assert (await tab.until("notice"))["text"] == "Es gibt noch kein Gespräch."
            await ada.post("/talk", {"Accept-Language": "en"}, conversation="main", text="/sessions")
            assert (await tab.until("notice"))["text"] == "There is no conversation yet."


async def test_who_reads_first_decides_the_language_for_nobody_else(served: Site) -> None:
    ada = await served.visitor()
    first, second, third = [await ada.get("/self", **{"Accept-Language": one}) for one in ("de", "en", "de")]
    legends = [
        re.findall(r'<ul class="legend"><li>(\w+)</li><li class="line-1">(\w+)', one.text) for one in (first, second, third)
    ]
    assert [one[0] for one in legends] == [("Stimmung", "Energie"), ("mood", "energy"), ("Stimmung", "Energie")]
