"""A birthday that is asked about is the day that somebody told in words, not the day on which they told it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.index.when.birthdays import birthday, celebrated
from memory.text.time.times import local
from memory.types import Exchange, Kind
from tests.kits.memory_kit import Clock, Corner, corner, opened, utc
from tests.kits.tabled import tabled
from tests.unit.test_offline_voice import ask
from tests.unit.test_offline_voice import said as heard

NOW = utc("2026-11-22T12:00:00")
TOLD_ON = "2025-01-05T09:00:00"
OWN = ("what did I do on my birthday?", "Was habe ich an meinem Geburtstag gemacht?")


@asynccontextmanager
async def talking(folder: Path) -> AsyncIterator[Corner]:
    clock = Clock(NOW)
    async with opened(folder / "lyra.db", None, clock=clock) as memory:
        yield await corner(memory, clock)


def message(text: str, at: str = TOLD_ON, speaker: str = "Ada") -> Exchange:
    return Exchange(1, "x", 1, 1, Kind.SAID, "user", speaker, text, "s", utc(at), utc(at), False)


def day(question: str, *told: Exchange, asker: str = "Ada") -> str:
    """Return the day, or the month, on which a birthday was last celebrated by what was told; '' for none."""
    asked = birthday(question)
    assert asked, f"{question} names no birthday"
    window = celebrated(asked, told, asker, NOW, "UTC")
    if window is None:
        return ""
    first, last = local(window.start, "UTC").date(), local(window.end - 1, "UTC").date()
    return f"{first}" if first == last else f"{first} {last}"


@pytest.mark.parametrize("question", OWN)
@pytest.mark.parametrize(("told", "when"), tabled("birthdays", "days"))
def test_the_day_is_read_from_what_was_said(question: str, told: str, when: str) -> None:
    assert day(question, message(told)) == when


@pytest.mark.parametrize(("question", "told"), tabled("birthdays", "of_others"))
def test_the_birthday_of_somebody_else_is_theirs(question: str, told: str) -> None:
    mine = message("my birthday is on the 14th of May")
    assert day(question, message(told), mine) == "2026-07-02"
    assert day(question, mine) == ""
    assert day(OWN[0], message(told), mine) == "2026-05-14"
    assert day(OWN[0], message(told)) == ""


def test_what_others_say_of_their_own_is_theirs() -> None:
    bo = message("my birthday is on 3 March", speaker="Bo")
    assert day(OWN[0], bo) == "" and day("what did I give him on Bo's birthday?", bo) == "2026-03-03"


def test_the_newest_that_tells_a_day_holds_and_a_mention_is_the_last_resort() -> None:
    wrong, right = message("my birthday is on 4 May"), message("my birthday is on 14 May", "2025-02-01T09:00:00")
    party = message("my birthday! so much cake", "2025-08-01T09:00:00")
    assert day(OWN[0], wrong, right, party) == "2026-05-14"
    assert day(OWN[0], party) == "2026-08-01"


@pytest.mark.parametrize("told", ["my birthday party got 0/10 from Ben", "my birthday: 0/5", "my birthday was a 13/14"])
def test_a_score_is_no_date(told: str) -> None:
    assert day("how was my birthday?", message(told)) == day("how was my birthday?", message("my birthday was fun"))
    assert day("how was my birthday?", message("my birthday is on the 14th of May"), message(told)) == "2026-05-14"


@pytest.mark.parametrize(
    "question",
    ["what did Nora get on his birthday?", "what did I give Nora zum Geburtstag?", "when is my birthday?", "a birthday present"],
)
def test_a_question_without_whose_birthday_as_a_time_names_none(question: str) -> None:
    assert birthday(question) is None


@pytest.mark.parametrize("question", ["on my birthday", *OWN, "what did I eat on my birthday?"])
@pytest.mark.parametrize(
    "told", ["my birthday is on the 14th of May", "I was born on May 14, 1990", "Ich habe am 14. Mai Geburtstag"]
)
async def test_recall_begins_with_the_birthday_itself(tmp_path: Path, question: str, told: str) -> None:
    async with talking(tmp_path) as here:
        for month in range(1, 12):
            await here.say(f"I ate cake, number {month}", at=utc(f"2026-{month:02}-14T19:00:00"))
            await here.say(f"Bought Nora a birthday present, number {month}", at=utc(f"2026-{month:02}-20T19:00:00"))
        await here.say(told, at=utc(TOLD_ON))
        hits = await here.view.recall.messages(question, 3)
    assert local(hits[0].exchange.said_at, "UTC").date().isoformat() == "2026-05-14"


async def test_the_birthday_of_a_certain_year_may_be_asked_for(tmp_path: Path) -> None:
    async with talking(tmp_path) as here:
        await here.say("my birthday is on the 14th of May", at=utc("2024-01-05T09:00:00"))
        for year in (2024, 2025, 2026):
            await here.say(f"walked along the river in {year}", at=utc(f"{year}-05-14T19:00:00"))
        for question, year in (
            ("what did I do on my birthday last year?", 2025),
            ("what did I do on my birthday in 2024?", 2024),
        ):
            assert (await here.found(question))[0] == f"walked along the river in {year}"


def test_without_a_model_the_day_is_told_and_what_was_done_then() -> None:
    told = heard("my birthday is on the 14th of May", "2025-01-05T09:00:00")
    cake, other = heard("I baked a cake with plums", "2026-05-14T10:00"), heard("I baked bread", "2026-06-01T10:00")
    assert ask("what did I do on my birthday?", told, cake, other).cites == (cake,)
    assert ask("what did I bake on my birthday?", told, other, cake).cites == (cake,)
