"""Searching and leafing back: hits with receipts, filters, months that open to gists and on to what was said."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.text.time.times import instant
from tests.kits import browsing
from tests.kits.browsing import Site, Visitor, site

MARCH = instant(datetime(2026, 3, 3, 12, tzinfo=UTC))
MAY = instant(datetime(2026, 5, 20, 9, tzinfo=UTC))
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&{{ 71*79 }}"


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The page of a home with what ada said in March and in May, and bob in March."""
    async with site(tmp_path, monkeypatch, 'time_zone = "UTC"\n') as served:
        garden = ["The tulips open on Friday.", "Ines brings the kayak.", "We plant beans.", "The hose leaks."]
        await served.told(*garden, conversation="garden", at=MARCH)
        await served.told("The kayak is blue.", "Oma turns ninety.", conversation="family", at=MAY)
        await served.told("The kayak of bob is red.", name="bob", conversation="boats", at=MARCH)
        yield served


ada = browsing.ada


async def test_a_hit_says_who_said_it_when_where_and_why(ada: Visitor) -> None:
    found = (await ada.get("/search?q=kayak")).words
    assert "The kayak is blue. " in found
    assert "20 May 2026" in found
    assert "in family" in found
    assert "same words: kayak" in found
    assert "bob" not in found


@pytest.mark.parametrize(
    ("query", "held", "left_out"),
    [
        ("q=kayak&since=2026-05-01", "The kayak is blue.", "Ines brings"),
        ("q=kayak&until=2026-04-30", "Ines brings the kayak.", "is blue"),
        ("q=kayak&who=ada&since=2026-03-01&until=2026-03-31", "Ines brings the kayak.", "is blue"),
        ("since=2026-05-01&until=2026-05-31", "Oma turns ninety.", "tulips"),
    ],
)
async def test_what_is_found_can_be_narrowed_by_person_and_time(ada: Visitor, query: str, held: str, left_out: str) -> None:
    found = await ada.get(f"/search?{query}")
    hits = found.text.partition('<ol class="hits">')[2]
    assert held in hits
    assert left_out not in hits


async def test_what_is_found_can_be_narrowed_to_a_conversation(served: Site, ada: Visitor) -> None:
    garden = await (await served.view()).sessions.find("garden")
    for more in ("", "&who=ada"):
        found = (await ada.get(f"/search?q=kayak&where={garden.id}{more}")).text.partition('<ol class="hits">')[2]
        assert "Ines brings the kayak." in found
        assert "blue" not in found
    boats = await (await served.view("bob")).sessions.find("boats")
    assert (await ada.get(f"/search?q=kayak&where={boats.id}")).status == 404


async def test_of_many_conversations_the_newest_can_be_chosen_and_any_other_is_searched_from_its_page(
    served: Site, ada: Visitor
) -> None:
    for number in range(120):
        await served.told("The kayak again.", conversation=f"talk {number}", at=MAY + number * 60_000_000)
    garden = await (await served.view()).sessions.find("garden")
    found = (await ada.get("/search?q=kayak")).text
    assert found.count("<option") < 110 and ">talk 119<" in found and garden.id not in found
    link = next(one for one in (await ada.get(f"/conversations/{garden.id}")).links if one.startswith("/search?"))
    narrowed = (await ada.get(f"{link}&q=kayak")).text
    assert "Ines brings the kayak." in narrowed and "again" not in narrowed
    assert f'<option value="{garden.id}" selected>' in narrowed


async def test_the_last_month_there_is_opens_and_no_link_leads_beyond_it(served: Site, ada: Visitor) -> None:
    await served.told("Nobody set this clock.", at=instant(datetime(9999, 12, 30, tzinfo=UTC)))
    assert "/timeline/9999-12" in (await ada.get("/timeline")).links
    shown = await ada.get("/timeline/9999-12")
    (conversation,) = [link for link in shown.links if link.startswith("/conversations/")]
    assert "Nobody set this clock." in (await ada.get(conversation)).words
    assert [link for link in shown.links if link.startswith("/timeline/")] == ["/timeline/9999-11"]


async def test_a_day_that_is_none_is_said_to_be_none(ada: Visitor) -> None:
    for query in ("since=tomorrow", "since=2026-05-02&until=2026-05-01", "since=0000-00-00", "until=9999-12-31"):
        assert "Write a day like 2026-03-03." in (await ada.get(f"/search?q=kayak&{query}")).words


async def test_a_message_is_shown_among_those_around_it(ada: Visitor) -> None:
    found = await ada.get("/search?q=tulips")
    (place, *_) = [link for link in found.links if link.startswith("/messages/") and not link.endswith("forget")]
    shown = (await ada.get(place)).words
    assert "The tulips open on Friday." in shown
    assert "The hose leaks." in shown
    assert "blue" not in shown


async def test_every_link_of_a_conversation_leads_somewhere_also_that_of_her_replies(served: Site, ada: Visitor) -> None:
    async with ada.watching("family") as tab:
        await ada.post("/talk", text="what colour is the kayak?", conversation="family")
        reply = str((await tab.until("answer"))["text"])
    talk = await ada.get("/talk?in=family")
    for place in (links := [one for one in talk.links if one.startswith("/")]):
        assert (await ada.get(place)).status in (200, 303), place
    *_, place, forget = [one for one in links if one.startswith("/messages/")]
    assert "Oma turns ninety." in (await ada.get(place)).words and reply in (await ada.get(place)).words
    assert reply in (await ada.get(forget)).words
    bob = await served.visitor("bob")
    assert [(await bob.get(one)).status for one in (place, forget)] == [404, 404]


async def test_months_open_to_gists_and_gists_to_what_was_said(served: Site, ada: Visitor) -> None:
    await served.app.maintenance.summarize_all(await served.app.maintenance.waiting(None), 1, lambda *_: None)
    months = await ada.get("/timeline")
    assert [link for link in months.links if link.startswith("/timeline/")][-3:] == [
        "/timeline/2026-05", "/timeline/2026-04", "/timeline/2026-03",
    ]  # fmt: skip
    assert "Nothing was said." in months.words
    march = await ada.get("/timeline/2026-03")
    assert "Oma" not in march.words
    (gist,) = [link for link in march.links if link.startswith("/gists/")]
    opened = await ada.get(gist)
    assert "The tulips open on Friday." in opened.words
    assert "We plant beans." in opened.words
    (conversation,) = [link for link in march.links if link.startswith("/conversations/")]
    assert "The hose leaks." in (await ada.get(conversation)).words


async def test_a_long_conversation_is_leafed_through(served: Site, ada: Visitor) -> None:
    session = await served.told(*(f"Line {n}." for n in range(150)), conversation="long", at=MAY)
    seen: list[str] = []
    path = f"/conversations/{session.id}"
    while path:
        page = await ada.get(path)
        seen = [*(one for one in page.words.split("Line ")[1:]), *seen]
        path = next((link for link in page.links if "before=" in link), "")
    assert [int(one.split(".")[0]) for one in seen] == list(range(150))


async def test_what_is_nowhere_is_said_to_be_nowhere(ada: Visitor) -> None:
    for path in ("/timeline/2026-13", "/timeline/x", "/gists/none", "/conversations/none", "/messages/none", "/nothing"):
        assert (await ada.get(path)).status == 404, path


async def test_what_another_identity_said_is_shown_nowhere(served: Site, ada: Visitor) -> None:
    bob = await served.visitor("bob")
    boats = await (await served.view("bob")).sessions.find("boats")
    found = await bob.get("/search?q=kayak")
    (message, *_) = [link for link in found.links if link.startswith("/messages/")]
    for path in (f"/conversations/{boats.id}", message):
        assert (await bob.get(path)).status == 200
        assert (await ada.get(path)).status == 404
    for path in ("/talk", "/talk?in=boats", "/search?q=red+kayak", "/search?who=bob", "/timeline", "/timeline/2026-03"):
        page = await ada.get(path)
        assert page.status == 200
        assert "bob is red" not in page.text, path
        assert boats.id not in page.text, path


async def test_with_everybodys_domains_in_view_it_would_be_shown(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bobs = await served.visitor(), await served.view("bob")

    async def another(*_: object) -> object:
        return bobs

    monkeypatch.setattr(type(served.app.domains), "view_of_account", another)
    assert "bob is red" in (await ada.get("/search?q=red+kayak")).text


async def test_stored_markup_stays_text_wherever_it_is_shown(served: Site, ada: Visitor) -> None:
    session = await served.told(MARKUP, "and the tulips", conversation=MARKUP, at=MAY)
    await served.app.maintenance.summarize_all(await served.app.maintenance.waiting(None), 1, lambda *_: None)
    async with ada.watching(MARKUP) as tab:
        await ada.post("/talk", conversation=MARKUP, text=MARKUP)
        answer = await tab.until("answer")
        assert "<img" not in str(answer["html"])
    gist = next(link for link in (await ada.get("/timeline/2026-05")).links if link.startswith("/gists/"))
    paths = (
        "/talk", "/search?q=tulips", "/search?q=%3Cimg+onerror%3E", "/timeline", "/timeline/2026-05", gist, f"/conversations/{session.id}",
    )  # fmt: skip
    for path in paths:
        page = await ada.get(path)
        assert page.status == 200, path
        assert "<img src=x" not in page.text, path
        assert "<script>alert" not in page.text, path
        assert "5609" not in page.words, path
    shown = (await ada.get(f"/conversations/{session.id}")).words
    assert MARKUP in shown
