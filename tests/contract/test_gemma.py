"""The large local model: converted from its published files, and computing what its architecture says."""

import hashlib
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import numpy as np
import pytest
from tokenizers import Tokenizer

from bot.models.local import gemma
from bot.models.local.gemma import Gemma
from bot.models.local.gemma_conversion import convert
from bot.models.local.local_embedder import NoModel
from bot.setup.large_model import NotFetched, join_parts
from memory.errors import EmbeddingFailed
from memory.ports import Vectors
from tests.kits.tiny_gemma import computed, published, safetensors

TOLD, ASKED = "title : none | text :", "task : search result | query :"
USUAL = np.load(Path(gemma.__file__).with_name("gemma_usual.npy")).astype(np.float32)


@pytest.fixture
def weights(tmp_path: Path) -> dict[str, Vectors]:
    """A small model's weights, its files written."""
    return published(tmp_path / "published")


@pytest.fixture
async def model(tmp_path: Path, weights: dict[str, Vectors]) -> AsyncIterator[Gemma]:
    """The small model, converted."""
    (tmp_path / "converted").mkdir()
    convert(tmp_path / "published", tmp_path / "converted")
    embedder = Gemma(tmp_path / "converted")
    yield embedder
    await embedder.close()


def expected(weights: dict[str, Vectors], words: str) -> Vectors:
    """Return the vector of some words, without what texts of all languages have in common."""
    row = computed(weights, words.split()) - USUAL[0]
    row -= USUAL[1:].T @ (USUAL[1:] @ row)
    made: Vectors = row / np.linalg.norm(row)
    return made


async def test_what_is_told_and_what_is_asked_is_embedded_as_the_architecture_says(
    model: Gemma, weights: dict[str, Vectors]
) -> None:
    words = "mars is often called the red planet"
    told, asked = (await model.embed([words, "venus"])), await model.ask(words)
    assert told.shape == (2, 384) and np.allclose(np.linalg.norm(told, axis=1), 1, atol=1e-5)
    for row, said in ((told[0], f"{TOLD} {words}"), (told[1], f"{TOLD} venus"), (asked, f"{ASKED} {words}")):
        assert float(row @ expected(weights, said)) > 0.999
    assert float(told[0] @ asked) < 0.999


async def test_a_word_in_another_place_makes_another_vector(model: Gemma) -> None:
    one, other = await model.embed(["mars called venus the planet", "venus called mars the planet"])
    assert float(one @ other) < 0.999


async def test_no_text_odd_text_and_long_text_are_embedded(model: Gemma) -> None:
    assert (await model.embed([])).shape == (0, 384)
    odd = await model.embed(["", "\ud800", "\0", "mars " * 5000])
    assert odd.shape == (4, 384) and np.isfinite(odd).all()


@pytest.mark.parametrize("missing", [gemma.GRAPH, gemma.WORDS, gemma.SCALES, gemma.TOKENIZER])
async def test_a_damaged_model_is_told_of(model: Gemma, tmp_path: Path, missing: str) -> None:
    (tmp_path / "converted" / missing).write_bytes(b"nothing")
    with pytest.raises(EmbeddingFailed, match="is damaged; remove it, and `lyra setup --large` fetches it again"):
        await model.embed(["mars"])


@pytest.mark.parametrize("words", [b"", None])
async def test_words_of_another_model_are_told_of(model: Gemma, tmp_path: Path, words: bytes | None) -> None:
    kept = tmp_path / "converted" / gemma.WORDS
    if words is None:
        np.save(kept, np.load(kept)[:3])
    else:
        kept.write_bytes(words)
    with pytest.raises(EmbeddingFailed, match="is damaged"):
        await model.embed(["mars"])


async def test_what_reads_like_a_control_token_is_embedded_as_what_it_says(tmp_path: Path, weights: dict[str, Vectors]) -> None:
    path = tmp_path / "published" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    # As in the published one, the token of an image comes after the last word that has an embedding.
    tokenizer.add_special_tokens(["<image_soft_token>"])
    tokenizer.save(str(path))
    (tmp_path / "converted").mkdir()
    convert(tmp_path / "published", tmp_path / "converted")
    embedder = Gemma(tmp_path / "converted")
    assert (await embedder.embed(["mars <image_soft_token>"])).shape == (1, 384)
    assert (await embedder.ask("<image_soft_token>")).shape == (384,)
    await embedder.close()


OTHERS: dict[str, tuple[str, bytes]] = {
    "no safetensors": ("model.safetensors", b"version https://git-lfs.github.com/spec/v1"),
    "a list": ("model.safetensors", (8).to_bytes(8, "little") + b"[1,2]   "),
    "another model": ("model.safetensors", safetensors({"bert.weight": np.ones((4, 4), np.float32)})),
    "nothing": ("2_Dense/model.safetensors", safetensors({})),
    "another width": ("3_Dense/model.safetensors", safetensors({"linear.weight": np.ones((400, 47), np.float32)})),
    "too few numbers": ("3_Dense/model.safetensors", safetensors({"linear.weight": np.ones((100, 48), np.float32)})),
    "no tokenizer": ("tokenizer.json", b"{}"),
    "more words": ("tokenizer.json", b'{"model": {"vocab": {"mars": 99999}}}'),
}


@pytest.mark.parametrize("other", OTHERS)
def test_files_that_are_not_the_published_ones_are_refused(tmp_path: Path, weights: dict[str, Vectors], other: str) -> None:
    name, body = OTHERS[other]
    (tmp_path / "published" / name).write_bytes(body)
    (tmp_path / "converted").mkdir()
    with pytest.raises(NoModel, match="is not what EmbeddingGemma was published with"):
        convert(tmp_path / "published", tmp_path / "converted")


def test_files_that_were_cut_off_are_refused(tmp_path: Path, weights: dict[str, Vectors]) -> None:
    path = tmp_path / "published" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4000])
    (tmp_path / "converted").mkdir()
    with pytest.raises(NoModel, match="is not what EmbeddingGemma was published with"):
        convert(tmp_path / "published", tmp_path / "converted")


def test_files_that_are_missing_are_named(tmp_path: Path, weights: dict[str, Vectors]) -> None:
    (tmp_path / "published" / "3_Dense" / "model.safetensors").unlink()
    (tmp_path / "converted").mkdir()
    with pytest.raises(NoModel, match="3_Dense"):
        convert(tmp_path / "published", tmp_path / "converted")


class Cacheable(SimpleHTTPRequestHandler):
    """Serves files that may be cached for years, as the package registry does."""

    def end_headers(self) -> None:
        """Say so in every answer."""
        self.send_header("Cache-Control", "max-age=365000000, immutable, public")
        super().end_headers()


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Two packages with a part each, in a registry on this machine; the lines of their lock."""
    served, lines = tmp_path / "simple" / "tiny-part", list[str]()
    served.mkdir(parents=True)
    for n in (1, 2):
        wheel = served / f"tiny_part-0.{n}-py3-none-any.whl"
        with ZipFile(wheel, "w") as package:
            info = f"tiny_part-0.{n}.dist-info"
            package.writestr("tiny_part/chunk.bin", bytes([64 + n]) * n)
            package.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part\nVersion: 0.{n}\n")
            package.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            package.writestr(f"{info}/RECORD", "")
        lines.append(f"tiny-part==0.{n} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    links = "".join(f'<a href="{wheel.name}">{wheel.name}</a>' for wheel in served.iterdir())
    (served / "index.html").write_text(f"<!DOCTYPE html>{links}")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Cacheable, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{server.server_port}/simple")
    # Nothing is cached of an address that is neither encrypted nor trusted.
    monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")
    for name in ("PIP_CACHE_DIR", "UV_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    yield lines
    server.shutdown()
    server.server_close()


def test_parts_are_fetched_in_order_and_joined(tmp_path: Path, parts: list[str]) -> None:
    told = list[tuple[int, int]]()
    join_parts(parts, tmp_path / "joined", lambda *done: told.append(done))
    assert (tmp_path / "joined").read_bytes() == b"ABB" and told == [(0, 2), (1, 2)]
    assert not [path for path in tmp_path.glob("cache/**/*") if path.is_file()], "a gigabyte would stay there"


def test_a_part_that_is_not_the_published_one_is_refused(tmp_path: Path, parts: list[str]) -> None:
    with pytest.raises(NotFetched, match="could not be fetched"):
        join_parts([f"tiny-part==0.2 --hash=sha256:{'0' * 64}"], tmp_path / "joined", lambda *_: None)
