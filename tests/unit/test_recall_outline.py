"""In a large shard cosines are estimated first, and computed of what is near."""

from pathlib import Path

import numpy as np
import pytest

from bot.models.local.local_embedder import unit
from memory.index.indexing import MESSAGES
from memory.index.recall import meaning
from memory.index.recall.meaning import WIDTH, Meaning, Outline, quantized
from memory.ports import Vectors
from tests.kits.memory_kit import BagOfWords, at_home

DIMENSION = 384
MANY = 1_000


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MANY", MANY)


def talk(n: int) -> Vectors:
    """Return vectors that differ more in some directions than in others, as those of sentences do, and share one."""
    chance = np.random.default_rng(0)
    weights = 1 / np.sqrt(np.arange(DIMENSION) + 10)
    turned, _ = np.linalg.qr(chance.standard_normal((DIMENSION, DIMENSION)))
    return unit(((chance.standard_normal((n, DIMENSION)) * weights + 0.1 * weights[0]) @ turned).astype(np.float32))


def drawn(vectors: Vectors, at: int) -> Meaning:
    """Return vectors with an outline that was drawn when so many were there."""
    made = Meaning(DIMENSION)
    for start, end in ((0, at), (at, len(vectors))):
        made.add(np.arange(start, end), vectors[start:end], np.zeros(end - start, np.bool_))
        if made.lacks_outline:
            made.draw()
    return made


def found_of_the_nearest(made: Meaning, vectors: Vectors) -> int:
    """Return how many of the ten nearest to ten questions are found."""
    asked = vectors[7::400]
    nearest = [(np.argsort(-made.scan(one, len(vectors)).cosines)[:10], np.argsort(-(vectors @ one))[:10]) for one in asked]
    return sum(len(set(found) & set(exact)) for found, exact in nearest)


def test_the_nearest_are_found_and_what_is_usual_stays() -> None:
    vectors = talk(4_000)
    made = drawn(vectors, 2_000)
    assert found_of_the_nearest(made, vectors) >= 95
    for one in vectors[7::400]:
        found, exact = made.scan(one, len(vectors)).cosines, vectors @ one
        near = found >= found.mean() + 2 * found.std()
        assert np.abs(found - exact)[near].max() < 3e-3, "of what is near the cosine is computed"
        assert 1e-3 < np.abs(found - exact)[~near].mean() < 0.03, "that of the others is estimated"
        assert abs(found.mean() - exact.mean()) < 0.002


def test_the_nearest_are_missed_in_other_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = talk(4_000)
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (None, np.eye(len(matrix), dtype=np.float32)))
    assert found_of_the_nearest(drawn(vectors, 2_000), vectors) < 90


def test_it_does_not_depend_on_when_it_was_drawn() -> None:
    vectors = talk(3_000)
    once, grown = drawn(vectors, 3_000), drawn(vectors, 1_001)
    assert (once.scan(vectors[5], 3_000).cosines == grown.scan(vectors[5], 3_000).cosines).all()
    assert once.nbytes == grown.nbytes


def test_there_is_none_of_few_or_of_short_ones() -> None:
    assert not drawn(talk(1_000), 1_000).lacks_outline
    short = Meaning(WIDTH)
    short.add(np.arange(2_000), np.ones((2_000, WIDTH), np.float32), np.zeros(2_000, np.bool_))
    assert not short.lacks_outline


def test_vectors_of_nothing_are_far_from_everything() -> None:
    outline = Outline(*quantized(np.zeros((MANY, DIMENSION), np.float32)))
    outline.add(*quantized(np.zeros((3, DIMENSION), np.float32)))
    assert (outline.cosines(talk(1)[0]) == 0).all()


async def test_a_domain_that_becomes_large_is_found_in_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MANY", 30)
    async with at_home(
        tmp_path, embedder=BagOfWords(meanings={"automobile": "car", "vehicle": "car"}, dimension=2 * WIDTH)
    ) as here:

        async def remarks(n: int) -> None:
            for at in range(n):
                await here.say(f"a remark on gardens, {chr(97 + at)}{at} of them")
            await here.view.embed()

        async def outlines() -> list[bool]:
            (loaded,) = await here.memory.domain_indexes.load([here.domain.key], (1,))
            assert not loaded.to_draw
            return [one._outline is not None for one in loaded.domain_indexes[MESSAGES].meanings.values()]

        await here.say("my automobile is green")
        await remarks(20)
        assert (await here.found("vehicle"))[0] == "my automobile is green" and await outlines() == [False]
        await remarks(20)
        assert (await here.found("vehicle"))[0] == "my automobile is green" and await outlines() == [True]
        await here.say("that automobile is loud")
        await here.view.embed()
        assert sorted((await here.found("vehicle"))[:2]) == ["my automobile is green", "that automobile is loud"]
