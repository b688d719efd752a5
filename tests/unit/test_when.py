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


ENGLISH = {
    # Days, and parts of them. Now is Tuesday, 2026-03-03, 13:00.
    "what did I say today?": "2026-03-03",
    "what did I say earlier today?": "2026-03-03",
    "and yesterday": "2026-03-02",
    "the day before yesterday": "2026-03-01",
    "what is planned for tomorrow": "2026-03-04",
    "the day after tomorrow": "2026-03-05",
    "what did I eat this morning": "2026-03-03T04:00 2026-03-03T12:00",
    "what are we doing tonight": "2026-03-03T18:00 2026-03-04T06:00",
    "what did I dream last night": "2026-03-02T18:00 2026-03-03T06:00",
    "yesterday evening": "2026-03-02T17:00 2026-03-03T00:00",
    "on Monday morning": "2026-03-02T04:00 2026-03-02T12:00",
    "on the evening of 7 July, 2023": "2023-07-07T17:00 2023-07-08T00:00",
    # Some time ago: a quarter of the distance is left open.
    "2 hours ago": "2026-03-03T10:30 2026-03-03T11:30",
    "three days ago": "2026-02-28",
    "two weeks ago": "2026-02-14 2026-02-20",
    "a couple of weeks ago": "2026-02-10 2026-02-24",
    "a few days ago": "2026-02-27 2026-03-01",
    "twelve months ago": "2024-12-02 2025-06-02",
    "a year ago": "2024-12-02 2025-06-02",
    "a year ago today": "2025-03-03",
    "half a year ago": "2025-07-20 2025-10-18",
    "twenty-three days ago": "2026-02-03 2026-02-13",
    "two weekends ago": "2026-02-21 2026-02-22",
    # Until now.
    "in the last 3 days": "2026-02-28 2026-03-03",
    "over the past two weeks": "2026-02-17 2026-03-03",
    "in the past few days": "2026-02-27 2026-03-03",
    "in the last month": "2026-02-03 2026-03-03",
    "in the last 24 hours": "2026-03-02T13:00 2026-03-03T13:00",
    "the other day": "2026-02-17 2026-03-03",
    # This, last and next.
    "this week": "2026-03-02 2026-03-08",
    "last week": "2026-02-23 2026-03-01",
    "the week before last": "2026-02-16 2026-02-22",
    "last week's trip": "2026-02-23 2026-03-01",
    "next week": "2026-03-09 2026-03-15",
    "last weekend": "2026-02-28 2026-03-01",
    "this past weekend": "2026-02-28 2026-03-01",
    "this weekend": "2026-03-07 2026-03-08",
    "at the weekend": "2026-02-28 2026-03-01",
    "last month": "2026-02-01 2026-02-28",
    "next month": "2026-04-01 2026-04-30",
    "last quarter": "2025-10-01 2025-12-31",
    "this year": "2026-01-01 2026-12-31",
    "last year": "2025-01-01 2025-12-31",
    # Weekdays.
    "last Tuesday": "2026-02-24",
    "on Tuesday": "2026-03-03",
    "on Monday": "2026-03-02",
    "on Wed": "2026-02-25",
    "What did we eat Sunday?": "2026-03-01",
    "what did I say in Friday's meeting": "2026-02-27",
    "next Friday": "2026-03-06",
    "on Monday last week": "2026-02-23",
    "last weekend before April 10, 2023": "2023-04-08 2023-04-09",
    # Months, seasons, quarters, years.
    "in March": "2026-03-01 2026-03-31",
    "in April": "2025-04-01 2025-04-30",
    "last March": "2025-03-01 2025-03-31",
    "next March": "2027-03-01 2027-03-31",
    "this May": "2026-05-01 2026-05-31",
    "in may": "2025-05-01 2025-05-31",
    "March 2023": "2023-03-01 2023-03-31",
    "in Sept. 2023": "2023-09-01 2023-09-30",
    "in March last year": "2025-03-01 2025-03-31",
    "in 2023": "2023-01-01 2023-12-31",
    "in early 2023": "2023-01-01 2023-04-30",
    "mid-2023": "2023-05-01 2023-08-31",
    "late 2023": "2023-09-01 2023-12-31",
    "early March": "2026-03-01 2026-03-10",
    "at the end of January": "2026-01-21 2026-01-31",
    "the last week of March 2023": "2023-03-25 2023-03-31",
    "the first weekend of May": "2025-05-03 2025-05-04",
    "last summer": "2025-06-01 2025-08-31",
    "in the fall": "2025-09-01 2025-11-30",
    "in the autumn of 2024": "2024-09-01 2024-11-30",
    "in the summer of '23": "2023-06-01 2023-08-31",
    "spring 2024": "2024-03-01 2024-05-31",
    "this winter": "2025-12-01 2026-02-28",
    "winter 2023/24": "2023-12-01 2024-02-29",
    "Q2 2023": "2023-04-01 2023-06-30",
    "in the second quarter of 2023": "2023-04-01 2023-06-30",
    # Dates.
    "on 5 March": "2025-03-05",
    "on March 3rd": "2026-03-03",
    "March 5th, 2024": "2024-03-05",
    "the fifth of March 2024": "2024-03-05",
    "on Monday, March 2nd": "2026-03-02",
    "on February 29": "2024-02-29",
    "on the 5th": "2026-02-05",
    "the 5th of last month": "2026-02-05",
    "2023-03-05": "2023-03-05",
    "05.03.2023": "2023-03-05",
    "13/5/2023": "2023-05-13",
    "5/13/2023": "2023-05-13",
    "3/5/2023": "2023-05-03",
    "what did I do on the 14th of May?": "2025-05-14",
    "on Friday the 14th of March": "2025-03-14",
    "March 5-9, 2023": "2023-03-05 2023-03-09",
    "the week of March 5, 2023": "2023-02-27 2023-03-05",
    # Ranges and bounds.
    "between March and May": "2025-03-01 2025-05-31",
    "between March and May 2023": "2023-03-01 2023-05-31",
    "between 5 and 9 March 2023": "2023-03-05 2023-03-09",
    "from November to February": "2025-11-01 2026-02-28",
    "from Monday to Wednesday": "2026-02-23 2026-02-25",
    "from 2021 to 2023": "2021-01-01 2023-12-31",
    "in the first half of 2023": "2023-01-01 2023-06-30",
    "in 2021-2023": "2021-01-01 2023-12-31",
    "in March and April": "2025-03-01 2025-04-30",
    "in 2023 before March": "2023-01-01 2023-02-28",
    "since January": "2026-01-01 2026-03-03",
    "since last week": "2026-02-23 2026-03-03",
    "since January until now": "2026-01-01 2026-03-03",
    "until January": "… 2026-01-31",
    "before 2023": "… 2022-12-31",
    "after March 2023": "2023-04-01 2026-03-03",
    "two weeks before August 11, 2023": "2023-07-25 2023-07-31",
    "the week before August 3, 2023": "2023-07-27 2023-08-02",
    "just after Christmas": "2025-12-27 2026-01-09",
    # Feasts.
    "at Christmas": "2025-12-24 2025-12-26",
    "on Christmas Eve": "2025-12-24",
    "on New Year's Eve": "2025-12-31",
    "on New Year’s Day": "2026-01-01",
    "on Halloween": "2025-10-31",
    "over Easter": "2025-04-18 2025-04-21",
    "last Thanksgiving": "2025-11-27",
    "on Valentine's Day": "2026-02-14",
    "at New Year": "2025-12-31 2026-01-01",
    "New Year 2024": "2023-12-31 2024-01-01",
    "on Good Friday 2024": "2024-03-29",
    "Christmas 2023": "2023-12-24 2023-12-26",
    "the day after Christmas": "2025-12-27",
    # Plans.
    "what will I do in two weeks": "2026-03-14 2026-03-20",
    "the next two weeks": "2026-03-03 2026-03-17",
    # What was told from now tells more than a date that the question is about.
    "what did I say last week about the trip in March 2023": "2026-02-23 2026-03-01",
}


@pytest.mark.parametrize(("question", "days"), ENGLISH.items())
def test_a_question_asks_about_the_days_that_it_names(question: str, days: str) -> None:
    assert told(question) == days


OTHERS = {
    "2026-03-02": "gestern|hier|ayer|ieri|ontem|gisteren|am Montag|le lundi|lundi|el lunes|lunedì|segunda-feira|op maandag",
    "2026-03-01": "vorgestern|avant-hier|avant hier|anteayer|l'altro ieri|anteontem|eergisteren",
    "2026-03-03": "heute|aujourd’hui|aujourdhui|hoy|oggi|hoje|vandaag",
    "2026-03-04": "was machen wir morgen|demain|mañana|domani|amanhã",
    "2026-02-23 2026-03-01": "letzte Woche|la semaine dernière|la semana pasada|la settimana scorsa|semana passada|vorige week",
    "2026-02-01 2026-02-28": "letzten Monat|le mois dernier|el mes pasado|il mese scorso|mês passado|vorige maand",
    "2025-01-01 2025-12-31": "letztes Jahr|im letzten Jahr|l’année dernière|l'an dernier|el año pasado|l'anno scorso|ano passado|vorig jaar",
    "2026-02-14 2026-02-20": "vor zwei Wochen|il y a deux semaines|hace dos semanas|due settimane fa|há duas semanas|twee weken geleden",
    "2024-12-02 2025-06-02": "vor einem Jahr|il y a un an|hace un año|un anno fa|há um ano|een jaar geleden",
    "2025-08-01 2025-08-31": "im August|en août|en agosto|in agosto|em agosto|in augustus",
    "2023-03-01 2023-03-31": "im März 2023|en mars 2023|en marzo de 2023|nel marzo 2023|em março de 2023|in maart 2023|im Ma\u0308rz 2023",
    "2023-01-01 2023-12-31": "in 2023|im Jahr 2023|en 2023|nel 2023|em 2023",
    "2023-03-05": "am 5. März 2023|le 5 mars 2023|el 5 de marzo de 2023|5 marzo 2023|5 de março de 2023|op 5 maart 2023|am 5.3.23",
    "2026-03-09 2026-03-15": "la semana que viene|la semana q viene|la semaine qui vient|la semaine pro",
    "2026-03-09": "el lunes que viene|lundi pro",
    "2026-04-01 2026-04-30": "el mes que viene|le mois qui vient",
    "2026-03-07 2026-03-08": "este finde|ce week end",
    "2026-02-28 2026-03-01": "el finde pasado|le week end dernier",
    "2025-12-31": "new years eve|on nye",
    "2026-01-01": "on new years day|en año nuevo",
    "2026-02-14": "on valentines day|en san valentín",
    "2026-03-05": "après demain|apres demain",
    "2026-03-06": "dentro de 3 días",
    "2023-09-03 2024-09-01": "il y a deux ans|y a 2 ans|y'a deux ans",
    "2026-02-28 2026-03-03": "in den letzten drei Tagen|los últimos 3 días",
}


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


@pytest.mark.parametrize(
    ("question", "angeles", "auckland"),
    [
        ("today", "2026-03-03", "2026-03-04"),
        ("yesterday", "2026-03-02", "2026-03-03"),
        ("last night", "2026-03-02T18:00 2026-03-03T06:00", "2026-03-03T18:00 2026-03-04T06:00"),
        ("on Wednesday", "2026-02-25", "2026-03-04"),
        ("last week", "2026-02-23 2026-03-01", "2026-02-23 2026-03-01"),
        ("in the last 3 days", "2026-02-28 2026-03-03", "2026-03-01 2026-03-04"),
        ("on 4 March", "2025-03-04", "2026-03-04"),
        ("in 2023", "2023-01-01 2023-12-31", "2023-01-01 2023-12-31"),
        ("last summer", "2025-06-01 2025-08-31", "2025-06-01 2025-08-31"),
    ],
)
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
