"""Messages in seven further languages that tell of no time but their own: questions, habits, days that nothing places."""

import json
from pathlib import Path

import pytest

from memory.index.when.telling import told
from tests.kits.memory_kit import utc

SET = Path(__file__).parents[1] / "sets" / "times" / "told_further_languages.jsonl"
MESSAGES = [json.loads(line) for line in SET.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("language", sorted({one["language"] for one in MESSAGES}))
def test_what_tells_of_no_time_is_given_none(language: str) -> None:
    none = [one for one in MESSAGES if one["language"] == language and one["first"] is None]
    found = {one["text"]: told(one["text"], utc(one["said"].replace("T", " ")), "UTC").times for one in none}
    assert found and not any(found.values())
