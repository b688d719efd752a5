"""Which replies go along with what is forgotten, measured on sets that were written before the rule."""

from pathlib import Path

import pytest

from bot.models.minilm import weights
from bot.models.minilm.embedder import MiniLM
from memory.forget.sparing import NEAR, Nearness, content, sentences, shares
from tests.bench.sparing import cases, margin
from tests.kits.size import TORTURE


def test_no_copy_stays() -> None:
    assert [case.reply for case in cases("copies") if not case.copies] == []


async def test_of_paraphrases_two_in_a_hundred_stay_and_of_the_innocent_most() -> None:
    nearness, step = Nearness(MiniLM(weights.folder() or Path())), 1 if TORTURE else 10
    told = [await margin(nearness, case) for case in cases("paraphrases")[::step]]
    innocent = [await margin(nearness, case) for case in cases("innocent")[::step]]
    assert sum(one < NEAR for one in told) <= 0.02 * len(told) + (0 if TORTURE else 1)
    assert sum(one >= NEAR for one in innocent) <= 0.4 * len(innocent) + (0 if TORTURE else 5)
    assert sum(one < 0.2 for one in told) > len(told) / 4, "with a bound that lets near meanings pass, they would stay"


@pytest.mark.parametrize(
    ("reply", "gone", "others", "goes"),
    [
        ("It is 4711.", "my locker code is 4711", [], True),
        ("It is forty seven.", "my code is 47", [], False),
        ("It is twelve.", "my code is 12", [], True),
        ("It is 47 11.", "my locker code is 4711", [], True),
        ("Your locker is near the door.", "my locker code is 4711", ["where is my locker?"], False),
        ("Your lockers are near the door.", "my locker code is 4711", [], True),
        ("Good to see you today.", "good day, my code is 4711", [], False),
        ("Der Kater heißt Turing.", "mein Kater heißt Turing", ["wie heißt der Kater?"], True),
    ],
)
def test_content_is_words_names_and_numbers_however_written(reply: str, gone: str, others: list[str], goes: bool) -> None:
    assert shares(reply, [gone], others) is goes


async def test_without_an_embedder_nearness_is_not_known_and_counts_as_near() -> None:
    assert await Nearness(None).near("Sunny.", ["my code is 4711"], [])
    assert not await Nearness(None).near("…", ["my code is 4711"], []), "a reply without words holds nothing"


def test_a_long_text_is_compared_in_at_most_64_pieces() -> None:
    text = " ".join(f"Sentence number {n}." for n in range(1_000))
    pieces = sentences(text)
    assert len(pieces) <= 64 and "number 999" in pieces[-1]
    assert content(text) >= {"#999"}
