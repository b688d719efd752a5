"""The local model says what the published one says, whatever it is given, and nothing that was changed is used."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models.local import minilm as weights
from bot.models.local.encoder import Encoder
from bot.models.local.local_embedder import unit
from bot.models.local.minilm import MiniLM, QuantizedEncoder
from bot.models.local.onnx_graph import PACKAGE, VERSION, installed
from bot.service import log
from memory.errors import EmbeddingFailed
from memory.ports import Vectors
from tests.fakes.pulse import PATIENCE
from tests.kits.slow_bert import meant, small_weights

HAPPY = "That is a happy person"
FOLDER = weights.folder()
LONG = "The kayak lies behind the boathouse, where nobody looks for it. "


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[MiniLM]:
    """The local model."""
    assert FOLDER is not None, "`make model` installs it"
    made = MiniLM(FOLDER)
    yield made
    await made.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def exact() -> AsyncIterator[MiniLM]:
    """The local model as it is computed where there is no runtime for it."""
    assert FOLDER is not None, "`make model` installs it"
    made = MiniLM(FOLDER, quantized=False)
    yield made
    await made.close()


@given(
    texts=st.lists(st.lists(st.integers(0, 49), min_size=1, max_size=24), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
    scale=st.sampled_from([0.3, 1.0, 4.0, 30.0]),
)
@settings(max_examples=25)
async def test_the_encoder_is_the_slow_one_made_fast(texts: list[list[int]], seed: int, scale: float) -> None:
    tensors = small_weights(seed, scale=scale)
    made = Encoder(tensors, heads=3).encode([np.array(text) for text in texts])
    slow = np.array([meant(tensors, 3, text) for text in texts])
    # With weights so large, attention chooses between tokens, and the rounding of 32 bits decides where two are alike.
    nearly = 1e-5 if scale < 30 else 1e-2
    assert np.abs(made - slow).max() <= nearly * max(1.0, np.abs(slow).max())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.3, 1.0])
async def test_in_eight_bits_it_is_nearly_the_slow_one(seed: int, scale: float) -> None:
    tensors = small_weights(seed, scale=scale)
    texts = [[1], [7, 7, 7], list(range(24)), list(range(49, 30, -1))]
    made = QuantizedEncoder(tensors, heads=3).encode([np.array(text) for text in texts])
    for row, text in zip(made, texts, strict=True):
        slow = np.array(meant(tensors, 3, text))
        assert float(row @ slow) / float(np.linalg.norm(row) * np.linalg.norm(slow)) > 0.99


async def test_it_is_the_published_model(model: MiniLM, exact: MiniLM) -> None:
    """The figures are those of sentence-transformers with the same weights."""
    others = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    for made, nearly in ((exact, 1e-4), (model, 0.03)):
        first, *rest = await made.embed([HAPPY, *others])
        assert [float(first @ row) for row in rest] == pytest.approx([0.6946, 0.9429, 0.2569], abs=nearly)
    texts = [HAPPY, *others, "x", "", LONG * 30, "我的猫叫图灵", "4711"]
    assert ((await exact.embed(texts)) * (await model.embed(texts))).sum(axis=1).min() > 0.97


async def test_its_name_says_which_model_and_revision_and_how_it_is_computed(model: MiniLM, exact: MiniLM) -> None:
    assert (exact.name, exact.replaces) == ("all-MiniLM-L6-v2:53aa51172d14", ())
    assert (model.name, model.replaces) == ("all-MiniLM-L6-v2-int8:53aa51172d14", (exact.name,))


@pytest.mark.parametrize("version", [VERSION, "1.29.0"])
async def test_no_other_version_of_its_runtime_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").touch()
    (tmp_path / f"{PACKAGE}-{version}.dist-info").mkdir()
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    assert installed() is (version == VERSION)


async def test_a_vector_does_not_depend_on_what_is_embedded_beside_it(model: MiniLM) -> None:
    texts = [HAPPY, *(f"{LONG * (n % 7)} remark number {n}" for n in range(12)), "", "x"]
    together = await model.embed(texts)
    alone = np.concatenate([await model.embed([text]) for text in texts])
    assert together.shape == (15, 384) and together.dtype == np.float32
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(np.linalg.norm(together, axis=1) - 1).max() < 1e-5


async def test_nothing_to_embed_is_no_row(model: MiniLM) -> None:
    assert (await model.embed([])).shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\0", "a\0b", "\ud800 alone", "👩‍👩‍👧‍👦" * 50, "شكرا جزيلا", "我的猫叫图灵", "é" * 500, "\n" * 9000, "w" * 2_000_000, LONG * 20_000],
)  # fmt: skip
async def test_any_text_has_a_direction(model: MiniLM, text: str) -> None:
    (row,) = await model.embed([text])
    assert np.isfinite(row).all() and abs(float(row @ row) - 1) < 1e-5


async def test_of_a_long_text_the_beginning_counts(model: MiniLM) -> None:
    cut, longer, other = await model.embed([LONG * 30, LONG * 40, LONG * 3])
    assert np.abs(cut - longer).max() < 1e-5 < np.abs(cut - other).max()


async def test_the_loop_goes_on_while_it_embeds(model: MiniLM) -> None:
    await model.warm()
    embedding = asyncio.create_task(model.embed([LONG * 8] * 20))
    turns = 0
    while not embedding.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 20


async def test_a_question_does_not_wait_for_a_long_list(model: MiniLM) -> None:
    await model.warm()
    embedding = asyncio.create_task(model.embed([LONG * 8] * 30))
    await asyncio.sleep(0.05)
    await model.embed(["where is the kayak?"])
    assert not embedding.done()
    await embedding


async def test_what_is_cancelled_holds_nothing_up(model: MiniLM) -> None:
    for wait in (0.0, 0.001, 0.2):
        embedding = asyncio.create_task(model.embed([LONG * 8] * 30))
        await asyncio.sleep(wait)
        embedding.cancel()
        with suppress(asyncio.CancelledError):
            await embedding
        async with asyncio.timeout(PATIENCE):
            assert (await model.embed([HAPPY])).shape == (1, 384)


async def test_several_who_embed_at_once_get_their_own(model: MiniLM) -> None:
    texts = [f"{LONG * (n % 3)} remark {n}" for n in range(12)]
    together = await asyncio.gather(*(model.embed([text]) for text in texts))
    assert np.abs(np.concatenate(together) - await model.embed(texts)).max() < 1e-5


@pytest.mark.parametrize("spoilt", [weights.WEIGHTS, weights.TOKENIZER])
@pytest.mark.parametrize("how", ["changed", "cut", "gone"])
async def test_a_file_that_is_not_the_published_one_is_refused_once_and_for_all(
    tmp_path: Path, spoilt: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert FOLDER is not None
    log.configure("warning")
    for name in weights.PUBLISHED:
        (tmp_path / name).symlink_to(FOLDER / name) if name != spoilt else shutil.copy(FOLDER / name, tmp_path)
    file = tmp_path / spoilt
    match how:
        case "changed":
            with file.open("r+b") as body:
                body.seek(100_000)
                body.write(b"\1")
        case "cut":
            with file.open("r+b") as body:
                body.truncate(1000)
        case "gone":
            file.unlink()
    model = MiniLM(tmp_path)
    assert model.refused == ""
    for _ in range(2):
        with pytest.raises(EmbeddingFailed, match="make model"):
            await model.embed([HAPPY])
    with pytest.raises(EmbeddingFailed, match=str(file)):
        await model.warm()
    assert str(file) in str(model.refused)
    assert capsys.readouterr().err.count("embed.refused") == 1
    await model.close()


@pytest.mark.parametrize("wrong", [0.0, np.nan, np.inf])
async def test_what_has_no_direction_is_refused(wrong: float) -> None:
    rows: Vectors = np.ones((3, 384), np.float32)
    assert np.allclose(np.linalg.norm(unit(rows), axis=1), 1)
    rows[1] = wrong
    with pytest.raises(EmbeddingFailed, match="no direction"):
        unit(rows)
