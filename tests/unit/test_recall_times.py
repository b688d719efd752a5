"""Whatever words a time is told with, in English or in German, what was said then comes first."""

from datetime import date
from pathlib import Path

import pytest

from memory.index.hits import Hit
from memory.text.time.times import local
from tests.kits.memory_kit import Clock, cornered, utc
from tests.kits.two_years import LANGUAGES, NOW, Dated, dated, kept

LEAST = 0.95
AGO = {"what did I do a year ago?": date(2025, 10, 22), "a year ago": date(2025, 10, 22), "100 days ago": date(2026, 7, 14)}


async def missed(folder: Path, language: str) -> list[tuple[str, str, str]]:
    """Return the questions in a language whose first hit is not what they ask for, with that hit."""
    async with kept(folder, language) as here:
        found = [(one, await here.view.recall.messages(one.question, 50)) for one in _of(language)]
    return [
        (
            one.question,
            f"{local(hits[0].exchange.said_at, 'UTC'):%Y-%m-%d %H:%M}" if hits else "",
            hits[0].exchange.text if hits else "",
        )
        for one, hits in found
        if not one.good(hits)
    ]


def _day(hit: Hit) -> date:
    return local(hit.exchange.said_at, "UTC").date()


def _of(language: str) -> list[Dated]:
    return [one for one in dated() if one.language == language]


async def test_of_a_time_that_is_a_distance_away_the_nearest_days_come_first(tmp_path: Path) -> None:
    async with kept(tmp_path, "english") as here:
        for question, day in AGO.items():
            hits = await here.view.recall.messages(question, 3)
            spread = await here.view.recall.messages(question, 50)
            assert [_day(hit) for hit in hits] == [day] * 3, question
            assert max(abs((_day(hit) - day).days) for hit in spread) < 20, question
        (cooked,) = await here.view.recall.messages("what did I cook a year ago?", 1)
        assert cooked.exchange.text.startswith("Cooked") and abs((_day(cooked) - date(2025, 10, 22)).days) < 20


@pytest.mark.parametrize(("of", "day"), [("03/04/2026", "2026-03-04"), ("04/03/2026", "2026-03-04")])
async def test_of_two_readings_of_a_date_the_one_on_which_something_was_said_holds(tmp_path: Path, of: str, day: str) -> None:
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock) as here:
        for told in (day, "2026-03-20", "2026-04-09"):
            await here.say(f"walked along the river on {told}", at=utc(f"{told}T19:00"))
        for question in (f"what did I do on {of}?", f"on {of}", f"where did I walk on {of}?"):
            assert (await here.found(question))[0] == f"walked along the river on {day}"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what did I eat yesterday?", "Ate dumplings at the lock."),
        ("how far did I run yesterday?", "Ran along the canal, 7 km."),
        ("who did I meet yesterday?", "Met Nora at the mill."),
        ("what did I buy yesterday?", "Bought two currants."),
        ("who did I go climbing with yesterday?", "Went climbing with Wen, the blue route."),
        ("where did I go swimming yesterday?", "Swimming in the lake, cold."),
    ],
)
async def test_what_was_done_is_told_in_the_past_and_asked_for_without(tmp_path: Path, question: str, told: str) -> None:
    others = ("Tired, I will go to bed early.", "Long call about the budget, and who is to go where.", "Read far too long.")
    clock = Clock(NOW)
    async with cornered(tmp_path / "lyra.db", None, clock=clock) as here:
        for hour, text in enumerate((others[0], told, *others[1:]), 8):
            await here.say(text, at=utc(f"2026-10-21T{hour:02}:00"))
            await here.say(text, at=utc(f"2026-09-21T{hour:02}:00"))
        hits = await here.view.recall.messages(question, 5)
    assert (hits[0].exchange.text, local(hits[0].exchange.said_at, "UTC").month) == (told, 10)


async def test_what_was_said_at_the_time_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    asked = dated()
    assert len(asked) == 40 and [len(_of(language)) for language in LANGUAGES] == [25, 15]
    wrong = [one for language in LANGUAGES for one in await missed(tmp_path, language)]
    print(f"{len(asked) - len(wrong)} of {len(asked)}", *wrong, sep="\n")
    assert len(asked) - len(wrong) >= LEAST * len(asked)
