"""Yesterday, three days ago, in March: the times that questions tell in seven further languages."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory.index.when.further_languages import in_english
from memory.index.when.told_times import asked_ahead
from tests.kits.memory_kit import DAY, HOUR, among, aside, utc

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


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("十二月我们去了哪里？", "2025-12-01", "2025-12-31"),
        ("上周末我做了什么？", "2026-10-17", "2026-10-18"),
        ("지난 주말에 뭐 했어?", "2026-10-17", "2026-10-18"),
        ("Что было на прошлых выходных?", "2026-10-17", "2026-10-18"),
        ("ماذا حدث قبل يومين؟", "2026-10-20", "2026-10-20"),
        ("Geçen hafta sonu ne yaptım?", "2026-10-17", "2026-10-18"),
        ("上上周五我做了什么？", "2026-10-09", "2026-10-09"),
        ("再来週の月曜日は何？", "2026-11-02", "2026-11-02"),
        ("다다음 주 월요일에 뭐 해?", "2026-11-02", "2026-11-02"),
        ("大后天谁来？", "2026-10-25", "2026-10-25"),
        ("Где мы были в позапрошлом году?", "2024-01-01", "2024-12-31"),
    ],
)
def test_further_forms(question: str, first: str, last: str) -> None:
    assert days(question) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("question", "year"),
    [
        ("Zu welchem Arzt gehe ich am 3. November?", 2026),
        ("Zu welchem Arzt bin ich am 3. November gegangen?", 2025),
        ("Which doctor do I go to on 3 November?", 2026),
        ("Which doctor did I go to on 3 November?", 2025),
        ("Who went to the doctor on 3 November?", 2025),
        ("К какому врачу я ходила 3 ноября?", 2025),
        ("十一月三号我去看了哪位医生？", 2025),
        ("11月3日にどの医者に行きましたか？", 2025),
        ("11월 3일에 어느 병원에 갔어?", 2025),
        ("Which doctor do I go to on 3 May?", 2026),
    ],
)
def test_a_day_without_its_year_is_a_near_one_to_come_unless_it_is_asked_about_as_over(question: str, year: int) -> None:
    read = days(question)
    assert read and read[0] == read[1] and (read[0].year, read[0].day) == (year, 3)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What will I do on Friday?", "2026-10-23"),
        ("What is happening on Monday?", "2026-10-26"),
        ("What did I do on Friday?", "2026-10-16"),
        ("Что мы будем делать в понедельник?", "2026-10-26"),
        ("Co będę robić w piątek?", "2026-10-23"),
        ("Cuma günü ne yapacağım?", "2026-10-23"),
        ("周一有什么计划？", "2026-10-26"),
        ("月曜日の予定は？", "2026-10-26"),
        ("ماذا سأفعل يوم الجمعة؟", "2026-10-23"),
        ("금요일에 뭐 할 거야?", "2026-10-23"),
        ("금요일에 뭐 했어?", "2026-10-16"),
    ],
)
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
