"""Steering on the page: an answer is ended, a dream is dreamt now, and who she is is said anew, by who runs the machine."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits import browsing
from tests.kits.awake import answer, model_server
from tests.kits.browsing import Site, site

MARKUP = "You are <script>alert(1)</script> Ada's gardener."

served = browsing.served


async def test_an_answer_that_is_being_made_is_stopped_and_what_came_of_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with model_server(answer) as model, site(tmp_path, monkeypatch, model=model) as served:
        model.script(b.Hang("Tea is ||green"))
        ada = await served.visitor()
        async with ada.watching() as tab, asyncio.TaskGroup() as group:
            # Without scripts a browser waits for the answer.
            group.create_task(ada.post("/talk", text="what shall I drink?"))
            await tab.until("piece")
            assert (await ada.post("/talk/stop", conversation="main")).status == 303
            assert str((await tab.until("answer"))["text"]) == "Tea is ||green|| […]"
            assert (await ada.post("/talk/stop", conversation="main")).status == 303, "with nothing to stop it does nothing"


async def test_an_answer_is_stopped_by_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server(answer) as model, site(tmp_path, monkeypatch, model=model) as served:
        model.script(b.Held("Tea is fine."))
        ada, bob = await served.visitor(), await served.visitor("bob")
        async with ada.watching() as tab, asyncio.TaskGroup() as group:
            group.create_task(ada.post("/talk", text="what shall I drink?"))
            await model.heard(1)
            await bob.post("/talk/stop", conversation="main")
            model.go.set()
            assert str((await tab.until("answer"))["text"]) == "Tea is fine."


async def test_the_owner_has_her_dream_now(served: Site) -> None:
    await served.told("The tulips open on Friday.", "Ines brings the kayak.", "We plant beans.", "The hose leaks.")
    ada, bob = await served.visitor(), await served.visitor("bob")
    assert "Dream now" in (await ada.get("/dreams")).words
    assert "asked for" in (await ada.follows(await ada.post("/dreams/now"))).words
    assert "Dream now" not in (await bob.get("/dreams")).words
    assert (await bob.post("/dreams/now")).status == 403


async def test_the_owner_says_who_she_is_and_the_next_answer_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server(answer) as model, site(tmp_path, monkeypatch, model=model) as served:
        ada = await served.visitor()
        assert "a companion who remembers" in (await ada.get("/persona")).text
        assert "from my next answer on" in (await ada.follows(await ada.post("/persona", text=MARKUP))).words
        async with ada.watching() as tab:
            await ada.post("/talk", text="hello")
            await tab.until("answer")
        assert model.requests[-1].messages[0]["content"].startswith(MARKUP)
        assert "<script>alert" not in (await ada.get("/persona")).text
        assert "who I was at first" in (await ada.follows(await ada.post("/persona/reset"))).words
        assert "a companion who remembers" in (await ada.get("/persona")).text


async def test_no_link_puts_words_into_her_mouth(served: Site) -> None:
    ada = await served.visitor()
    for path in ("/persona", "/dreams", "/verify"):
        assert "Send your key" not in (await ada.get(f"{path}?told=Send+your+key")).text


async def test_nobody_else_says_who_she_is(served: Site) -> None:
    bob = await served.visitor("bob")
    assert "<textarea" not in (await bob.get("/persona")).text
    assert (await bob.post("/persona", text="You are Bob's.")).status == 403
    assert (await bob.post("/persona/reset")).status == 403
    assert "Bob's" not in (await bob.get("/persona")).text


@pytest.mark.parametrize(("text", "problem"), [("  ", "Say who I am"), ("x" * 20_001, "at most 20,000 characters")])
async def test_what_cannot_be_a_persona_is_told(served: Site, text: str, problem: str) -> None:
    ada = await served.visitor()
    assert problem in (await ada.post("/persona", text=text)).words
    assert not served.app.persona.is_own
