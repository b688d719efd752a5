"""Questions that are typed without their mark, and statements that begin with the same words."""

import json
from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.text.unmarked_questions import opens_like_a_question
from tests.kits.memory_kit import at_home

SETS = Path(__file__).parents[1] / "sets" / "asked"


@pytest.mark.parametrize(("name", "heard", "mistaken"), [("unmarked", 80, 3), ("unmarked_unseen", 55, 5)])
def test_most_questions_are_heard_without_their_mark_and_few_statements_are_taken_for_one(
    name: str, heard: int, mistaken: int
) -> None:
    every = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text().splitlines()]
    taken = {
        asks: [one["text"] for one in every if one["asks"] is asks and opens_like_a_question(one["text"])]
        for asks in (True, False)
    }
    print(f"{name}: {len(taken[True])} heard, taken for questions: {taken[False]}")
    assert len(taken[True]) >= heard
    assert len(taken[False]) <= mistaken


@pytest.mark.parametrize("question", ["which neighbour plays the trumpet", "wer spielt oben eigentlich Trompete"])
async def test_what_was_asked_before_without_a_mark_is_no_certain_answer(tmp_path: Path, question: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(question)
        assert (await here.view.recall.messages(question, 1))[0].certainty is Certainty.WEAK


async def test_what_was_told_is_certain_where_the_question_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("the neighbour who plays the trumpet is Walter")
        assert (await here.view.recall.messages("which neighbour plays the trumpet", 1))[0].certainty is Certainty.SURE
