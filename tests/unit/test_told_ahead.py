"""The times that messages tell of: a weekday of what is still to be done is the next one, in English, German and seven further languages."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.index.when.further_languages import in_english
from memory.index.when.told_times import MOST_CHARACTERS, asked_ahead, asks_ahead, times_told
from tests.kits.memory_kit import utc
from tests.kits.steps import steps
from tests.kits.tabled import tabled

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
        ("I quit smoking on 3 December", 2025), ("the receipt of 3 December", 2025), ("Rechnung vom 3. Dezember", 2025), ("la factura del 3 de diciembre", 2025), ("Termin vom 3. Dezember", 2026),
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


SETS = Path(__file__).parents[1] / "sets" / "times"
MESSAGES = [
    json.loads(line)
    for name in ("told_further_languages.jsonl", "told_further_languages_unseen.jsonl", "told_further_languages_further.jsonl")
    for line in (SETS / name).read_text("utf-8").splitlines()
]
NOW = utc("2026-11-04 18:00")


def days(text: str, said: int = NOW) -> list[tuple[str, str]]:
    """Return the first and the last day of each time that a message tells of."""
    return [(_day(time.start), _day(time.end - 1)) for time in times_told(text, said, "UTC").times]


def _day(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1_000_000, UTC).date().isoformat()


@pytest.mark.parametrize("language", sorted({one["language"] for one in MESSAGES}))
@pytest.mark.parametrize("tells", [True, False])
def test_what_a_message_tells_of_is_read_and_nothing_else(language: str, tells: bool) -> None:
    said = [one for one in MESSAGES if one["language"] == language and (one["first"] is not None) == tells]
    found = {one["text"]: days(one["text"], utc(one["said"].replace("T", " "))) for one in said}
    assert said and found == {one["text"]: [(one["first"], one["last"])] if tells else [] for one in said}


def test_a_quoted_time_is_not_placed_and_one_beside_it_is() -> None:
    assert days("他说「明天我来」。") == days("Она сказала: «Завтра приду».") == []
    assert days("昨天我们看了《后天》。") == [("2026-11-03", "2026-11-03")]


def test_each_sentence_tells_of_its_own_time() -> None:
    yesterday, tomorrow = ("2026-11-03", "2026-11-03"), ("2026-11-05", "2026-11-05")
    assert days("Вчера был дождь. Завтра едем в Тулу!") == [yesterday, tomorrow]
    assert days("昨天下雨。明天我们去爬山。") == [yesterday, tomorrow]
    assert days("هل رأيته أمس؟ غدا عندي امتحان.") == [tomorrow]


@pytest.mark.parametrize(
    "text",
    [
        "Через два дня мы уехали.",
        "三天后我们走了。",
        "去年から日本にいます",
        "منذ العام الماضي أعيش هنا",
        "يوم الثلاثاء استشارات مجانية",
    ],
)
def test_a_distance_in_what_is_over_and_a_beginning_are_not_placed(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(("text", "english"), tabled("when", "numbers"))
def test_numbers_of_two_words_are_read_whole_and_others_not_at_all(text: str, english: str) -> None:
    assert in_english(text).strip() == english


@pytest.mark.parametrize("text", ["一", "ą", "昨天。", "вчера ", "이십 ", "on iki ", "بعد ثلاثة ", "«昨天", "火曜日は", "استلم"])
def test_what_reading_costs_grows_with_the_text_alone(text: str) -> None:
    short, long = ((text * MOST_CHARACTERS)[:length] for length in (MOST_CHARACTERS // 4, 10 * MOST_CHARACTERS))
    few = steps(lambda: times_told(short, NOW, "UTC"))
    assert steps(lambda: times_told(long, NOW, "UTC"), warm=True) <= 6 * few
