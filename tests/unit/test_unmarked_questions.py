"""Questions that are typed without their mark, and statements that begin with the same words."""

import json
from itertools import product
from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.text.unmarked_questions import opens_like_a_question
from tests.kits.memory_kit import at_home
from tests.kits.tabled import tabled

SETS = Path(__file__).parents[1] / "sets" / "asked"


@pytest.mark.parametrize(
    ("name", "heard", "mistaken"),
    [
        ("unmarked", 80, 3),
        ("unmarked_unseen", 55, 3),
        ("unmarked_romance", 68, 1),
        ("unmarked_romance_later", 28, 1),
        ("unmarked_further", 127, 3),
        ("unmarked_further_unseen", 118, 1),
        ("typed", 112, 0),
        ("typed_unseen", 58, 3),
    ],
)
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


def test_no_little_words_in_whatever_order_are_too_few_to_be_read() -> None:
    little = ("in", "an", "für", "was", "wie", "hast", "ich", "the", "shed")
    heard = [opens_like_a_question(" ".join(words)) for n in range(5) for words in product(little, repeat=n)]
    assert not all(heard)


@pytest.mark.parametrize("question", ["which neighbour plays the trumpet", "wer spielt oben eigentlich Trompete"])
async def test_what_was_asked_before_without_a_mark_is_no_certain_answer(tmp_path: Path, question: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(question)
        assert (await here.view.recall.messages(question, 1))[0].certainty is Certainty.WEAK


async def test_what_was_told_is_certain_where_the_question_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("the neighbour who plays the trumpet is Walter")
        assert (await here.view.recall.messages("which neighbour plays the trumpet", 1))[0].certainty is Certainty.SURE


@pytest.mark.parametrize("told", tabled("unmarked_questions", "form_only"))
async def test_what_asks_in_form_only_is_kept_as_told(tmp_path: Path, told: str) -> None:
    assert not opens_like_a_question(told)
    async with at_home(tmp_path) as here:
        await here.say(told)
        assert (await here.view.recall.messages(told.split()[-1], 1))[0].certainty is not Certainty.WEAK


@pytest.mark.parametrize("question", tabled("unmarked_questions", "still_asks"))
def test_what_is_like_it_still_asks(question: str) -> None:
    assert opens_like_a_question(question)


@pytest.mark.parametrize("looked_up", tabled("unmarked_questions", "details"))
async def test_a_detail_that_is_only_named_is_looked_up_and_hides_nothing(tmp_path: Path, looked_up: str) -> None:
    assert opens_like_a_question(looked_up)
    async with at_home(tmp_path) as here:
        await here.say(looked_up)
        assert (await here.view.recall.messages(looked_up, 1))[0].certainty is Certainty.WEAK


@pytest.mark.parametrize("told", tabled("unmarked_questions", "notes"))
def test_a_note_is_no_look_up(told: str) -> None:
    assert not opens_like_a_question(told)
