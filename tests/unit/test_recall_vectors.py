"""Vectors find what was meant, never what is compared across embedders; without them words serve."""

import asyncio
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bot.models.local.local_embedder import unit
from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import EmbeddingFailed
from memory.index import vectors
from memory.index.indexing import MESSAGES
from memory.index.recall.columns import reached
from memory.index.recall.meaning import FAR, Meaning
from memory.ports import Vectors
from memory.tiers.episodes import EpisodeRules
from tests.kits.memory_kit import BagOfWords, Clock, Ids, Writer, at_home, corner, cornered, gists_about, opened

CAR = {"automobile": "car", "vehicle": "car", "purchased": "buy", "acquired": "buy"}


class Moody(BagOfWords):
    """An embedder that fails, or first lets something else happen, when told to."""

    failing = False
    meanwhile: asyncio.Event | None = None
    asked: asyncio.Event | None = None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Fail, wait, or embed."""
        if self.failing:
            raise EmbeddingFailed("The embedder cannot be reached.")
        if self.asked and self.meanwhile:
            self.asked.set()
            await self.meanwhile.wait()
        return await super().embed(texts)


class Noting(BagOfWords):
    """An embedder that notes what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Note these texts, and embed them."""
        self.texts += texts
        return await super().embed(texts)


async def test_a_question_is_not_embedded_again_once_it_is_a_message(tmp_path: Path) -> None:
    embedder = Noting()
    async with at_home(tmp_path, embedder=embedder) as here:
        await here.say("the parrot is green")
        assert await here.view.embed() == 1
        await here.found("where is the parrot?")
        await here.say("where is the parrot?")
        assert await here.view.embed() == 1
        assert embedder.texts == ["the parrot is green", "where is the parrot?"]
        near = {hit.exchange.text: hit.cosine for hit in await here.view.recall.messages("where is the parrot?", 5)}
        assert near["where is the parrot?"] == pytest.approx(1)


async def test_a_question_is_embedded_again_where_the_endpoint_serves_another_model_since(tmp_path: Path) -> None:
    embedder = Noting()
    async with at_home(tmp_path, embedder=embedder) as here:
        await here.say("the parrot is green")
        await here.view.embed()
        await here.found("where is the parrot?")
        embedder.dimension = 32
        await here.say("where is the parrot?")
        await here.say("the parrot is loud")
        assert await here.view.embed() >= 3, "all of it is embedded anew"
        near = {hit.exchange.text: hit.cosine for hit in await here.view.recall.messages("where is the parrot?", 5)}
        assert near["where is the parrot?"] == pytest.approx(1)


async def test_a_paraphrase_without_a_word_in_common_is_found(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(meanings=CAR, dimension=512)) as here:
        for n in range(10):
            await (await corner(here.memory, here.clock, "ada", place=f"p{n}")).say(f"a remark on gardens {n}", source=f"s{n}")
        wanted = await here.say("I acquired an automobile")
        assert await here.found("vehicle purchased") == [], "before anything was embedded"
        assert await here.view.embed() == 11
        hit = (await here.view.recall.messages("vehicle purchased", 3))[0]
        assert hit.exchange == wanted and hit.why[0] == f"meaning {hit.cosine:.2f}"
        assert await here.view.embed() == 0


async def test_without_the_embedder_words_serve(tmp_path: Path) -> None:
    embedder = Moody()
    async with at_home(tmp_path, embedder=embedder) as here:
        await here.say("the parrot is green")
        await here.view.embed()
        await here.say("the parrot is loud")
        embedder.failing = True
        assert sorted(await here.found("parrot")) == ["the parrot is green", "the parrot is loud"]
        with pytest.raises(EmbeddingFailed):
            await here.view.embed()
        embedder.failing = False
        assert await here.view.embed() == 1


async def test_a_hit_by_words_is_not_lost_to_meaning(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        for n in range(30):
            await here.say(f"a remark on gardens {n}")
        await here.view.embed()
        await here.say("zyzzyva")
        assert "zyzzyva" in (await here.found("zyzzyva"))[:3], "though it has no vector yet"


@pytest.mark.parametrize(("name", "dimension"), [("other", 64), ("bag", 32), ("other", 32)])
async def test_vectors_of_another_embedder_are_never_compared(tmp_path: Path, name: str, dimension: int) -> None:
    path = tmp_path / "lyra.db"
    clock = Clock()
    async with cornered(path, clock=clock, ids=Ids("a"), embedder=BagOfWords(meanings=CAR)) as here:
        await here.say("I acquired an automobile")
        await here.view.embed()
        assert await here.found("vehicle") != []
    async with cornered(path, clock=clock, ids=Ids("b"), embedder=BagOfWords(name, dimension, CAR)) as here:
        assert await here.found("vehicle") == [], "nothing of this embedder is there yet"
        assert await here.found("automobile") == ["I acquired an automobile"]
        assert await here.view.embed() == 1
        assert await here.found("vehicle") == ["I acquired an automobile"]
    async with cornered(path, clock=clock, ids=Ids("c"), embedder=BagOfWords(meanings=CAR)) as here:
        assert await here.found("vehicle") != [], "what the first one made is still there"


class Successor(BagOfWords):
    """An embedder that stands in for another."""

    replaces = ("bag",)


@pytest.mark.parametrize("successor", [Successor("better"), BagOfWords("better")])
async def test_what_an_embedder_made_goes_once_another_that_replaces_it_has_made_its_own(
    tmp_path: Path, successor: BagOfWords
) -> None:
    path, clock = tmp_path / "lyra.db", Clock()
    async with cornered(path, clock=clock, ids=Ids("a"), embedder=BagOfWords()) as here:
        for n in range(33):
            await here.say(f"remark {n}")
        await here.view.embed()
    async with cornered(path, clock=clock, ids=Ids("b"), embedder=successor) as here:
        assert await here.view.embed(most=1) == 32
        count = "SELECT s.embedder AS name, count(*) AS n FROM vectors v JOIN spaces s ON s.id = v.space GROUP BY 1"
        assert {row["name"] for row in await here.memory.db.all(count)} == {"bag", "better"}, "not before"
        await here.view.embed()
        kept = {row["name"]: row["n"] for row in await here.memory.db.all(count)}
    assert kept == ({"better": 33} if isinstance(successor, Successor) else {"bag": 33, "better": 33})


async def test_what_is_forgotten_while_it_is_embedded_gets_no_vector(tmp_path: Path) -> None:
    embedder = Moody()
    async with at_home(tmp_path, embedder=embedder) as here:
        secret, other = await here.say("the parrot is called Xerxes"), await here.say("a remark")
        embedder.asked, embedder.meanwhile = asyncio.Event(), asyncio.Event()
        embedding = asyncio.create_task(here.view.embed())
        await embedder.asked.wait()
        await here.view.forget_message(secret.id)
        embedder.meanwhile.set()
        await embedding
        assert [row["item"] for row in await here.memory.db.all("SELECT item FROM vectors")] == [other.key]


async def test_what_is_said_and_forgotten_while_a_question_is_embedded_does_no_harm(tmp_path: Path) -> None:
    embedder = Moody()
    async with at_home(tmp_path, embedder=embedder) as here:
        secret = await here.say("the parrot is called Xerxes")
        await here.say("the parrot is green")
        await here.view.embed()
        for change in ("said", "forgotten"):
            embedder.asked, embedder.meanwhile = asyncio.Event(), asyncio.Event()
            first = asyncio.create_task(here.found(f"parrot {change}"))
            await embedder.asked.wait()
            if change == "said":
                await here.say("the parrot is loud")
            else:
                await here.view.forget_message(secret.id)
            second = asyncio.create_task(here.found(f"parrot, {change}"))
            for _ in range(20):
                await here.memory.db.all("SELECT 1")
            embedder.meanwhile.set()
            for found in (await first, await second):
                assert "the parrot is green" in found
                assert change == "said" or "the parrot is called Xerxes" not in found
            embedder.asked = None


async def test_gists_are_found_by_meaning_too(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(meanings=CAR), habits=ConsolidationRules(EpisodeRules(count=1))) as here:
        await here.say("Ada acquired an automobile")
        work = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
        await work.close_episodes(here.session)
        await work.digest(here.session)
        assert await here.view.embed() == 2
        assert [hit.digest.text for hit in await gists_about(here.view, "vehicle", 3)] == ["Ada acquired an automobile"]


GREETED = (
    "Hey Mel, so great to hear from you! We acquired an automobile from the neighbours in spring. How are the kids these days, and how "
    "was the concert by the lake on Friday night with all of your friends?"
)


@pytest.mark.parametrize("by_themselves", [True, False])
async def test_what_is_told_between_a_greeting_and_a_question_is_found_by_what_it_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_themselves: bool
) -> None:
    if not by_themselves:
        monkeypatch.setattr(vectors, "telling_sentences", lambda text: [])
    async with at_home(tmp_path, embedder=BagOfWords(meanings=CAR, dimension=512)) as here:
        greeted = await here.say(GREETED)
        assert await here.view.embed() == 1
        assert await here.count("vectors") == 1 + by_themselves, (
            "one more for the sentence, none for the greeting and the question"
        )
        (hit,) = await here.view.recall.messages("purchased", 1)
        assert hit.exchange == greeted
        assert ((hit.cosine or 0.0) > 0.25) is by_themselves, "it is lost in the whole of it"


@pytest.mark.parametrize("documents", [3_000, 15_000])
def test_of_many_messages_the_sentences_of_those_are_read_that_are_near_themselves(documents: int) -> None:
    chance = np.random.default_rng(0)
    wholes, asked = (
        unit(chance.standard_normal((documents, 16), np.float32)),
        unit(chance.standard_normal((1, 16), np.float32))[0],
    )
    sentences = unit(np.repeat(wholes, 2, axis=0) + 0.1 * chance.standard_normal((2 * documents, 16), np.float32))
    meaning = Meaning(16)
    meaning.add(
        np.repeat(np.arange(documents), 3),
        np.concatenate([wholes[:, None], sentences.reshape(documents, 2, 16)], axis=1).reshape(-1, 16),
        np.tile([False, True, True], documents),
    )
    found, alone = meaning.scan(asked, documents).cosines, wholes @ asked
    both = np.maximum(alone, (sentences @ asked).reshape(-1, 2).max(axis=1))
    least = alone.mean() + FAR * alone.std() if documents > 10_000 else np.float32(-2)
    far, edge = alone < least, np.abs(alone - least) < 0.02
    assert np.abs(found - np.where(far, alone, both))[~edge].max() < 0.02
    assert len(set(np.argsort(-found)[:10]) & set(np.argsort(-both)[:10])) >= 9, "but for the last of them, as near as the next"
    assert (np.abs(both - alone)[far] > 0.02).any() == far.any()


@pytest.mark.parametrize("n", [1, 40, 128])
def test_what_the_highest_of_many_reach_few_others_do(n: int) -> None:
    values = np.random.default_rng(n).standard_normal(50_000).astype(np.float32)
    highest, reaching = np.sort(values)[-n:], np.flatnonzero(values >= reached(values, n))
    assert set(highest) <= set(values[reaching]) and len(reaching) < 2 * n + 8
    assert reached(values[:n], n) == -np.inf and (values[:1_000] >= reached(values[:1_000], n)).sum() == n


async def test_what_two_processes_embed_at_once_is_held_once(tmp_path: Path) -> None:
    path, clock, slow, asked, meanwhile = tmp_path / "lyra.db", Clock(), Moody(), asyncio.Event(), asyncio.Event()
    async with (
        opened(path, clock=clock, ids=Ids("a"), embedder=BagOfWords()) as one,
        opened(path, clock=clock, ids=Ids("b"), embedder=slow) as other,
    ):
        here, there = await corner(one, clock), await corner(other, clock)
        for n in range(40):
            await here.say(f"parrot {n}")

        async def taken() -> int:
            await there.found("parrot")
            (loaded,) = await other.domain_indexes.load([there.domain.key], (1,))
            return sum(meaning.nbytes for meaning in loaded.domain_indexes[MESSAGES].meanings.values())

        slow.asked, slow.meanwhile = asked, meanwhile
        embedding = asyncio.ensure_future(there.view.embed())
        await asked.wait()
        slow.asked = None
        await here.view.embed()
        before = await taken()
        meanwhile.set()
        await embedding
        assert await taken() == before


@pytest.mark.parametrize("dimension", [32, 384])
def test_how_near_a_message_is_does_not_depend_on_where_it_stands(dimension: int) -> None:
    made = np.random.default_rng(3).normal(size=(70, dimension)).astype(np.float32)
    asked = np.asarray(made[0] / np.linalg.norm(made[0]), np.float32)

    def near(order: Sequence[int]) -> dict[int, float]:
        meaning = Meaning(dimension)
        meaning.add(np.arange(len(order)), made[order], np.zeros(len(order), np.bool_))
        return dict(zip(order, meaning.scan(asked, len(order)).cosines.tolist(), strict=True))

    assert near(range(70)) == near(range(70)[::-1]) == {n: near([n])[n] for n in range(70)}


def test_vectors_that_are_loaded_take_little_more_memory_meanwhile_than_they_keep() -> None:
    made, parts = np.ones((4_000, 384), np.float16), np.zeros(4_000, np.bool_)
    Meaning(384).add(np.arange(10), made[:10], parts[:10])
    tracemalloc.start()
    try:
        meaning = Meaning(384)
        meaning.add(np.arange(4_000), made, parts)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * meaning.nbytes, "what is in between scatters what stays, and the process keeps the rest"


async def test_no_domain_grows_while_it_is_read_beside_the_event_loop(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=None) as here:
        await here.say("the parrot is green")
        indexes = here.memory.domain_indexes
        (held,) = await indexes.load([here.domain.key], ())
        async with indexes.unchanged():
            await here.say("the parrot is loud")
            asking = asyncio.ensure_future(here.found("parrot"))
            await here.view.embed()
            await here.memory.db.all("SELECT 1 AS x")
            assert len(held.domain_indexes[MESSAGES]) == 1
        assert len(await asking) == len(held.domain_indexes[MESSAGES]) == 2
