"""Sixty short messages, written before the rules were mended: what is wished afterwards is what a person would expect."""

import json
from pathlib import Path

import pytest

from memory.tiers.manners import TIER
from tests.kits.memory_kit import KEY, Clock, corner, opened

SET = Path(__file__).parents[1] / "sets" / "wishes"
RIGHT = {"wish": 20, "back": 26, "none": 14}
"""How many of each kind must be right at least, of 20, 26 and 14."""


async def test_what_is_wished_after_sixty_short_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = dict.fromkeys(RIGHT, 0), []
    cases = [json.loads(line) for line in (SET / "messages.jsonl").read_text("utf-8").splitlines()]
    clock = Clock()
    async with opened(tmp_path / "lyra.db", KEY, clock=clock) as memory:
        for n, case in enumerate(cases):
            here = await corner(memory, clock, f"ada{n}", place=f"dm{n}")
            for text in (*case["before"], case["text"]):
                await here.say(text)
            stands = sorted(one.text for one in await here.view.digests.statements("profile") if one.tier == TIER)
            if stands == sorted(f"Ada wants {wish}." for wish in case["wanted"]):
                right[case["kind"]] += 1
            else:
                wrong.append(f"{case['kind']} {case['before']} {case['text']!r}: {stands}")
    with capsys.disabled():
        print(f"\nright: {right}", *wrong, sep="\n")
    assert len(cases) == 60
    assert all(right[kind] >= least for kind, least in RIGHT.items()), wrong
