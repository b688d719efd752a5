"""Talking on the page: the conversation of the terminal, answers as they come, commands, and what a kill left over."""

from pathlib import Path

import pytest

from memory.store.sqlite.database import SqliteDatabase
from tests.fakes import openai_behaviours as b
from tests.fakes.openai_server import OpenAIServer
from tests.kits import browsing
from tests.kits.awake import answer, model_server
from tests.kits.browsing import Site, site
from tests.kits.entered import entered_in_loop
from tests.kits.lyra_kit import Home
from tests.kits.memory_kit import KEY

served = browsing.served
model = entered_in_loop(lambda: model_server(answer))


async def test_what_is_said_is_answered_in_the_tab_and_stands_there_afterwards(served: Site) -> None:
    ada = await served.visitor()
    assert "Nothing was said here yet." in (await ada.get("/talk")).words
    async with ada.watching() as tab:
        await ada.post("/talk", text="my cat is called Turing")
        assert (await tab.until("said"))["text"] == "my cat is called Turing"
        assert "Kept" in str((await tab.until("answer"))["html"])
        await ada.post("/talk", text="what is the name of my cat?")
        assert "Turing" in str((await tab.until("answer"))["text"])
    words = (await ada.get("/talk")).words
    assert words.count("my cat is called Turing") >= 2
    assert "what is the name of my cat?" in words


async def test_a_message_is_kept_before_its_form_is_answered(served: Site) -> None:
    ada = await served.visitor()
    await ada.post("/talk", text="without a tab")
    async with ada.watching():
        await served.talk.mailboxes.drain(30)
    assert "without a tab" in (await ada.get("/talk")).words


async def test_an_answer_comes_piece_by_piece_in_every_tab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    model.script(b.Drip("Tea or **coffee** ?", 0.05))
    async with site(tmp_path, monkeypatch, model=model) as served:
        ada, phone = await served.visitor(), await served.visitor()
        async with ada.watching() as tab, phone.watching() as other:
            await ada.post("/talk", text="what shall I drink?")
            for one in (tab, other):
                assert str((await one.until("piece"))["text"]).startswith("Tea")
                assert (await one.until("answer"))["html"] == "<p>Tea or <strong>coffee</strong> ?</p>\n"


async def test_another_persons_tab_is_shown_nothing(served: Site) -> None:
    ada, bob = await served.visitor(), await served.visitor("bob")
    async with ada.watching() as hers, bob.watching() as his:
        await ada.post("/talk", text="a secret of mine")
        await hers.until("answer")
        await bob.post("/talk", text="hello")
        assert (await his.next())[1]["text"] == "hello"
    assert "secret" not in (await bob.get("/talk")).text


async def test_commands_are_answered_as_at_the_terminal(served: Site) -> None:
    ada = await served.visitor()
    async with ada.watching() as tab:
        await ada.post("/talk", text="my cat is called Turing")
        await tab.until("answer")
        await ada.post("/talk", text="/recall cat")
        assert "my cat is called Turing" in str((await tab.until("notice"))["text"])
        await ada.post("/talk", text="/new Garden party")
        assert (await tab.until("enter"))["name"] == "Garden party"
    async with ada.watching("Garden party") as tab:
        await ada.post("/talk", conversation="Garden party", text="lanterns, please")
        await tab.until("answer")
    page = await ada.get("/talk?in=Garden+party")
    assert "lanterns, please" in page.words
    assert "Turing" not in page.words


@pytest.mark.parametrize("yes", [True, False])
async def test_a_question_is_asked_in_the_tab(served: Site, yes: bool) -> None:
    ada = await served.visitor()
    async with ada.watching() as tab:
        await ada.post("/talk", text="my pin is 1234")
        await tab.until("answer")
        await ada.post("/talk", text="/forget all")
        question = await tab.until("question")
        assert "for good?" in str(question["text"])
        await ada.post("/talk/answer", question=str(question["id"]), yes="yes" if yes else "no")
        told = str((await tab.until("notice"))["text"])
    assert told.startswith("Forgotten:" if yes else "Nothing was forgotten.")
    assert ("1234" in (await ada.get("/talk")).text) is not yes


async def test_a_question_is_asked_again_in_a_tab_that_is_loaded_anew(served: Site) -> None:
    ada = await served.visitor()
    await ada.post("/talk", text="my pin is 1234")
    async with ada.watching() as tab:
        await ada.post("/talk", text="/forget all")
        asked = await tab.until("question")
    bob = await served.visitor("bob")
    async with bob.watching() as others, ada.watching() as tab:
        await bob.post("/talk", text="hello")
        assert (await others.next())[1]["text"] == "hello"
        assert await tab.until("question") == asked
        await ada.post("/talk/answer", question=str(asked["id"]), yes="no")
        assert str((await tab.until("notice"))["text"]).startswith("Nothing was forgotten.")


async def test_only_who_runs_the_machine_may_give_its_commands(served: Site) -> None:
    ada, bob = await served.visitor(), await served.visitor("bob")
    refused = await bob.post("/talk", text="/model off")
    assert refused.status == 503
    assert "/model is for whoever runs this machine." in refused.words
    async with ada.watching() as tab:
        await ada.post("/talk", text="/model")
        assert "No model" in str((await tab.until("notice"))["text"])


@pytest.mark.file
async def test_the_terminal_and_the_page_show_one_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path).begun()
    assert home.chat("the key is under the blue pot").code == 0
    async with site(home.path, monkeypatch) as served:
        ada = await served.visitor()
        assert "the key is under the blue pot" in (await ada.get("/talk")).words
        async with ada.watching() as tab:
            await ada.post("/talk", text="the gate code is 4471")
            await tab.until("answer")
    assert [row["content"] for row in home.export() if row["role"] == "user"] == [
        "the key is under the blue pot",
        "the gate code is 4471",
    ]


@pytest.mark.file
async def test_a_turn_that_cannot_be_written_is_told_in_the_tab_and_made_once_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    model.script(b.Held("too late"))
    async with site(tmp_path, monkeypatch, model=model) as served:
        ada = await served.visitor()
        async with ada.watching() as tab:
            await ada.post("/talk", {"X-Requested-With": "fetch"}, text="where is the blue pot?")
            await model.heard(1)
            async with served.app.memory.db.transaction() as tx:
                await tx.one("PRAGMA busy_timeout = 20")
            async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as other, other.transaction() as tx:
                await tx.one("SELECT 1")
                model.go.set()
                assert "is busy with another process" in str((await tab.until("notice"))["text"])
            await served.talk.tick()
            assert "where is the blue pot?" in str((await tab.until("answer"))["text"])
