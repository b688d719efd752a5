"""Talking on the page without scripts: answers, what commands tell and what is asked stand on the page that comes back."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.kits import browsing
from tests.kits.browsing import Answer, Site

SCRIPTED = {"X-Requested-With": "fetch"}

served = browsing.served


def once_of(page: Answer) -> str:
    """Return the mark by which a page's form is known where it comes again."""
    (found,) = re.findall(r'name="once" value="([^"]+)"', page.text)
    return str(found)


def question(page: Answer) -> str:
    """Return the id of what a page asks."""
    (found,) = re.findall(r'name="question" value="([^"]+)"', page.text)
    return str(found)


async def test_an_answer_stands_on_the_page_that_comes_back(served: Site) -> None:
    ada = await served.visitor()
    page = await ada.follows(await ada.post("/talk", text="my cat is called <b>Turing</b>"))
    assert "Kept." in page.words and "<b>" not in page.text


async def test_what_a_command_tells_stands_on_the_page_that_comes_back(served: Site) -> None:
    ada = await served.visitor()
    await ada.post("/talk", text="my cat is called <b>Turing</b>")
    page = await ada.post("/talk", text="/recall cat")
    assert page.status == 200 and "1. my cat is called <b>Turing</b>" in page.words and "<b>" not in page.text
    assert "There is no /recal; did you mean /recall?" in (await ada.post("/talk", text="/recal cat")).words
    gone = await ada.post("/talk", text="/new Garden party")
    assert gone.headers["Location"] == "/talk?in=Garden+party"


@pytest.mark.parametrize("yes", ["yes", "no"])
@pytest.mark.parametrize("words", ["/forget all", "forget everything I told you"])
async def test_what_is_asked_is_asked_on_the_page_that_comes_back(served: Site, words: str, yes: str) -> None:
    ada, bob = await served.visitor(), await served.visitor("bob")
    await ada.post("/talk", text="my pin is 1234")
    page = await ada.post("/talk", text=words)
    assert ("for good?" if words == "/forget all" else "(/forget all)") in page.words
    foreign = await bob.post("/talk/answer", question=question(page), yes=yes, conversation="main")
    assert "Forgotten" not in foreign.words and "Nothing was" not in foreign.words
    told = await ada.post("/talk/answer", question=question(page), yes=yes, conversation="main")
    if yes == "yes" and words != "/forget all":
        told = await ada.post("/talk/answer", question=question(told), yes=yes, conversation="main")
    assert ("Forgotten: 1 message" if yes == "yes" else "Nothing was ") in told.words
    assert ("1234" in (await ada.get("/talk")).text) is (yes == "no")


@pytest.mark.parametrize("yes", ["yes", "no"])
async def test_plain_words_that_mean_a_command_are_offered_as_it_in_a_tab(served: Site, yes: str) -> None:
    ada = await served.visitor()
    async with ada.watching() as tab:
        await ada.post("/talk", SCRIPTED, text="my pin is 1234")
        await tab.until("answer")
        await ada.post("/talk", SCRIPTED, text="what is my pin?")
        await tab.until("answer")
        await ada.post("/talk", SCRIPTED, text="forget that")
        asked = await tab.until("question")
        assert str(asked["text"]).startswith("This will be gone for good:\n1 message") and "my pin is 1234" in str(asked["text"])
        assert "what is my pin" not in str(asked["text"]) and str(asked["text"]).endswith("Forget this for good?")
        await ada.post("/talk/answer", SCRIPTED, question=str(asked["id"]), yes=yes)
        told = str((await tab.until("notice"))["text"])
    assert told.startswith("Forgotten: 1 message" if yes == "yes" else "Nothing was forgotten.")
    page = (await ada.get("/talk")).text
    assert "forget that" not in page and ("1234" in page) is (yes == "no")


async def test_without_a_tab_that_could_be_asked_such_words_are_kept_and_lost_to_nobody(served: Site) -> None:
    ada = await served.visitor()
    await ada.post("/talk", SCRIPTED, text="forget that")
    await served.talk.mailboxes.drain(30)
    assert "forget that" in (await ada.get("/talk")).words


async def test_who_asks_to_be_reminded_is_told_what_she_can_do(served: Site) -> None:
    ada = await served.visitor()
    page = await ada.post("/talk", text="remind me to feed the cat at six")
    assert "I cannot remind you at a set time" in page.words and "remind me to feed the cat" in page.words


async def test_a_form_that_is_sent_twice_is_one_message_also_after_a_new_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a double click, or where the page that came back is loaded again."""
    form: dict[str, str] = {}
    for start in range(2):
        async with browsing.site(tmp_path, monkeypatch) as served:
            ada = await served.visitor()
            form = form or {"once": once_of(await ada.get("/talk")), "text": "my pin is 1234"}
            await asyncio.gather(*(ada.post("/talk", **form) for _ in range(2)))
            page = await ada.get("/talk")
            assert (page.words.count("my pin is 1234"), page.words.count("Kept.")) == (1, start + 1)
            assert once_of(page) != form["once"]
            await ada.post("/talk", text="my pin is 5678", once=form["once"])
            assert "5678" in (await ada.get("/talk")).words, "other words are another message"
