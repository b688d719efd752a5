"""What she answers without a model to everyday questions about a life that was imported."""

from pathlib import Path

import pytest

from memory.types import Kind
from tests.kits.life import SET, WHO, answers, awake, imported, questions

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
