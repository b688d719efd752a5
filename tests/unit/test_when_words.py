"""Holidays, weekdays, parts of the day, what is counted back to, and dates that no year has: each means a day or nothing."""

import pytest

from memory.index.when.question_times import parse_question
from memory.text.time.times import local
from tests.kits.memory_kit import START
from tests.kits.tabled import tabled
from tests.unit.test_when import ANGELES, VIENNA, shown, told

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


@pytest.mark.parametrize("day", ["31st of February", "31 February", "31. Februar", "31st of April", "30th of February 2025"])
@pytest.mark.parametrize("asking", ["what did I do on the {}?", "on the {}", "Was habe ich am {} gemacht?", "{}"])
def test_a_day_that_no_year_has_is_no_time(asking: str, day: str) -> None:
    assert told(asking.format(day)) == ""


def test_a_date_of_two_readings_is_one_day_the_usual_one_unless_only_the_other_is_past() -> None:
    assert (told("on 03/04/2025"), told("on 03/04/2025", zone=ANGELES)) == ("2025-04-03", "2025-03-04")
    assert (told("on 02/07/2026"), told("on 02/13/2026")) == ("2026-02-07", "2026-02-13")
    window = parse_question("on 03/04/2025", START, VIENNA).window
    assert window and window.instead and shown(window.instead, VIENNA) == "2025-03-04"


@pytest.mark.parametrize(
    ("question", "day"),
    [("a year ago", "2025-03-03"), ("100 days ago", "2025-11-23"), ("vor zwei Wochen", "2026-02-17"), ("a few weeks ago", "")],
)
def test_a_distance_that_is_no_vague_one_comes_nearest_to_one_day(question: str, day: str) -> None:
    window = parse_question(question, START, VIENNA).window
    assert window is not None
    assert (f"{local(window.heart, VIENNA).date()}" if window.heart is not None else "") == day
