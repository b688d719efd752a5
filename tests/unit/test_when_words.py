"""Holidays, weekdays, parts of the day and what is counted back to, in the words that people use, in English and German."""

import pytest

from memory.index.when.question_times import parse_question
from tests.kits.tabled import tabled
from tests.unit.test_when import VIENNA, shown

NOW = 1_795_370_400_000_000  # Sunday, 2026-11-22 18:00 UTC

TIMES = tabled("when", "holidays_and_weekdays")
NO_TIME = (
    "do you like Christmas|what did I say about Christmas?|when is Easter?|an Easter egg|a Christmas tree|9/11|what was June like?"
    "|on my first day|mein erster Tag|do I run on Fridays?|Fridays are long|what did I do up to now|in my first week in Berlin"
    "|how do I spend the Sundays?|half of 3/4 is left|Nora likes Halloween|Christmas presents"
)


@pytest.mark.parametrize(("question", "days"), [(one, days) for days, some in TIMES.items() for one in some.split("|")])
def test_a_time_is_told_in_many_words(question: str, days: str) -> None:
    window = parse_question(question, NOW, VIENNA).window
    assert (shown(window, VIENNA) if window else "") == days


@pytest.mark.parametrize("question", NO_TIME.split("|"))
def test_such_words_are_no_time_elsewhere(question: str) -> None:
    assert parse_question(question, NOW, VIENNA).window is None


def test_up_to_today_says_what_somebody_did_and_no_bound() -> None:
    window = parse_question("what have I been up to today?", NOW, VIENNA).window
    assert window and shown(window, VIENNA) == "2026-11-22"
