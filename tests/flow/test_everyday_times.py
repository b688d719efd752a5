"""What she answers without a model to questions about the times of a diary of two years."""

import json
import re
from pathlib import Path

import pytest

from memory.text.times import iso
from memory.types import NewExchange
from tests.kits.life import WHO, answers, awake, imported
from tests.kits.two_years import LANGUAGES, NOW, Dated, dated, two_years

LEAST = 0.85
_QUOTE = re.compile(r'"([^"\n]+)"')
_FRAMED = {
    "english": re.compile(r"\b(?:From|On|Around|You told me|Nothing)\b"),
    "german": re.compile(r"\b(?:Vom|Am|Um den|Du hast mir|Nichts)\b"),
}


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


def good(asked: Dated, answer: str, diary: list[NewExchange]) -> bool:
    """Say whether an answer quotes something, nothing but what was said then, and is framed in the question's language."""
    then = {one.text for one in diary if asked.then(one.said_at)}
    quotes = _QUOTE.findall(answer)
    return (
        bool(quotes)
        and then.issuperset(quotes)
        and any(asked.holds.casefold() in quote.casefold() for quote in quotes)
        and _FRAMED[asked.language].search(_QUOTE.sub("", answer)) is not None
    )


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


async def test_she_quotes_what_was_said_then_and_speaks_the_language_of_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, asked = [], dated()
    for language in LANGUAGES:
        diary = list(two_years(language))
        folder = tmp_path / language
        folder.mkdir()
        home = imported(folder, messages=written(diary, folder / "diary.jsonl"))
        of = [one for one in asked if one.language == language]
        async with awake(home, monkeypatch, NOW) as app:
            given = await answers(app, [one.question for one in of])
        bad += [f"{one.question}\n  {answer}" for one, answer in zip(of, given, strict=True) if not good(one, answer, diary)]
    print(*bad, f"{len(asked) - len(bad)} of {len(asked)}", sep="\n")
    assert len(asked) - len(bad) >= LEAST * len(asked)
