"""A question about the past lists what was done then, one about what is to come what was planned: the sets tense under tests/sets/times."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kits.memory_kit import Clock, cornered, said, utc
from tests.unit.test_told_later import answer

SET = Path(__file__).parents[1] / "sets" / "times"
NOW = utc("2026-11-26T20:00")


def cases(name: str) -> Iterator[dict[str, Any]]:
    """Yield what was told, and the questions about it, of one of the sets."""
    yield from (json.loads(line) for line in (SET / f"{name}.jsonl").read_text("utf-8").splitlines())


@pytest.mark.parametrize(("name", "of", "least"), [("tense", 32, 30), ("tense_unseen", 18, 16)])
async def test_what_was_done_and_what_is_to_come_are_told_apart(tmp_path: Path, name: str, of: int, least: int) -> None:
    bad: list[str] = []
    asked = 0
    for at, case in enumerate(cases(name)):
        clock = Clock(NOW)
        async with cornered(tmp_path / f"{at}.db", None, clock=clock) as here:
            told = sorted(case["told"].items(), key=lambda one: one[1])
            await here.view.say(here.session, [said(text, key, utc(when)) for key, (when, text) in told])
            for question, wanted in case["questions"].items():
                given = await answer(here, question)
                asked += 1
                if {key for key, (_, text) in told if text.rstrip(".") in given} != set(wanted):
                    bad.append(f"{question}\n  {given}")
    print(*bad, f"{asked - len(bad)} of {asked}", sep="\n")
    assert asked == of
    assert asked - len(bad) >= least
