"""What was made of what was said, on the page: facts put right and let go, people, herself, dreams, thoughts, and what goes."""

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.web.pages import rights_pages
from tests.fakes.openai_server import OpenAIServer
from tests.kits import browsing
from tests.kits.awake import model_server
from tests.kits.browsing import Site, Visitor, site
from tests.kits.dream_talk import CURIOUS
from tests.kits.entered import entered_in_loop
from tests.kits.fresh import copies
from tests.kits.lived import TALK, companion, lived

MARKUP = "Lea <img src=x onerror=alert(1)> lives in Graz."

model = entered_in_loop(lambda: model_server(companion))
"""A model that answers like a good one."""


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a home stays as it was after months, which are lived once."""
    return tmp_path_factory.mktemp("lived")


@pytest.fixture
async def served(before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer) -> AsyncIterator[Site]:
    """The page of a home that was lived in."""
    if not any(before.iterdir()):
        async with site(before, monkeypatch, CURIOUS, model=model) as first:
            await lived(first)
    shutil.copytree(before, tmp_path, dirs_exist_ok=True)
    copies(before / "lyra.db")(tmp_path / "lyra.db")
    async with site(tmp_path, monkeypatch, CURIOUS, model=model) as served:
        yield served


ada = browsing.ada


async def fact(ada: Visitor, text: str) -> str:
    """Return the id of the fact that says something."""
    page = (await ada.get("/facts")).text
    _, _, after = page.partition(text)
    return after.partition("/facts/")[2].partition("/")[0]


async def test_a_fact_is_put_right_in_place(served: Site, ada: Visitor) -> None:
    page = await ada.get("/facts")
    assert "My sister Lea lives in Graz." in page.words
    assert "1 source" in page.words
    id_ = await fact(ada, "Lea lives in Graz.")
    assert "Lea lives in Graz." in (await ada.get(f"/facts/{id_}/correct")).words
    put = await ada.follows(await ada.post(f"/facts/{id_}/correct", text="My sister Lea lives in Linz."))
    assert "Lea lives in Linz." in put.words
    assert "lives in Graz." not in put.text.partition("<h2>")[0]
    assert "lives in Graz" in (await ada.get("/facts?past=1")).words
    assert "My sister Lea lives in Linz." in (await ada.get("/search?q=Linz")).words
    assert (await ada.post(f"/facts/{id_}/correct", text="  ")).status == 400


async def test_a_fact_is_let_go_after_it_was_said_what_stays(ada: Visitor) -> None:
    id_ = await fact(ada, "We planted the first tulips along the fence.")
    asked = await ada.get(f"/facts/{id_}/forget")
    assert "What it is based on stays" in asked.words
    assert "We planted the first tulips along the fence." in (await ada.get("/facts")).words
    gone = await ada.post(f"/facts/{id_}/forget")
    assert "It is gone." in gone.words
    assert any(link.startswith("/messages/") for link in gone.links)
    assert "We planted the first tulips along the fence." not in (await ada.get("/facts")).words.partition("What is going on")[0]
    assert "We planted the first tulips along the fence." in (await ada.get("/search?q=planted")).words


async def test_what_goes_with_a_message_is_said_before_it_goes(served: Site, ada: Visitor) -> None:
    async with ada.watching() as tab:
        await ada.post("/talk", text="Where does Turing sleep?")
        answer = str((await tab.until("answer"))["text"])
    found = await ada.get("/search?q=printer+sleeps")
    message = next(link for link in found.links if link.endswith("/forget"))
    asked = await ada.get(message)
    assert "Turing sleeps on the printer." in asked.words
    assert "made from it" in asked.words
    assert "Turing sleeps on the printer." in (await ada.get("/search?q=printer")).words, "looking forgets nothing"
    receipt = (await ada.post(message)).words
    assert "Forgotten: 1 message" in receipt
    for path in ("/search?q=printer", "/facts", "/talk", "/people/Turing", "/export/lyra.txt"):
        assert "sleeps on the printer" not in (await ada.get(path)).text, path
    assert (await ada.get(message)).status == 404
    assert answer


async def test_what_is_said_to_go_is_what_goes(served: Site, ada: Visitor) -> None:
    view = await served.view()
    (hit, *_) = await view.recall.messages("heron stood in the reeds", 1)
    extent = await view.extent(hit.exchange.id)
    receipt = await view.forget_message(hit.exchange.id)
    assert (receipt.messages, receipt.replies) == (1, len(extent.replies))
    assert receipt.digests == len(extent.above) > 0


async def test_a_whole_conversation_goes_where_somebody_says_so(served: Site, ada: Visitor) -> None:
    boats = await (await served.view()).sessions.find("boats")
    asked = await ada.get(f"/conversations/{boats.id}/forget")
    assert "All 8 messages of it" in asked.words
    assert "Forgotten: 8 messages" in (await ada.post(f"/conversations/{boats.id}/forget")).words
    assert "Nothing is left of this." in (await ada.get(f"/conversations/{boats.id}")).words
    assert "kayak" not in (await ada.get("/timeline/2026-09")).text
    assert "kayak" not in (await ada.get("/export/lyra.jsonl")).text


async def test_people_and_things_have_pages(ada: Visitor) -> None:
    names = await ada.get("/people")
    for name in ("Lea", "Bruno", "Jonas", "Turing"):
        assert f"/people/{name}" in names.links
    lea = (await ada.get("/people/Lea")).words
    assert "sister" in lea
    assert "My sister Lea lives in Graz." in lea
    assert "Bruno dug up" not in lea
    assert (await ada.get("/people/Nobody")).status == 404


async def test_how_she_is_is_drawn(ada: Visitor) -> None:
    page = await ada.get("/self")
    assert "Mood and energy over time" in page.words
    assert page.text.count("<polyline") == 6
    assert 'style="' not in page.text
    await ada.post("/self/reset")
    assert "+0.00" in (await ada.get("/self")).words


async def test_numbers_are_drawn(ada: Visitor) -> None:
    page = await ada.get("/numbers")
    said = sum(len(texts) for _, _, texts in TALK)
    assert f"{said} messages in 4 conversations" in page.words
    assert page.text.count("<svg") == 4
    assert "Calls to models" in page.words


async def test_dreams_have_reports(ada: Visitor) -> None:
    page = await ada.get("/dreams")
    assert page.text.count("<details") >= 3
    assert "curiosity" in page.words
    assert "asked for" in page.words


async def test_a_thought_says_why_and_is_taken_back(served: Site, ada: Visitor) -> None:
    async with ada.watching() as tab:
        await ada.post("/talk", text="/settings reflections on")
        await tab.until("notice")
        await served.talk.tick()
        said = await tab.until("reflection")
    page = await ada.get("/dreams")
    assert str(said["text"]).splitlines()[0] in page.words
    assert "Why" in page.words
    less, delete = (next(one for one in [*page.links, *actions(page.text)] if one.endswith(end)) for end in ("/less", "/delete"))
    bar = await (await served.view()).thoughts.bar()
    await ada.post(less)
    assert await (await served.view()).thoughts.bar() > bar
    assert "Take this thought back?" in (await ada.get(delete)).words
    assert (await ada.post(delete)).status == 303
    assert "Nothing yet." in (await ada.get("/dreams")).words
    assert (await ada.post(less)).status == 404


def actions(text: str) -> list[str]:
    """Return where the forms of a page go."""
    return [one.partition('"')[0] for one in text.split('action="')[1:]]


async def test_everything_can_be_taken_along(served: Site, ada: Visitor) -> None:
    whole = await ada.get("/export/lyra.jsonl")
    assert whole.headers["Content-Disposition"] == 'attachment; filename="lyra.jsonl"'
    rows = [json.loads(line) for line in whole.text.splitlines()]
    assert {row["content"] for row in rows} == {text for _, _, texts in TALK for text in texts}
    assert "[garden]" in (await ada.get("/export/lyra.txt")).text
    bob = await served.visitor("bob")
    assert (await bob.get("/export/lyra.jsonl")).text.strip() == ""


async def test_how_things_are_is_for_who_runs_the_machine(served: Site, ada: Visitor) -> None:
    assert "sound" in (await ada.get("/health?look=1")).words
    bobs = await (await served.visitor("bob")).get("/health?look=1")
    assert "for whoever runs this machine" in bobs.words
    assert str(served.app.base.environment.home) not in bobs.text


async def test_what_she_does_is_shown_as_it_happens_and_to_whom_it_belongs(served: Site, ada: Visitor) -> None:
    assert "Dreamt" in (await ada.get("/activity")).words
    bob = await served.visitor("bob")
    assert "Nothing was done here yet." in (await bob.get("/activity")).words
    seen = (await (await served.view()).activity(0, 1))[-1].seq
    async with ada.http.get(f"{ada.url}/activity/stream?after={seen}") as stream:
        await served.app.dreams.dream((await served.view()).home, forced=True)
        while b"event: done" not in await stream.content.readline():
            pass
        assert json.loads((await stream.content.readline()).decode().removeprefix("data: "))["what"] == "Dreamt"


async def test_what_another_identity_knows_is_shown_nowhere(served: Site, ada: Visitor) -> None:
    bob = await served.visitor("bob")
    id_ = await fact(ada, "Lea lives in Graz.")
    message = next(link for link in (await ada.get("/search?q=heron")).links if link.endswith("/forget"))
    for path in (f"/facts/{id_}/correct", f"/facts/{id_}/forget", message, "/people/Lea"):
        assert (await ada.get(path)).status == 200
        assert (await bob.get(path)).status == 404
    for path in (f"/facts/{id_}/correct", f"/facts/{id_}/forget", message):
        assert (await bob.post(path, text="no")).status == 404
    for path in ("/facts", "/people", "/self", "/numbers", "/dreams", "/activity", "/export", "/timeline"):
        assert "Graz" not in (await bob.get(path)).text
    assert "Lea lives in Graz." in (await ada.get("/facts")).words


async def test_markup_stays_text_in_what_is_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    async with site(tmp_path, monkeypatch, CURIOUS, model=model) as served:
        await served.told(
            MARKUP, "My dog <b>Bruno</b> barks.", "Project </script><script>alert(1)</script> is due.", "I like it."
        )
        maintenance = served.app.maintenance
        await maintenance.summarize_all(await maintenance.waiting(None), 1, lambda *_: None)
        await served.app.dreams.dream((await served.view()).home, forced=True)
        ada = await served.visitor()
        id_, message = (
            await fact(ada, "Lea"),
            next(one for one in (await ada.get("/search?q=Graz")).links if one.endswith("forget")),
        )
        paths = (
            "/facts", f"/facts/{id_}/correct", f"/facts/{id_}/forget", message, "/people", "/people/Lea", "/self", "/dreams", "/numbers",
            "/people/%3Cscript%3Ealert(1)", "/activity", "/health?look=1",
        )  # fmt: skip
        for path in paths:
            page = await ada.get(path)
            assert "<img src=x" not in page.text, path
            assert "<script>alert" not in page.text, path
            assert "<b>Bruno" not in page.text, path
        assert MARKUP in (await ada.get("/facts")).words


async def test_where_too_much_would_have_to_be_looked_through_that_is_said(
    served: Site, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rights_pages, "_PATIENCE_SECONDS", 0.0)
    message = next(link for link in (await ada.get("/search?q=heron")).links if link.endswith("/forget"))
    asked = (await ada.get(message)).words
    assert "A heron stood in the reeds" in asked
    assert "decided while it goes" in asked
    assert "Forgotten: 1 message" in (await ada.post(message)).words
