"""Questions tell times as people do; each means the days that a calendar on the asker's wall would show."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.when.days import EARLIEST
from memory.index.when.question_times import parse_question
from memory.index.when.values import Window
from memory.text.time.times import instant, local
from tests.kits.memory_kit import HOUR, START
from tests.kits.size import examples
from tests.kits.tabled import tabled

VIENNA, ANGELES, AUCKLAND = "Europe/Vienna", "America/Los_Angeles", "Pacific/Auckland"
few = settings(max_examples=examples(100))


def told(question: str, now: int = START, zone: str = VIENNA) -> str:
    """Return the window of a question as its first and its last day, or as local times; '' for none, … for no end."""
    window = parse_question(question, now, zone).window
    return shown(window, zone) if window else ""


def shown(window: Window, zone: str) -> str:
    if window.start == EARLIEST:
        return f"… {local(window.end - 1, zone).date()}"
    start, end = local(window.start, zone), local(window.end, zone)
    if (start.hour, start.minute, end.hour, end.minute) != (0, 0, 0, 0):
        return f"{start:%Y-%m-%dT%H:%M} {end:%Y-%m-%dT%H:%M}"
    first, last = start.date(), end.date() - timedelta(days=1)
    return f"{first}" if first == last else f"{first} {last}"


ENGLISH = tabled("when", "english")


@pytest.mark.parametrize(("question", "days"), ENGLISH.items())
def test_a_question_asks_about_the_days_that_it_names(question: str, days: str) -> None:
    assert told(question) == days


OTHERS = tabled("when", "others")


@pytest.mark.parametrize(
    ("question", "days"), [(question, days) for days, questions in OTHERS.items() for question in questions.split("|")]
)
def test_the_commonest_are_understood_in_other_languages(question: str, days: str) -> None:
    assert told(question) == days


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Die letzte finde ich gut", ""),
        ("Diesen finde ich hässlich", ""),
        ("Woche pro Person", ""),
        ("was kostet Montag pro Person", "2026-03-02"),
    ],
)
def test_a_german_word_is_no_short_one_of_french_or_spanish(question: str, days: str) -> None:
    assert told(question) == days


@pytest.mark.parametrize(("question", "angeles", "auckland"), tabled("when", "asker_s_own"))
def test_a_day_is_the_asker_s_own(question: str, angeles: str, auckland: str) -> None:
    assert told(question, zone=ANGELES) == angeles
    assert told(question, zone=AUCKLAND) == auckland


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (VIENNA, "2026-03-28", 24),
        (VIENNA, "2026-03-29", 23),
        (VIENNA, "2026-10-25", 25),
        (ANGELES, "2026-03-08", 23),
        (ANGELES, "2026-11-01", 25),
        (AUCKLAND, "2026-04-05", 25),
        (AUCKLAND, "2026-09-27", 23),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("America/Sao_Paulo", "2018-11-04", 23),  # begins at one o'clock
        ("America/Havana", "2026-11-01", 25),  # midnight comes twice
        ("America/St_Johns", "2010-11-06", 25),  # 23:01 to 24:00 comes again, after a minute of the next day
        ("America/Toronto", "1919-03-31", 23.5),  # begins at half past midnight
    ],
)
def test_a_day_lasts_from_midnight_to_midnight_by_the_clock_on_the_wall(zone: str, day: str, hours: float) -> None:
    window = parse_question(day, START, zone).window
    assert window is not None and (window.end - window.start) / HOUR == pytest.approx(hours, abs=0.02)


def test_yesterday_over_a_change_of_the_clock_is_that_whole_day() -> None:
    window = parse_question("yesterday", instant(datetime(2026, 3, 30, 0, 30, tzinfo=ZoneInfo(VIENNA))), VIENNA).window
    assert window is not None and window.end - window.start == 23 * HOUR
    assert shown(window, VIENNA) == "2026-03-29"


def test_a_day_that_a_zone_never_had_has_no_window() -> None:
    assert parse_question("on 30 December 2011", START, "Pacific/Apia").window is None
    assert told("on 31 December 2011", zone="Pacific/Apia") == "2011-12-31"


@few
@given(st.sampled_from(sorted(available_timezones() - {"localtime"})), st.integers(-2_000_000_000, 4_000_000_000))
def test_every_moment_lies_in_its_day_and_in_no_day_that_is_not_beside(zone: str, seconds: int) -> None:
    at = seconds * 1_000_000
    today = local(at, zone).date()
    holding = []
    for away in range(-2, 3):
        window = parse_question((today + timedelta(days=away)).strftime("on %d %B %Y"), START, zone).window
        if window and window.start <= at < window.end:
            holding.append(away)
    assert 0 in holding and len(holding) <= 2


def test_easter_is_on_its_sunday() -> None:
    for year, day in ((1961, "04-02"), (2000, "04-23"), (2008, "03-23"), (2024, "03-31"), (2025, "04-20"), (2038, "04-25")):
        sunday = date.fromisoformat(f"{year}-{day}")
        assert told(f"Easter {year}") == f"{sunday - timedelta(days=2)} {sunday + timedelta(days=1)}"
