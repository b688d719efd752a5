"""What she answers without a model to everyday questions about a life that was imported, and about the times that were told."""

import json
import re
from pathlib import Path

import pytest

from memory.text.time.times import iso
from memory.types import Kind, NewExchange
from tests.kits.life import SET, WHO, answers, awake, imported, questions
from tests.kits.two_years import NOW, two_years

LEAST = 36


async def test_most_answers_are_what_a_person_would_want(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = questions()
    async with awake(imported(tmp_path), monkeypatch) as app:
        given = await answers(app, [one.question for one in asked])
        view = await app.view(WHO)
        replies = [one async for _, one in view.messages.all() if one.kind is Kind.REPLY and one.speaker == "Lyra"]
    bad = [f"{one.question}\n  {answer}" for one, answer in zip(asked, given, strict=True) if not one.good(answer)]
    print(*bad, f"{len(asked) - len(bad)} of {len(asked)}", sep="\n")
    assert len(asked) == len(replies) == 42
    assert all(reply.echo for reply in replies), "what only repeats memory enters no recall and no digest"
    assert len(asked) - len(bad) >= LEAST


async def test_most_answers_about_a_life_told_in_two_languages_are_what_a_person_would_want(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions("adi_questions.jsonl")
    async with awake(imported(tmp_path, messages=SET / "adi_messages.jsonl"), monkeypatch) as app:
        given = await answers(app, [one.question for one in asked])
    bad = [f"{one.question}\n  {answer}" for one, answer in zip(asked, given, strict=True) if not one.good(answer)]
    print(*bad, f"{len(asked) - len(bad)} of {len(asked)}", sep="\n")
    assert len(asked) - len(bad) >= 44


async def test_what_was_forgotten_is_in_no_answer_and_takes_along_those_that_told_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    when, who, never = "What did I do in May 2025?", "Tell me about Olga.", "Who is Bartholomew?"
    async with awake(imported(tmp_path), monkeypatch) as app:
        before = await answers(app, [when, who, never])
        assert "Stoner" in before[0] and "tortoise" in before[1]
        view = await app.view(WHO)
        (read,) = [one async for _, one in view.messages.all() if "Stoner" in one.text and one.kind is Kind.SAID]
        await view.forget_message(read.id)
        left = [one.text async for _, one in view.messages.all() if one.speaker == "Lyra"]
        assert left == before[1:], "a list rests on each of its lines"
        again = await answers(app, [when])
    assert "Stoner" not in again[0] and "lemon tart" in again[0]


async def test_who_said_what_they_are_called_is_told_what_else_is_known_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(imported(tmp_path), monkeypatch) as app:
        await answers(app, ["My name is Jonas.", "I work as a carpenter."])
        (told,) = await answers(app, ["What do you know about me?"])
    assert told.startswith("What I know of you:\n") and '"I work as a carpenter."' in told


_QUOTE = re.compile(r'"([^"\n]+)"')


def written(diary: list[NewExchange], path: Path) -> Path:
    """Write a diary as `lyra import` takes it."""
    rows = (
        {
            "session": "diary",
            "role": "user",
            "speaker": WHO,
            "content": one.text,
            "created_at": iso(one.said_at, "UTC"),
            "id": one.source_id,
        }
        for one in diary
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


async def test_what_was_told_today_is_listed_without_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = imported(tmp_path, messages=written(list(two_years("english"))[-40:], tmp_path / "diary.jsonl"))
    async with awake(home, monkeypatch, NOW) as app:
        told = ["The heron came back.", "We met Bo at the lock.", "It rains."]
        given = await answers(app, [*told, "what did I tell you today?", "what have I told you today so far?"])
        just = await answers(app, ["what did I tell you just now?"])
    for answer in given[3:]:
        quotes = _QUOTE.findall(answer)
        assert quotes[-3:] == told and len(quotes) == 6, "three of the diary were said today as well"
    assert _QUOTE.findall(just[0])[-3:] == told and "Ran" not in just[0] and "Overslept" not in just[0]
