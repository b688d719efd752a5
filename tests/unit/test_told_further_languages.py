"""The times that messages in seven further languages tell of, and those that tell of none: questions, habits, days that nothing places."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.index.when.further_languages import in_english
from memory.index.when.told_times import MOST_CHARACTERS, times_told
from tests.kits.memory_kit import utc
from tests.kits.steps import steps
from tests.kits.tabled import tabled

SETS = Path(__file__).parents[1] / "sets" / "times"
MESSAGES = [
    json.loads(line)
    for name in (
        "told_further_languages.jsonl",
        "told_further_languages_unseen.jsonl",
        "told_further_languages_further.jsonl",
    )
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
