"""What people ask of themselves in words that name little of it ("how old am I?") is answered by how it is told: tests/sets/about_me."""

import json
from pathlib import Path

import pytest

from bot.models.offline.voice import VoiceQuestion
from memory.index.hits import Certainty
from memory.text.told.personal_details import asked_detail
from tests.kits.lyra_kit import REPO
from tests.kits.memory_kit import Clock, at_home, said, utc
from tests.unit.test_told_later import answer

SET = REPO / "tests" / "sets" / "about_me"
NOW = utc("2026-11-26T20:00")


def rows(name: str) -> list[dict[str, str]]:
    """Return the lines of a file of the set."""
    return [json.loads(line) for line in (SET / f"{name}.jsonl").read_text("utf-8").splitlines()]


def told_details(name: str) -> list[tuple[str, str, list[str]]]:
    """Return the questions of a file that ask for a detail, with what answers them, and all that is told in their language."""
    everything = rows(name)
    return [
        (row["asked"], row["told"], [one["told"] for one in everything if one["language"] == row["language"]])
        for row in everything
        if asked_detail(row["asked"])
    ]


@pytest.mark.parametrize("name", ["cases", "unseen"])
def test_of_all_that_somebody_told_of_themself_only_what_is_asked_for_answers(name: str) -> None:
    asked = told_details(name)
    assert len(asked) >= 40
    for question, told, everything in asked:
        detail = asked_detail(question)
        assert detail and detail.surest(everything) == [told], question


@pytest.mark.parametrize("row", rows("traps"), ids=lambda row: f"{row['asked']} {row['told']}")
def test_what_tells_something_else_is_no_answer(row: dict[str, str]) -> None:
    detail = asked_detail(row["asked"])
    assert detail is None or not detail.surest([row["told"]])


async def test_the_latest_of_what_the_asker_told_is_quoted_and_nothing_is_made_up(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, clock=Clock(NOW)) as here:
        for question in ("how old am I?", "what is my name?"):
            assert await answer(here, question) == "Nothing about that yet."
        told = ["I'm 34 years old", "Sam is 40 years old", "I'm 35 years old now", "the house is old"]
        await here.view.say(here.session, [said(text, str(n), NOW + n) for n, text in enumerate(told)])
        assert "I'm 35 years old now" in await answer(here, "how old am I?")


async def test_what_is_asked_by_an_idiom_is_found_however_it_was_told(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, clock=Clock(NOW)) as here:
        told = ["I am a paramedic with a job to do", "the job of the plumber is done"]
        await here.view.say(here.session, [said(text, str(n), NOW + n) for n, text in enumerate(told)])
        assert told[0] in await answer(here, "what do I do for a living?")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (["I come from Leeds, originally", "the parcel is from my aunt and originally it was hers"], "where am I from?"),
        (["Lena gets married in June", "when is the wedding?", "the tent is in June's car"], "wedding"),
    ],
    ids=["an idiom", "the only word"],
)
async def test_recall_marks_what_tells_it_as_likely_and_nothing_else(tmp_path: Path, told: list[str], asked: str) -> None:
    async with at_home(tmp_path, None, clock=Clock(NOW)) as here:
        await here.view.say(here.session, [said(text, str(n), NOW + n) for n, text in enumerate(told)])
        hits = {hit.exchange.text: hit.certainty for hit in await here.view.recall.messages(asked, 5)}
        assert (hits[told[0]], hits[told[1]]) == (Certainty.LIKELY, Certainty.WEAK)


def test_a_question_takes_the_language_that_it_is_asked_in() -> None:
    question = VoiceQuestion("what's my age?", "Ada", NOW, "UTC", written="german")
    assert question.answer([], lambda _: False).text == "Nothing about that yet."
