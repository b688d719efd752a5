"""The local model for other languages finds what means the same in any of them, and nothing that was changed is used."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from bot.models.local import e5 as weights
from bot.models.local.e5 import E5
from bot.service import log
from memory.errors import EmbeddingFailed
from tests.kits.usual import usual_of_e5

FOLDER = weights.folder()
KEPT = Path(weights.__file__).with_name("e5_usual.npy")
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[E5]:
    """The local model for other languages."""
    assert FOLDER is not None, "`make model` installs it"
    made = E5(FOLDER)
    yield made
    await made.close()


@pytest.mark.torture
async def test_what_texts_have_in_common_is_what_the_model_says_of_small_talk() -> None:
    kept, made = np.load(KEPT).astype(np.float32), usual_of_e5()
    assert np.abs(kept[0] - made[0]).max() < 1e-3
    # A direction may come out turned round, and two that are as long as each other may change places.
    assert np.linalg.norm(kept[1:] @ made[1:].T, axis=1) == pytest.approx(np.ones(13), abs=0.01)


@pytest.mark.parametrize(
    ("asked", "answer", "others"),
    [
        ("Wie heißt meine Katze?", "The cat is called Turing.", ["The shop closes at eight.", "It was raining all day."]),
        ("where does my sister live?", "我姐姐搬到里斯本了。", ["今天又下雨了。", "我买了新鞋。"]),
        ("у кого диабет?", "A mon père on a trouvé un diabète.", ["Il pleut encore.", "J'ai acheté des chaussures."]),
    ],
)
async def test_a_question_is_near_its_answer_in_another_language(model: E5, asked: str, answer: str, others: list[str]) -> None:
    question, *said = await model.embed([asked, answer, *others])
    near, *far = (float(question @ row) for row in said)
    assert near > max(far) + 0.1


async def test_its_name_says_which_model_and_revision(model: E5) -> None:
    assert model.name == f"multilingual-e5-small-q4:{weights.SHA256[:12]}"


async def test_a_vector_does_not_depend_on_what_is_embedded_beside_it(model: E5) -> None:
    texts = [f"{'Das Boot liegt hinter dem Haus. ' * (n % 4)}Nummer {n}" for n in range(9)]
    together = await model.embed(texts)
    alone = np.concatenate([await model.embed([text]) for text in texts])
    assert together.shape == (9, 384) and together.dtype == np.float32
    assert np.abs(together - alone).max() < 1e-5
    assert (await model.embed([])).shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\0",
        "a\0b",
        "\ud800 alone",
        "👩‍👩‍👧‍👦" * 50,
        "شكرا جزيلا",
        "\n" * 9000,
        "w" * 9000,
        pytest.param("w" * 200_000, marks=pytest.mark.torture),
    ],
)
async def test_any_text_has_a_direction(model: E5, text: str) -> None:
    (row,) = await model.embed([text])
    assert np.isfinite(row).all() and abs(float(row @ row) - 1) < 1e-5


async def test_the_loop_goes_on_while_it_embeds(model: E5) -> None:
    await model.warm()
    embedding = asyncio.create_task(model.embed(["Das Boot liegt hinter dem Haus, wo niemand es sucht."] * 40))
    turns = 0
    while not embedding.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 20


@pytest.mark.parametrize("how", ["changed", "gone"])
async def test_a_file_that_is_not_the_published_one_is_refused_once_and_for_all(
    tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert FOLDER is not None
    log.configure("warning")
    engine = next(FOLDER.glob(weights.ENGINE))
    (tmp_path / engine.name).symlink_to(engine)
    if how == "changed":
        shutil.copy(FOLDER / weights.WEIGHTS, tmp_path)
        with (tmp_path / weights.WEIGHTS).open("r+b") as body:
            body.seek(60_000_000)
            body.write(b"\1\2\3")
    model = E5(tmp_path)
    for _ in range(2):
        with pytest.raises(EmbeddingFailed, match="make model"):
            await model.embed(["x"])
    assert str(tmp_path / weights.WEIGHTS) in str(model.refused)
    assert capsys.readouterr().err.count("embed.refused") == 1
    await model.close()
