"""A weekday of which somebody says what is still to be done is the next one, and so is one about whose plans they ask."""

import pytest

from memory.index.when.told_times import asked_ahead, asks_ahead, times_told
from tests.kits.memory_kit import utc

FRIDAY = utc("2026-11-27T15:00")
NEXT = {"Saturday": "2026-11-28", "Sunday": "2026-11-29", "Monday": "2026-11-30", "Tuesday": "2026-12-01"}
LAST = {"Saturday": "2026-11-21", "Sunday": "2026-11-22", "Monday": "2026-11-23", "Tuesday": "2026-11-24"}
GERMAN = {"Samstag": "Saturday", "Montag": "Monday"}


def day(text: str, days: dict[str, str]) -> int:
    """Return when the day begins that a text names."""
    return next(
        utc(f"{at}T00:00") for name, at in days.items() for word in text.strip("?").split() if GERMAN.get(word, word) == name
    )


COMING = [
    "I promised Ben to help him move on Saturday", "I need to call the bank on Monday", "I must call the bank on Monday",
    "I should call mum on Sunday", "We agreed to meet on Sunday", "Ben invited us to dinner on Sunday", "Eva comes on Tuesday",
    "don't forget the dentist on Monday", "I bought tickets for the concert on Sunday", "I can't come on Sunday",
    "I'd like to see Eva on Sunday", "dentist appointment on Monday", "Friseurtermin am Samstag", "Ich habe Ben versprochen, ihm am Samstag beim Umzug zu helfen",
]  # fmt: skip
OVER = [
    "I promised Ben on Saturday to help him", "I should have called mum on Sunday", "Eva came on Tuesday", "We met on Sunday",
    "I needed the car on Monday", "the appointment on Monday was short", "lovely dinner on Sunday", "I must have lost it on Saturday", "Ich war am Montag beim Zahnarzt",
]  # fmt: skip


@pytest.mark.parametrize(("text", "days"), [*((text, NEXT) for text in COMING), *((text, LAST) for text in OVER)])
def test_what_is_still_to_come_is_told_of_the_next_such_day_and_what_was_of_the_last(text: str, days: dict[str, str]) -> None:
    (window,) = times_told(text, FRIDAY, "UTC").times
    assert window.start == day(text, days)


@pytest.mark.parametrize(
    "question",
    [
        "what am I doing on Saturday?", "what do I have to do on Monday?", "what do we have on Sunday?", "am I free on Sunday?",
        "do I have anything on Monday?", "is there anything on Monday?", "who am I meeting on Tuesday?", "who comes on Tuesday?",
        "what's happening on Monday?", "what are my plans for Sunday?", "any plans on Saturday?", "was mache ich am Samstag?", "was muss ich am Montag machen?", "habe ich am Montag einen Termin?",
    ],
)  # fmt: skip
def test_who_asks_for_plans_means_the_next_such_day_and_else_the_last(question: str) -> None:
    window = asked_ahead(question, FRIDAY, "UTC").window
    assert window and window.start == day(question, NEXT) and window.instead and window.instead.start == day(question, LAST)


@pytest.mark.parametrize(
    "question", ["what are my plans for the weekend?", "what are my plans on the weekend?", "was mache ich am Wochenende?"]
)
def test_plans_for_the_weekend_are_those_of_the_next(question: str) -> None:
    window = asked_ahead(question, FRIDAY, "UTC").window
    assert window and (window.start, window.end) == (utc("2026-11-28T00:00"), utc("2026-11-30T00:00"))


@pytest.mark.parametrize("question", ["what did I do on Monday?", "where was I on Monday?", "was habe ich am Montag gemacht?"])
def test_who_asks_what_was_means_the_last(question: str) -> None:
    window = asked_ahead(question, FRIDAY, "UTC").window
    assert window and window.start == day(question, LAST)


@pytest.mark.parametrize(
    ("note", "year"),
    [
        ("dentist 3 December at 9", 2026), ("rdv dermato le 3 décembre à 9h15, dr amrani", 2026), ("cita dentista el 3 de diciembre", 2026),
        ("dentist on January 3rd", 2027), ("we met on December 3rd", 2025), ("born on 3 December", 2025),
        ("the party on December 3rd was great", 2025), ("lovely dinner on 3 October", 2026), ("lovely dinner on 3 March", 2026),
        ("the receipt of 3 December", 2025), ("Rechnung vom 3. Dezember", 2025), ("la factura del 3 de diciembre", 2025), ("Termin vom 3. Dezember", 2026),
    ],
)  # fmt: skip
def test_a_note_of_a_day_in_the_next_two_months_is_of_that_day(note: str, year: int) -> None:
    (window,) = times_told(note, FRIDAY, "UTC").times
    assert window.start in [utc(f"{year}-{month:02}-03T00:00") for month in range(1, 13)]


@pytest.mark.parametrize(
    "question", ["quoi de prévu aujourd'hui ?", "on fait quoi aujourd'hui", "qué tengo hoy", "what is planned today?"]
)
def test_who_asks_for_the_plans_of_today_asks_ahead(question: str) -> None:
    window = asked_ahead(question, FRIDAY, "UTC").window
    assert window and asks_ahead(question, window, FRIDAY)


@pytest.mark.parametrize(
    "habit", ["judo le mercredi à 14h", "cours d'espagnol tous les mardis", "yoga los martes", "piano every Thursday"]
)
def test_a_habit_tells_of_no_day(habit: str) -> None:
    assert times_told(habit, FRIDAY, "UTC").times == ()
