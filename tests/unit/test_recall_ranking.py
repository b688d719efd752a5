"""The ranking is the documented formula: a slow, obvious reading of it comes to the same hits."""

import asyncio
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.index.recall.meaning import quantized
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Kind, NewExchange
from tests.kits.memory_kit import BagOfWords, Corner, Writer, at_home, corner
from tests.kits.size import examples, few
from tests.kits.slow_recall import Message, Talk, ranked

# None of them together is a time, as "winter 1998" would be: the slow reading knows of none.
WORDS = "parrot tomato river garden running 4711 winter seven the ada bob".split()
LONG = " ".join(f"word{n} and{n}." for n in range(80))
spoken = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
texts = st.one_of(spoken, spoken.map(lambda text: f"{text}?"), spoken.map(lambda text: f"{text} {LONG} {text}"))
told = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-600, 600), st.sampled_from(["Ada", "Bob", "Cleo"]), st.booleans(), texts),
    min_size=1,
    max_size=12,
)


async def said(here: Corner, what: list[tuple[int, int, str, bool, str]]) -> Talk:
    """Say texts in some sessions, not always in order of time."""
    there = [await corner(here.memory, here.clock, "ada", place=f"place {n}") for n in range(3)]
    kept = []
    for n, (place, minutes, speaker, own, text) in enumerate(what):
        # Each says something of its own: what says the same would count as one.
        new = NewExchange(
            Kind.SAID, f"own{n} {text}", f"s{n}", here.clock.now() + minutes * MINUTE, speaker, "assistant" if own else "user"
        )
        (one,) = (await there[place].view.say(there[place].session, [new])).stored
        kept.append(Message(one.key, one.session, one.said_at, one.speaker, one.text, own))
    return Talk(kept)


async def cosines(embedder: BagOfWords, talk: Talk, question: str) -> dict[int, float]:
    """Return how near each message is to a question in eight bits, by its one passage or the nearest of several."""
    asked, one = quantized(await embedder.embed([question]))
    found = {}
    for message in talk.messages:
        rows = (await embedder.embed(message.passages)).astype(np.float16).astype(np.float32)
        short, steps = quantized(rows)
        found[message.item] = float((short.astype(np.float32) @ asked[0].astype(np.float32) * steps * one).max())
    return found


@settings(max_examples=examples(13))
@given(told, st.lists(spoken, min_size=1, max_size=4), st.booleans(), st.booleans())
@example(what=[(0, 0, "Ada", True, "parrot")] * 2, questions=["parrot"], digested=False, embedded=False)
def test_the_ranking_is_the_documented_formula(
    what: list[tuple[int, int, str, bool, str]], questions: list[str], digested: bool, embedded: bool
) -> None:
    async def scenario(folder: str) -> None:
        embedder = BagOfWords(dimension=64) if embedded else None
        async with at_home(Path(folder), None, embedder=embedder, habits=ConsolidationRules(EpisodeRules(count=2))) as here:
            talk = await said(here, what)
            if digested:
                for session in await here.view.sessions.all():
                    work = Deriving(here.memory).consolidator(here.domain, Writer(extractive=True), Writer(extractive=True))
                    await work.close_episodes(session, asked=True)
                    await work.digest(session)
            await here.view.embed()
            for question in questions:
                meaning = await cosines(embedder, talk, talk.meant(question)) if embedder else {}
                wanted = ranked(talk, question, meaning)
                hits = await here.view.recall.messages(question, 50)
                got = {hit.exchange.key: hit.score for hit in hits}
                assert got == pytest.approx(wanted, abs=2e-3), question

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(folder))


async def test_an_index_that_grew_ranks_like_one_that_was_loaded(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        other = await corner(here.memory, here.clock, "ada", place="other")
        for n in range(60):
            there = other if n % 7 == 0 else here
            late = here.clock.now() - 90 * MINUTE if n % 5 == 0 else None
            await there.say(f"{WORDS[n % 8]} {WORDS[n * 3 % 8]} number {n}", at=late, source=f"s{n}")
            if n % 3 == 0:
                await here.view.embed()
            await here.found("parrot")
        await here.view.embed()
        questions = [f"{one} {other}" for one in WORDS for other in few(WORDS, 3)]
        grown = [await here.view.recall.messages(question, 20) for question in questions]
        here.memory.domain_indexes.forget()
        assert grown == [await here.view.recall.messages(question, 20) for question in questions]
