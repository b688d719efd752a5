"""What she answers without a model about what was told in this talk."""

import json
import re
from pathlib import Path

import pytest

from memory.text.time.times import iso
from memory.types import NewExchange
from tests.kits.life import WHO, answers, awake, imported
from tests.kits.two_years import NOW, two_years

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
