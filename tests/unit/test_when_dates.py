"""Dates that no year has, dates of two readings, and distances: each means a day or nothing, never months."""

import pytest

from memory.index.when.question_times import parse_question
from memory.text.time.times import local
from tests.kits.memory_kit import START
from tests.unit.test_when import ANGELES, VIENNA, shown, told


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
