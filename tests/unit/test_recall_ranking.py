"""The ranking is the documented formula: a slow, obvious reading of it comes to the same hits."""

import asyncio
import math
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import lexical
from memory.core import Habits
from memory.tiers.episodes import Rules
from tests.memory_kit import BagOfWords, Corner, Writer, at_home, corner
from tests.size import examples

WORDS = "parrot tomato river garden running 1998 winter seven the".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@dataclass
class Document:
    """A message as the formula sees it."""

    item: int
    session: int
    said_at: int
    text: str

    @property
    def words(self) -> Counter[str]:
        """What it is found by, stemmed, with how often."""
        return Counter(
            lexical.stem(word)
            for word in lexical.tokens(f"Tuesday 03 March 2026 Ada: {self.text}")
            if word not in lexical.STOP_WORDS
        )


def bm25(documents: list[Document], question: str) -> dict[int, float]:
    """Score documents by Robertson and Zaragoza, k1 1.5, b 0.75."""
    asked = {lexical.stem(word) for word in lexical.tokens(question) if word not in lexical.STOP_WORDS}
    average = max(1.0, sum(d.words.total() for d in documents) / len(documents))
    score = dict.fromkeys((d.item for d in documents), 0.0)
    for stem in asked:
        holding = sum(stem in d.words for d in documents)
        weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        for d in documents:
            n = d.words[stem]
            score[d.item] += weight * n * 2.5 / (n + 1.5 * (0.25 + 0.75 * d.words.total() / average)) if n else 0
    return score


def reference(documents: list[Document], question: str, meaning: dict[int, float] | None = None) -> dict[int, float]:
    """Rank by the formula of the module's head, one message at a time."""
    own = dict.fromkeys((d.item for d in documents), 0.0)
    for signal in (bm25(documents, question), meaning or {}):
        best = max(signal.values(), default=0)
        for item, value in signal.items():
            own[item] += value / best if best > 0 else 0
    score = {}
    for session in {d.session for d in documents}:
        row = sorted((d for d in documents if d.session == session), key=lambda d: (d.said_at, d.item))
        for at, d in enumerate(row):
            beside = [own[row[near].item] for near in (at - 1, at + 1) if 0 <= near < len(row)]
            score[d.item] = own[d.item] + 0.5 * sum(beside) / 2
        top = max(score[d.item] for d in row)
        for d in row:
            score[d.item] += 0.3 * top if score[d.item] > 0 else 0
    return {item: value for item, value in score.items() if value > 0}


async def documents(here: Corner, said: list[tuple[int, int, str]]) -> list[Document]:
    """Say texts in some sessions, not always in order of time."""
    there = [await corner(here.memory, here.clock, "ada", place=f"place {n}") for n in range(3)]
    kept = []
    for n, (place, minutes, text) in enumerate(said):
        at = here.clock.now() + minutes * 60_000_000
        kept.append(await there[place].say(text, source=f"s{n}", at=at))
    return [Document(e.key, e.session, e.said_at, e.text) for e in kept]


told = st.lists(st.tuples(st.integers(0, 2), st.integers(-30, 30), texts), min_size=1, max_size=12)


@settings(max_examples=examples(25), deadline=None)
@given(told, st.lists(texts, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_the_ranking_is_the_documented_formula(
    said: list[tuple[int, int, str]], questions: list[str], digested: bool, embedded: bool
) -> None:
    async def scenario(folder: str) -> None:
        embedder = BagOfWords(dimension=16) if embedded else None
        async with at_home(Path(folder), None, embedder=embedder, habits=Habits(Rules(count=2))) as here:
            some = await documents(here, said)
            if digested:
                for session in await here.view.sessions():
                    work = here.memory.consolidator(here.domain, Writer(), Writer())
                    await work.close_episodes(session, asked=True)
                    await work.digest(session)
            await here.view.embed()
            for question in questions:
                meaning = None
                if embedder:
                    vectors = await embedder.embed([question, *(f"Tuesday 03 March 2026 Ada: {d.text}" for d in some)])
                    rows = vectors.astype(np.float16).astype(np.float32)
                    meaning = {d.item: float(row @ vectors[0]) for d, row in zip(some, rows[1:], strict=True)}
                wanted = reference(some, question, meaning)
                hits = await here.view.recall(question, 50)
                got = {hit.exchange.key: hit.score for hit in hits}
                assert got == pytest.approx(wanted, abs=2e-3), question
                assert [hit.score for hit in hits] == sorted(got.values(), reverse=True)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(folder))


async def test_an_index_that_grew_ranks_like_one_that_was_loaded(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(60):
            await here.say(f"{WORDS[n % 8]} {WORDS[n * 3 % 8]} number {n}")
            await here.found("parrot")
        await here.view.forget_message((await here.say("parrot")).id)
        questions = [f"{one} {other}" for one in WORDS for other in WORDS]
        grown = [await here.view.recall(question, 20) for question in questions]
        fresh = here.memory._reading.indexes._loaded
        fresh.clear()
        assert grown == [await here.view.recall(question, 20) for question in questions]
