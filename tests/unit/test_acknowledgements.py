"""What only takes note of a statement is told from what tells, in every language that she speaks."""

import json
from collections import Counter
from time import process_time

import pytest

from bot.models.offline.spoken_languages import SPOKEN
from memory.text.acknowledgements import acknowledging_words, only_acknowledges
from tests.bench.sparing import SETS as SETS_FOLDER
from tests.bench.sparing import cases
from tests.kits.tabled import tabled


@pytest.mark.parametrize(("reply", "answered", "takes_note"), tabled("acknowledgements", "notice"))
def test_notice_is_taken_in_words_that_tell_nothing_and_of_statements_alone(
    reply: str, answered: list[str], takes_note: bool
) -> None:
    assert only_acknowledges(reply, answered, ["Ada"]) is takes_note


def test_a_statement_that_repeats_a_word_for_long_keeps_nobody_waiting() -> None:
    began = process_time()
    assert only_acknowledges("Wat leuk!", ["gelukt " * 5_000])
    assert process_time() - began < 0.5


def test_of_the_sets_most_that_take_note_are_known_and_none_that_tell() -> None:
    known = {name: [only_acknowledges(case.reply, case.others[-1:]) for case in cases(name)] for name in SETS}
    assert sum(known["acknowledgements"]) >= len(known["acknowledgements"]) * 0.87
    assert not any(known["short_answers"])


def test_of_judgements_those_that_the_statement_explains_are_known_in_seven_languages_and_none_that_tells() -> None:
    known = Counter[tuple[str, bool]]()
    for line in (SETS_FOLDER / "judgements.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        known[row["language"], row["tells"]] += only_acknowledges(row["reply"], [row["question"]], ["Ines", "Tom", "Luis"])
    assert len(known) == 14 and all(n == 0 if tells else n >= 7 for (_, tells), n in known.items()), known


def test_without_the_guard_that_asks_what_is_answered_some_that_tell_would_stay() -> None:
    assert any(only_acknowledges(case.reply, ["It is so."]) for case in cases("short_answers"))


def test_every_language_that_is_spoken_has_its_words() -> None:
    assert acknowledging_words().keys() >= set(SPOKEN)


SETS = ("acknowledgements", "short_answers")
