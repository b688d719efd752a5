"""What is forgotten about a topic: what is said of it, and not whatever was said on a day that the topic's words name as well."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.text.time.times import instant
from memory.view import selecting
from tests.kits.memory_kit import at_home


@pytest.mark.parametrize(
    ("about", "goes"),
    [
        ("the trip to Oslo in May", ["the trip to Oslo costs 900"]),
        ("Oslo in May", ["the trip to Oslo costs 900", "May is my aunt"]),
        ("the Friday club", ["the club has a new treasurer", "on Friday we sing"]),
        ("May", ["May is my aunt"]),
    ],
)
async def test_what_was_merely_said_on_a_day_is_not_about_its_name(tmp_path: Path, about: str, goes: list[str]) -> None:
    async with at_home(tmp_path) as here:
        for day, text in (
            (datetime(2026, 2, 3, tzinfo=UTC), "the trip to Oslo costs 900"),
            (datetime(2026, 2, 4, tzinfo=UTC), "the club has a new treasurer"),
            (datetime(2026, 5, 1, tzinfo=UTC), "the soup was good"),
            (datetime(2026, 5, 8, tzinfo=UTC), "May is my aunt"),
            (datetime(2026, 5, 15, tzinfo=UTC), "on Friday we sing"),
        ):
            await here.say(text, at=instant(day))
        found = await here.view.selecting.select(about, None)
        assert [one.text for one in found.messages] == goes


async def test_without_the_guard_all_that_was_said_on_such_a_day_would_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selecting, "written_day", lambda *_: "")
    async with at_home(tmp_path) as here:
        await here.say("the soup was good", at=instant(datetime(2026, 5, 1, tzinfo=UTC)))
        found = await here.view.selecting.select("Oslo in May", None)
        assert [one.text for one in found.messages] == ["the soup was good"]


SPANISH = ("he vendido la moto", "la abuela está en la cama", "vuelvo al bar el lunes", "el wifi es Coco42", "Mia Torres canta")


@pytest.mark.parametrize(
    ("about", "goes"),
    [
        ("la moto", ["he vendido la moto"]),
        ("La moto", ["he vendido la moto"]),
        ("el wifi", ["el wifi es Coco42"]),
        ("Mia", ["Mia Torres canta"]),
        ("mi wifi", ["el wifi es Coco42"]),
    ],
)
async def test_an_article_takes_nothing_along(tmp_path: Path, about: str, goes: list[str]) -> None:
    async with at_home(tmp_path) as here:
        for text in SPANISH:
            await here.say(text)
        assert [one.text for one in (await here.view.selecting.select(about, None)).messages] == goes


@pytest.mark.parametrize(
    ("about", "goes"),
    [
        ("my son", ["our son plays chess"]),
        ("Tom's van", ["Tom's van is red"]),
        ("the war", ["grandpa was in the war"]),
        ("my ma", ["my ma knits"]),
    ],
)
async def test_what_is_an_article_or_the_like_elsewhere_is_a_word_in_english(tmp_path: Path, about: str, goes: list[str]) -> None:
    async with at_home(tmp_path) as here:
        for text in ("our son plays chess", "Tom's van is red", "grandpa was in the war", "my ma knits"):
            await here.say(text)
        assert [one.text for one in (await here.view.selecting.select(about, None)).messages] == goes


@pytest.mark.parametrize("about", ['"la moto"', "“la moto”", "« la moto ».", "'la moto'"])
async def test_an_article_in_quotation_marks_takes_nothing_along_either(tmp_path: Path, about: str) -> None:
    async with at_home(tmp_path) as here:
        for text in ("el finde vamos a la playa", "vamos a Madrid la semana que viene"):
            await here.say(text)
        assert not (await here.view.selecting.select(about, None)).messages


async def test_without_that_guard_whatever_holds_the_article_would_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "_without_articles", lambda about: about)
    async with at_home(tmp_path) as here:
        for text in SPANISH:
            await here.say(text)
        assert len((await here.view.selecting.select("la moto", None)).messages) > 1


@pytest.mark.parametrize(
    ("about", "goes"),
    [
        ("I like coffee", ["I like coffee", "I like jazz"]),
        ('"I like coffee"', ["I like coffee"]),
        ("“likes coffee”", ["I like coffee"]),
    ],
)
async def test_of_a_topic_in_quotation_marks_all_words_are_needed(tmp_path: Path, about: str, goes: list[str]) -> None:
    async with at_home(tmp_path) as here:
        for text in ("I like coffee", "I like jazz"):
            await here.say(text)
        assert [one.text for one in (await here.view.selecting.select(about, None)).messages] == goes
