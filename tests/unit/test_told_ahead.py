"""A weekday of which somebody says what is still to be done is the next one, and so is one about whose plans they ask."""

import pytest

from memory.index.when.told_times import asked_ahead, times_told
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
    "I'd like to see Eva on Sunday", "Ich habe Ben versprochen, ihm am Samstag beim Umzug zu helfen",
]  # fmt: skip
OVER = [
    "I promised Ben on Saturday to help him", "I should have called mum on Sunday", "Eva came on Tuesday", "We met on Sunday",
    "I needed the car on Monday", "I must have lost it on Saturday", "Ich war am Montag beim Zahnarzt",
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
