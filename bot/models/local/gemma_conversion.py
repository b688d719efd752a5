"""The conversion of EmbeddingGemma's published files into those that are run here: a quarter of the size.

Its layers become a model for ONNX Runtime with weights in four bits. Its architecture is Gemma 3's with attention in both
directions: normalized before and after attention and the gated layer, three heads that share one key and one value, positions
by rotation (arXiv:2503.19786, arXiv:2509.20354).
"""

import json
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.models.local.gemma import DIMENSION, GRAPH, HASHED, MADE, SCALES, TOKENIZER, WORDS
from bot.models.local.local_embedder import NoModel, mapped
from bot.models.local.minilm import tensors
from bot.models.local.onnx_graph import Graph
from memory.ports import Vectors

_WEIGHTS, _WIDER, _NARROWER = "model.safetensors", "2_Dense/model.safetensors", "3_Dense/model.safetensors"
_EMBEDDING = "embed_tokens.weight"
_ROWS = 4096
_HEADS, _HEAD = 3, 256
_EPSILON = 1e-6
_EVERY = 6
"""Each sixth layer attends to the whole text, with slower rotation."""
_BASE, _SLOW_BASE = 1e4, 1e6
_LONGEST = 512
"""Tokens; up to the width of the window all layers attend to the whole text."""
_BLOCK = 32
"""Weights that share a scale."""


def convert(published: Path, into: Path) -> None:
    """Write the converted model of a folder with the published files into an empty folder.

    Raises OSError, and NoModel for a file that is missing or another one.
    """
    found = _read(published / _WEIGHTS)
    wider, narrower = (_only(published / name) for name in (_WIDER, _NARROWER))
    try:
        head, words = (narrower @ wider)[:DIMENSION], found[_EMBEDDING]
        graph = layers(found, np.ascontiguousarray(head.T))
    except (ValueError, KeyError, IndexError) as error:
        raise _not_published(published / _WEIGHTS) from error
    if head.shape != (DIMENSION, words.shape[-1]):
        raise _not_published(published / _NARROWER)
    _require_words(published / TOKENIZER, len(words))
    (into / GRAPH).write_bytes(graph)
    _write_words(words, into)
    shutil.copyfile(published / TOKENIZER, into / TOKENIZER)
    hashes = {name: sha256(mapped(into / name)).hexdigest() for name in HASHED}
    (into / MADE).write_text(json.dumps(hashes), "utf-8")


def _read(path: Path) -> dict[str, Vectors]:
    try:
        return tensors(mapped(path))
    except (ValueError, KeyError, TypeError, AttributeError, NoModel) as error:
        raise _not_published(path) from error


def _only(path: Path) -> Vectors:
    found = list(_read(path).values())
    if len(found) != 1:
        raise _not_published(path)
    return found[0]


def _require_words(path: Path, count: int) -> None:
    """Raise NoModel unless a tokenizer is in a file, and each of its words has one of `count` embeddings."""
    try:
        right = max(json.loads(path.read_bytes())["model"]["vocab"].values()) < count
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _not_published(path) from error
    if not right:
        raise _not_published(path)


def _not_published(path: Path) -> NoModel:
    return NoModel("{path} cannot be read, or is not what EmbeddingGemma was published with; download it again.", path=path)


def _write_words(words: Vectors, into: Path) -> None:
    """Write the embedding of each word in eight bits, and the scales, which hold that the model multiplies by the root of its width."""
    count, width = words.shape
    scales = np.empty(count, np.float32)
    # Not by a map of the file: where no room is left on the disk, that ends the process without a word.
    with (into / WORDS).open("wb") as kept:
        about = {"descr": np.lib.format.dtype_to_descr(np.dtype(np.int8)), "fortran_order": False, "shape": (count, width)}
        np.lib.format.write_array_header_1_0(kept, about)
        for start in range(0, count, _ROWS):
            some = words[start : start + _ROWS]
            most = np.maximum(np.abs(some).max(axis=1), np.finfo(np.float32).tiny)
            kept.write(np.rint(some * (np.float32(127) / most)[:, None]).astype(np.int8).tobytes())
            scales[start : start + _ROWS] = most * np.float32(width**0.5 / 127)
    np.save(into / SCALES, scales)


def layers(weights: Mapping[str, Vectors], head: Vectors) -> bytes:
    """Return the layers as a model: from a text's embeddings, (1, tokens, dimension), to the head's product with their mean.

    `weights` are under their published names, `head` is (dimension, made). Raises KeyError for a weight that is missing,
    and ValueError for weights of another shape.
    """
    graph = _Layers(weights)
    state = "state"
    count = len({name.split(".")[1] for name in weights if name.startswith("layers.")})
    for n in range(count):
        state = graph.layer(n, state)
    graph.norm(state, "norm.weight", "normed")
    graph.node("ReduceMean", ["normed"], "meant", axes=[1], keepdims=0)
    graph.node("MatMul", ["meant", graph.constant("head", head)], "made")
    return graph.model(("state", [1, "tokens", head.shape[0]]), ("made", [1, head.shape[1]]))


class _Layers(Graph):
    """The graph with the model's kinds of layers."""

    def __init__(self, weights: Mapping[str, Vectors]) -> None:
        super().__init__()
        self._weights = weights
        self.constant("start", np.array([0], np.int64))
        self.constant("qkv sizes", np.array([_HEADS * _HEAD, _HEAD, _HEAD], np.int64))
        self.constant("by head", np.array([1, -1, _HEADS, _HEAD], np.int64))
        self.constant("joined", np.array([1, -1, _HEADS * _HEAD], np.int64))
        for kind, base in (("near", _BASE), ("far", _SLOW_BASE)):
            turns = np.outer(np.arange(_LONGEST), base ** -(np.arange(0, _HEAD, 2) / _HEAD))
            self.constant(f"cos {kind}", np.cos(turns).astype(np.float32))
            self.constant(f"sin {kind}", np.sin(turns).astype(np.float32))

    def norm(self, source: str, weight: str, result: str) -> None:
        """Add a normalization by the root of the mean square; the published weights are above one."""
        scale = self.constant(f"weight of {result}", (1 + self._weights[weight]).astype(np.float32))
        self.node("SimplifiedLayerNormalization", [source, scale], result, axis=-1, epsilon=_EPSILON)

    def layer(self, n: int, state: str) -> str:
        """Add a layer, and return the name of its output."""
        name = f"layers.{n}"
        self.norm(state, f"{name}.input_layernorm.weight", f"normed {n}")
        self._attention(n, f"{name}.self_attn")
        self.norm(f"attended {n}", f"{name}.post_attention_layernorm.weight", f"attended normed {n}")
        self.node("Add", [state, f"attended normed {n}"], f"between {n}")
        self.norm(f"between {n}", f"{name}.pre_feedforward_layernorm.weight", f"between normed {n}")
        self._gated(n, f"{name}.mlp")
        self.norm(f"narrow {n}", f"{name}.post_feedforward_layernorm.weight", f"narrow normed {n}")
        self.node("Add", [f"between {n}", f"narrow normed {n}"], f"layer {n}")
        return f"layer {n}"

    def _attention(self, n: int, name: str) -> None:
        for part, heads in (("q", _HEADS), ("k", 1), ("v", 1)):
            if len(self._weights[f"{name}.{part}_proj.weight"]) != heads * _HEAD:
                raise ValueError(f"{name} has other heads")
        self._dense(f"normed {n}", [f"{name}.{part}_proj.weight" for part in "qkv"], f"qkv {n}")
        self.node("Split", [f"qkv {n}", "qkv sizes"], [f"q {n}", f"k {n}", f"v {n}"], axis=2)
        self.node("Reshape", [f"q {n}", "by head"], f"q by head {n}")
        self.norm(f"q by head {n}", f"{name}.q_norm.weight", f"q normed {n}")
        self.node("Reshape", [f"q normed {n}", "joined"], f"q joined {n}")
        self.norm(f"k {n}", f"{name}.k_norm.weight", f"k normed {n}")
        turns = ["start", *(f"{part} {'near' if (n + 1) % _EVERY else 'far'}" for part in ("cos", "sin"))]
        self.node("RotaryEmbedding", [f"q joined {n}", *turns], f"q turned {n}", num_heads=_HEADS)
        self.node("RotaryEmbedding", [f"k normed {n}", *turns], f"k turned {n}", num_heads=1)
        for part in (f"k turned {n}", f"v {n}"):
            self.node("Concat", [part] * _HEADS, f"{part} each", axis=2)
        sources = [f"q turned {n}", f"k turned {n} each", f"v {n} each"]
        self.node("MultiHeadAttention", sources, f"heads {n}", num_heads=_HEADS)
        self._dense(f"heads {n}", [f"{name}.o_proj.weight"], f"attended {n}")

    def _gated(self, n: int, name: str) -> None:
        self._dense(f"between normed {n}", [f"{name}.gate_proj.weight"], f"gate {n}")
        self._dense(f"between normed {n}", [f"{name}.up_proj.weight"], f"wide {n}")
        self.node("FastGelu", [f"gate {n}"], f"opened {n}")
        self.node("Mul", [f"opened {n}", f"wide {n}"], f"gated {n}")
        self._dense(f"gated {n}", [f"{name}.down_proj.weight"], f"narrow {n}")

    def _dense(self, source: str, weights: list[str], result: str) -> None:
        """Add a linear layer without bias; the weights are given as (out, in), and joined."""
        weight = np.concatenate([self._weights[name] for name in weights])
        packed, scales = in_four_bits(weight)
        names = [self.constant(f"weight of {result}", packed), self.constant(f"scale of {result}", scales)]
        out, into = weight.shape
        self.node("MatMulNBits", [source, *names], result, K=into, N=out, bits=4, block_size=_BLOCK, accuracy_level=4)


def in_four_bits(weight: Vectors) -> tuple[NDArray[np.uint8], Vectors]:
    """Return weights (out, in) as the operator MatMulNBits takes them: two in a byte, in blocks of 32, and a scale a block.

    The block's largest weight by amount becomes -8, which is 0 in the operator's encoding.
    """
    blocks = weight.reshape(len(weight), -1, _BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
    scales = largest / np.float32(-8)
    scales[scales == 0] = 1
    rounded = np.clip(np.rint(blocks / scales) + 8, 0, 15).astype(np.uint8)
    return rounded[..., 0::2] | rounded[..., 1::2] << 4, scales.astype(np.float32).reshape(-1)
