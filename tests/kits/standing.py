"""What held, what holds now, and the question about it: the set under tests/sets/standing."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memory.ports import Embedder
from tests.kits.asked import diary
from tests.kits.memory_kit import HOUR, Clock, Corner, cornered, said, utc

SET = Path(__file__).parents[1] / "sets" / "standing"
NOW = utc("2026-03-15T18:00:00")
_BEFORE, _SINCE = utc("2025-01-05T12:00:00"), utc("2026-01-05T12:00:00")
_AMONG = 200


@dataclass(frozen=True)
class Pair:
    """Two things that somebody said one after the other, a question, and which of them is wanted: newer, older, or both."""

    language: str
    older: str
    newer: str
    question: str
    sign: bool
    wanted: str

    def good(self, hits: Sequence[str]) -> bool:
        """Say whether these hits, best first, are what is wanted."""
        if self.wanted == "both":
            return {self.older, self.newer} <= set(hits[:5])
        first, second = (self.newer, self.older) if self.wanted == "newer" else (self.older, self.newer)
        return first in hits[:3] and second not in hits[: hits.index(first)]


def pairs(language: str = "") -> list[Pair]:
    """Return the pairs, of one language or all."""
    every = [Pair(**json.loads(line)) for line in (SET / "pairs.jsonl").read_text("utf-8").splitlines()]
    return [pair for pair in every if language in ("", pair.language)]


@asynccontextmanager
async def told(folder: Path, embedder: Embedder | None, language: str) -> AsyncIterator[Corner]:
    """Open a memory that holds the pairs of a language among a diary, at the instant of the questions."""
    clock = Clock(NOW)
    async with cornered(folder / "lyra.db", None, clock=clock, embedder=embedder) as here:
        texts = [(pair.older, _BEFORE) for pair in pairs(language)], [(pair.newer, _SINCE) for pair in pairs(language)]
        once = [dict(some) for some in texts]
        spread = [said(text, f"{at}-{n}", at + n * 3 * HOUR) for some in once for n, (text, at) in enumerate(some.items())]
        among = list(islice(diary(), _AMONG))
        await here.view.say(here.session, sorted([*spread, *among], key=lambda one: one.said_at or 0))
        await here.view.embed()
        yield here
