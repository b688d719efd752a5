"""A question is taken apart: what is no time stays, what is one goes; an event is named, and the present told from the past."""

import re
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.question_times import parse_question
from memory.index.when.vocabulary import LEXICON
from memory.text.time.times import instant
from tests.kits.memory_kit import DAY, START
from tests.kits.steps import steps
from tests.kits.tabled import tabled
from tests.unit.test_when import ANGELES, AUCKLAND, ENGLISH, VIENNA, few, shown, told

NO_TIME = tabled("when", "no_time")


@pytest.mark.parametrize("question", [one for line in NO_TIME.strip().splitlines() for one in line.split("|")])
def test_what_only_looks_like_a_time_is_none_and_stays(question: str) -> None:
    found = parse_question(question, START, VIENNA)
    assert (found.window, found.around, found.rest) == (None, None, question)


@pytest.mark.parametrize(("question", "anchor", "low", "high"), tabled("when", "beside_an_event"))
def test_a_time_beside_an_event_is_told_from_that(question: str, anchor: str, low: float, high: float) -> None:
    around = parse_question(question, START, VIENNA).around
    assert around is not None and (around.anchor, around.low / DAY, around.high / DAY) == (anchor, low, high)


def test_a_month_after_an_event_is_about_thirty_days() -> None:
    around = parse_question("a month after we met", START, VIENNA).around
    assert around is not None and around.anchor == "we met"
    assert 22 * DAY < around.low < 23 * DAY and 38 * DAY < around.high < 39 * DAY


def test_an_event_and_a_time_may_be_told_together() -> None:
    found = parse_question("What did I plan before the wedding in June?", START, VIENNA)
    assert found.around is not None and found.around.anchor == "the wedding" and found.rest == "What did I plan the wedding?"
    assert found.window is not None and shown(found.window, VIENNA) == "2025-06-01 2025-06-30"


@pytest.mark.parametrize(("question", "rest"), tabled("when", "the_rest"))
def test_the_rest_is_the_question_without_its_time(question: str, rest: str) -> None:
    assert parse_question(question, START, VIENNA).rest == rest


NOW = """Where do I live?|what is my job?|What's my sister's name?|Which car does Ada drive now?|where do I currently live|do I still smoke?
what are we doing these days|who am I dating at the moment|what is my latest project|my current job|where do I live today?|Wo wohne ich jetzt?
what has Ada been reading lately?|when did I last see Ada?|which of my cats are still alive?|what is planned for today?"""
NOT_NOW = """Where did I live?|what was my job?|What is my first memory?|where do I always eat|where did I use to live|what do I ever eat?
where I used to live|what have I told you?|What did I say just now?|what is the name of the cat I had in 2023?|where am I going tomorrow?
what was my job originally?|where did I live before the move?|what is currently planned in August 2024?|who came?|Have I ever been to Rome?|"""


@pytest.mark.parametrize(("questions", "now"), [(NOW, True), (NOT_NOW, False)])
def test_what_is_so_now_is_told_from_what_was(questions: str, now: bool) -> None:
    for question in re.split(r"[|\n]", questions):
        assert parse_question(question, START, VIENNA).now is now, question


def test_today_may_mean_nowadays() -> None:
    assert told("where do I live today?") == "" and told("where did I go today?") == "2026-03-03"


words = st.sampled_from(
    sorted(word.replace("_", " ") for word in LEXICON) + [*"?,.-'’\"", "2023", "5", "5th", "Ada", "3/5/2023", "30.2."]
)
texts = st.text(max_size=80) | st.lists(words, max_size=12).map(" ".join) | st.lists(words, max_size=8).map("".join)
moments = st.integers(EARLIEST, LATEST) | st.integers(-(2**63), 2**63) | st.just(START)


@few
@given(texts, moments, st.sampled_from([VIENNA, ANGELES, AUCKLAND, "Pacific/Apia", "Africa/Monrovia", "UTC"]))
def test_any_text_at_any_time_is_taken_apart_into_ordered_windows_and_its_own_words(text: str, now: int, zone: str) -> None:
    found = parse_question(text, now, zone)
    if found.window:
        assert EARLIEST <= found.window.start < found.window.end <= LATEST
    if found.around:
        assert found.around.low < found.around.high and found.around.anchor.strip()
    if not found.window and not found.around and not found.now:
        assert found.rest == text
    assert len(found.rest) <= len(text)


@pytest.mark.parametrize("year", [1, 2, 9997, 9998])
def test_at_the_ends_of_the_calendar_windows_end_there(year: int) -> None:
    for question in ENGLISH:
        for zone in (VIENNA, ANGELES, AUCKLAND):
            window = parse_question(question, instant(datetime(year, 12, 31, 23, tzinfo=UTC)), zone).window
            assert window is None or EARLIEST <= window.start < window.end <= LATEST


def test_a_zone_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        parse_question("yesterday", START, "Mars/Olympus")


@pytest.mark.parametrize("repeated", ['"', "a ", "in 2023 ", " ", "1-", "«", "b="])
def test_reading_takes_steps_with_the_length_of_a_text_and_of_a_very_long_one_no_more(repeated: str) -> None:
    text = (repeated * 100_000)[:100_000]
    short = steps(partial(parse_question, text[:1_000], START, VIENNA))
    usual, long = (steps(partial(parse_question, text[:n], START, VIENNA), warm=True) for n in (4_000, 100_000))
    assert usual < 5 * short and long < 1.1 * usual


def test_a_usual_question_costs_next_to_nothing() -> None:
    for question in (
        "What is my sister's name?",
        "What did I tell you about Turing two weeks before the move?",
        "who came in March?",
    ):
        assert steps(partial(parse_question, question, START, VIENNA)) < 10_000
