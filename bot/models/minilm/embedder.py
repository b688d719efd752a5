"""Embeddings from the local model, computed in worker threads."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bot.imports import imported
from bot.models.local_embedder import THREADS, LocalEmbedder, NoModel, mapped, require_published, unit
from bot.models.minilm.quantized import QuantizedEncoder, installed
from bot.models.minilm.weights import MODEL, PUBLISHED, TOKENIZER, WEIGHTS, tensors
from localization.sentences import lazy
from memory.ports import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from bot.models.minilm.encoder import Tokens

_DIMENSION, _HEADS = 384, 12
_MOST_TOKENS = 256
"""The most tokens of a text that the model was trained on (its published sentence_bert_config.json)."""
_MOST_CHARACTERS = 1 << 15
"""How many characters of a text are read: more than 256 words of 100 characters, the longest that the tokenizer looks up."""
_AT_ONCE = 256
"""Tokens per pass: in numpy it takes about 5 MB and 60 ms on one core, which is how long a question waits for it at most."""
_REVISION = PUBLISHED[WEIGHTS][:12]


class _Encodes(Protocol):
    def encode(self, texts: "Sequence[Tokens]") -> Vectors: ...


class MiniLM(LocalEmbedder["tuple[Tokenizer, _Encodes]"]):
    """Embeds with the model in a folder, loaded at the first text.

    Texts are computed in passes of bounded size, two at a time; a question asked during a long list waits for one pass, not for
    the list. They are computed in eight-bit integers if ONNX Runtime is installed, else in numpy. The results differ slightly,
    so each has a name of its own, and vectors of one are never compared with those of the other.
    """

    def __init__(self, folder: Path, quantized: bool | None = None) -> None:
        """Nothing is read yet. `quantized` selects eight-bit computation: None, if possible."""
        super().__init__()
        self._folder = folder
        self._quantized = installed() if quantized is None else quantized
        self.name = f"{MODEL}-int8:{_REVISION}" if self._quantized else f"{MODEL}:{_REVISION}"
        self.replaces = (f"{MODEL}:{_REVISION}",) if self._quantized else ()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text, in order: float32 (len(texts), 384). Texts are truncated to 256 tokens.

        Raises EmbeddingFailed if the model is missing, is not the published one, or finds no direction for a text.
        """
        rows = np.empty((len(texts), _DIMENSION), np.float32)
        encoder, read, left = await self._threaded(self._begin, texts, rows)
        passes = iter(left)

        async def compute() -> None:
            for some in passes:
                rows[some] = await self._threaded(encoder.encode, [read[n] for n in some])

        if left:
            async with asyncio.TaskGroup() as group:
                for _ in range(THREADS):
                    group.create_task(compute())
        return unit(rows)

    def _begin(self, texts: Sequence[str], rows: Vectors) -> "tuple[_Encodes, list[Tokens], list[list[int]]]":
        """Tokenize, and return the passes to compute; a single one is computed here, as a thread more costs as much as a question."""
        tokenizer, encoder = self._open()
        # The batch call releases the GIL, even for a list of one.
        read = [np.array(tokenizer.encode_batch_fast([_clean(text)])[0].ids) for text in texts]
        passes = list(_passes(read))
        if len(passes) == 1:
            some = passes.pop()
            rows[some] = encoder.encode([read[n] for n in some])
        return encoder, read, passes

    def _load(self) -> "tuple[Tokenizer, _Encodes]":
        try:
            reader: type[Tokenizer] = imported("tokenizers:Tokenizer")
        except ImportError as error:
            raise NoModel(
                lazy("The local model's tokenizer cannot be loaded here; install it again with `make model`.")
            ) from error
        weights = mapped(self._folder / WEIGHTS)
        with ThreadPoolExecutor(1, thread_name_prefix="local-model") as beside:
            # Hashing 90 MB takes 60 ms. The model is built meanwhile, but not used before the hash is verified.
            checked = beside.submit(require_published, self._folder / WEIGHTS, weights, PUBLISHED[WEIGHTS])
            try:
                made = _tokenizer(reader, self._folder / TOKENIZER), (_quantized if self._quantized else _exact)(weights)
            finally:
                checked.result()
        return made


def _tokenizer(reader: "type[Tokenizer]", path: Path) -> "Tokenizer":
    body = mapped(path)
    require_published(path, body, PUBLISHED[TOKENIZER])
    tokenizer = reader.from_buffer(body[:])
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer


def _exact(weights: mmap) -> _Encodes:
    # Two threads of our own with a core each. The library's own threads spin while waiting for each other: on a busy machine
    # a matrix product then took a hundred times as long.
    imported("threadpoolctl:threadpool_limits")(1, user_api="blas")
    made: _Encodes = imported("bot.models.minilm.encoder:Encoder")(tensors(weights), _HEADS)
    return made


def _quantized(weights: mmap) -> _Encodes:
    made: _Encodes = QuantizedEncoder(tensors(weights), _HEADS)
    return made


def _clean(text: str) -> str:
    """Return a text with lone surrogates replaced by question marks."""
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _passes(read: "Sequence[Tokens]") -> Iterator[list[int]]:
    """Yield batches of text indices: longest first, so that texts of equal length are neighbours."""
    some: list[int] = []
    tokens = 0
    for n in sorted(range(len(read)), key=lambda n: -len(read[n])):
        if some and tokens + len(read[n]) > _AT_ONCE:
            yield some
            some, tokens = [], 0
        some.append(n)
        tokens += len(read[n])
    if some:
        yield some
