"""What the context of a turn costs in a conversation that never ends: prompts, calls of the model, what a cache keeps."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean

from bot.context.prompt import Prompt
from tests.kits.long_talk import EPISODE, LongTalk, cached, long_talk, size

Row = Callable[[str, float, str, float, str], None]
EARLY, LATE = 1_000, 10_000
_TURNS = 200


async def measure(row: Row) -> None:
    """Measure over 10,000 turns of one conversation, that is 20,000 messages."""
    with tempfile.TemporaryDirectory() as name:
        async with long_talk(Path(name)) as talk:
            early = mean(map(size, await _at(talk, EARLY)))
            last = await _at(talk, LATE)
            calls = talk.model.calls.total() * 200 / talk.said
    late = mean(map(size, last[:EPISODE]))
    row(f"prompt at turn {LATE:,}", late, f"at turn {EARLY:,}", early, "tokens")
    row("calls of the model in 100 turns", 100 + calls, "the answers alone", 100, "calls")
    turned = [replace(prompt, messages=prompt.messages[::-1]) for prompt in last]
    row("cached part of a prompt", 100 * mean(_shares(last)), "what changes first", 100 * mean(_shares(turned)), "%")


async def _at(talk: LongTalk, turn: int) -> list[Prompt]:
    """Go on until a turn of the conversation, and take some more."""
    await talk.go_on(2 * turn - talk.said)
    return [await talk.turn() for _ in range(EPISODE if turn == EARLY else _TURNS)]


def _shares(prompts: list[Prompt]) -> list[float]:
    return [cached(one, other) for one, other in pairwise(prompts)]
