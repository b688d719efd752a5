"""Yesterday, three days ago, in March: the times that questions tell in seven further languages."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory.index.when.further_languages import in_english
from memory.index.when.told_times import asked_ahead
from tests.kits.memory_kit import DAY, HOUR, among, aside, utc
from tests.kits.tabled import tabled

SETS = Path(__file__).parents[1] / "sets" / "times"
NOW = utc("2026-10-22 20:00")
QUESTIONS, AHEAD = (
    [json.loads(line) for line in (SETS / name).read_text("utf-8").splitlines()]
    for name in ("further_languages.jsonl", "further_languages_ahead.jsonl")
)


def days(question: str) -> tuple[date, date] | None:
    """Return the first and the last day that a question asks about."""
    window = asked_ahead(question, NOW, "UTC").window
    return (_day(window.start), _day(window.end - 1)) if window else None


def _day(instant: int) -> date:
    return datetime.fromtimestamp(instant / 1_000_000, UTC).date()


@pytest.mark.parametrize("language", sorted({one["language"] for one in QUESTIONS}))
def test_every_question_asks_for_its_days(language: str) -> None:
    asked = [one for one in [*QUESTIONS, *AHEAD] if one["language"] == language]
    wanted = [(date.fromisoformat(one["first"]), date.fromisoformat(one["last"])) for one in asked]
    assert [days(one["question"]) for one in asked] == wanted


@pytest.mark.parametrize(("question", "first", "last"), tabled("when", "further_forms"))
def test_further_forms(question: str, first: str, last: str) -> None:
    assert days(question) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(("question", "year"), tabled("when", "without_a_year"))
def test_a_day_without_its_year_is_a_near_one_to_come_unless_it_is_asked_about_as_over(question: str, year: int) -> None:
    read = days(question)
    assert read and read[0] == read[1] and (read[0].year, read[0].day) == (year, 3)


@pytest.mark.parametrize(("question", "day"), tabled("when", "weekdays_to_come"))
def test_a_weekday_that_is_asked_about_as_to_come_is_the_next_one(question: str, day: str) -> None:
    assert days(question) == (date.fromisoformat(day), date.fromisoformat(day))


def test_numbers_are_read_in_words() -> None:
    assert in_english("二十一天前我在哪里").split() == ["21", "days", "ago", "我在哪里"]
    assert in_english("пять недель назад").split() == in_english("قبل خمسة أسابيع").split() == "5 weeks ago".split()


@pytest.mark.parametrize(
    "text",
    [
        "前に言った本はどこ？", "Gdzie jest mój rower?", "Ocak nerede?", "Was hat Jürgen über Zürich gesagt?", "Где мой велосипед?", "三年级的老师是谁？",
        "Salı pazarı nerede?", "Where did I go in Zürich?", "وين كتابي؟", "내 자전거 어디 있어?",
    ],
)  # fmt: skip
def test_a_text_without_a_time_stays_as_it_is(text: str) -> None:
    assert in_english(text) == text and days(text) is None


@pytest.mark.parametrize(
    ("question", "meals"),
    [
        ("昨日は何を食べた？", ("夕食にカレーを食べた", "夕食に寿司を食べた")),
        ("Что я ел вчера?", ("Я ел борщ на ужин", "Я ел пельмени на ужин")),
        ("Co jadłam wczoraj?", ("Jadłam pierogi na obiad", "Jadłam bigos na obiad")),
    ],
)
async def test_what_was_said_then_is_found_first(tmp_path: Path, question: str, meals: Sequence[str]) -> None:
    then, earlier = meals
    async with among(tmp_path) as here:
        now = here.clock.now()
        for back in range(9, 1, -1):
            await aside(here, f"Ada: {earlier}", at=now - back * DAY)
        wanted = await aside(here, f"Ada: {then}", at=now - DAY + HOUR)
        assert (await here.view.recall.messages(question, 1))[0].exchange == wanted
