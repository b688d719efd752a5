"""Which replies go along with what is forgotten, measured on sets that were written before the rule."""

import time
from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np
import pytest

from bot.models.local import minilm as weights
from bot.models.local.minilm import MiniLM
from memory.forget.shared_content import content, pieces, retelling, shares, spoken_of
from memory.forget.sparing import NEAR, Nearness
from memory.ports import Vectors
from tests.bench.sparing import cases, score
from tests.kits.size import TORTURE
from tests.kits.stalls import stalls
from tests.kits.tabled import tabled


def test_no_copy_stays() -> None:
    assert [case.reply for case in cases("copies") if not case.copies] == []


async def test_of_paraphrases_two_in_a_hundred_stay_and_of_the_innocent_four_in_five() -> None:
    nearness, step = Nearness(MiniLM(weights.folder() or Path())), 1 if TORTURE else 20
    told = [await score(nearness, case) for case in cases("paraphrases")[::step]]
    innocent = [await score(nearness, case) for case in cases("innocent")[::step]]
    assert sum(one < NEAR for one in told) <= 0.02 * len(told) + (0 if TORTURE else 1)
    assert sum(one >= NEAR for one in innocent) <= 0.2 * len(innocent)
    assert sum(one < inf for one in told) > len(told) / 4, "by shared content alone they would stay"


def test_by_words_alone_two_in_a_hundred_paraphrases_stay_and_of_the_innocent_more_than_half() -> None:
    told, innocent = [
        [case.copies or bool(retelling(case.reply, case.others)) for case in cases(name)] for name in ("paraphrases", "innocent")
    ]
    assert sum(told) >= 0.98 * len(told) and sum(innocent) <= 0.42 * len(innocent)


def test_by_words_alone_a_long_view_explains_no_more_than_a_short_one() -> None:
    reply, said = "The ferry is empty and slow before noon.", ["The slow ferry is empty.", "I like it before noon."]
    assert not retelling(reply, said)
    assert retelling(reply, [*said, "Rice wants twice its volume of water and a lid. " * 10])


async def test_no_answer_stays_that_tells_in_few_words_and_of_those_that_take_note_seven_in_eight() -> None:
    nearness = Nearness(MiniLM(weights.folder() or Path()))
    told, noted = [[await score(nearness, case) for case in cases(name)] for name in ("short_answers", "acknowledgements")]
    assert min(told) >= NEAR
    assert sum(one >= NEAR for one in noted) <= len(noted) / 7


async def test_without_the_guard_of_few_words_some_that_tell_would_stay() -> None:
    nearness, stay = Nearness(MiniLM(weights.folder() or Path())), 0
    for case in cases("short_answers"):
        signs = await nearness.signs(case.reply, [case.forgotten], case.others)
        stay += not case.copies and all(one.score < NEAR for one in signs or ())
    assert stay >= 10


async def test_what_else_stood_in_view_explains_a_reply() -> None:
    nearness, reply = Nearness(MiniLM(weights.folder() or Path())), "The ferry is quiet before noon."
    gone, view = (
        ["The boat to the island was wonderfully calm this morning."],
        ["When does it leave?", "The ferry is empty early in the day."],
    )
    assert not await nearness.near(reply, gone, view)
    assert await nearness.near(reply, gone, ["What shall I cook?", "Rice again."]), (
        "without it the reply would have it from there"
    )


async def test_one_passage_is_enough_for_a_long_reply_to_go() -> None:
    nearness = Nearness(MiniLM(weights.folder() or Path()))
    told, other = "Your kitty is named after the father of computing.", "Rice wants twice its volume of water and a lid. " * 10
    found = await nearness.signs(
        f"{other}{told} {other}", ["My cat is called Turing."], ["How do I cook rice?", "It burned last time."]
    )
    assert found is not None
    assert [one.score >= NEAR for one in found] == [False, False, True, False, False]


async def test_what_cannot_be_told_apart_goes() -> None:
    class Flat:
        name = "flat"

        async def embed(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 4), np.float32)

    assert await Nearness(Flat()).near("Sunny.", ["my code is 4711"], ["and the weather?"])


async def test_comparing_long_texts_does_not_hold_the_loop() -> None:
    class Quick:
        name = "quick"

        async def embed(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 384), np.float32)

    text = "".join(f"Sentence number {n} speaks of you. " for n in range(1_000))
    async with stalls(time.thread_time) as held:
        assert await Nearness(Quick()).near(text, [text] * (60 if TORTURE else 10), [text] * (9 if TORTURE else 2))
    assert held.longest < 50


@pytest.mark.parametrize(
    ("text", "to", "of"),
    [
        (["You're late.", "She said it to your brother, he told them."], 1.0, 1.5),
        (["A pot holder, in two colours.", "It is needed in every kitchen."], 0.0, 0.0),
        (["Du hast ihm dein Rad geliehen."], 2.0, 1.0),
        (["Tienes un gato que se llama Turing."], 1.0, 0.0),
        (["4711"], 1.0, 0.0),
    ],
)
def test_a_text_speaks_of_people_where_its_pronouns_do_or_its_language_leaves_them_out(
    text: list[str], to: float, of: float
) -> None:
    assert spoken_of(text) == (to, of)


@pytest.mark.parametrize(("reply", "gone", "others", "goes"), tabled("sparing", "content"))
def test_content_is_words_names_and_numbers_however_written(reply: str, gone: str, others: list[str], goes: bool) -> None:
    assert shares(reply, [gone], others) is goes


async def test_without_an_embedder_nearness_is_not_known_but_of_a_few_words() -> None:
    assert await Nearness(None).near("It is sunny and warm outside.", ["my code is 4711"], []) is None
    assert await Nearness(None).near("Sunny.", ["my code is 4711"], [])
    assert not await Nearness(None).near("…", ["my code is 4711"], []), "a reply without words holds nothing"


def test_a_long_text_is_compared_in_at_most_64_pieces() -> None:
    text = " ".join(f"Sentence number {n}." for n in range(1_000))
    joined = pieces(text)
    assert len(joined) <= 64 and "number 999" in joined[-1]
    assert content(text) >= {"#999"}
