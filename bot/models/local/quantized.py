"""The encoder in eight-bit integers, run by ONNX Runtime: a fifth of the time, and without holding the GIL.

Weights are quantized once, with a scale per output; activations dynamically, with a scale per text. So each text is computed by
itself: its vector does not depend on its neighbours.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from bot.models.local.encoder import Tokens
from bot.models.local.onnx_graph import Graph, session
from memory.ports import Vectors

_EPSILON = 1e-12
_MOST = 63
"""Seven bits: processors without VNNI add two products in sixteen bits, which eight would overflow."""


class QuantizedEncoder:
    """Encodes token ids as vectors, each text in the calling thread."""

    def __init__(self, tensors: Mapping[str, Vectors], heads: int) -> None:
        """Take the weights, under BERT's published names. Raises NoModel if the runtime cannot be loaded."""
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        self._session = session(_model(tensors, heads))

    def encode(self, texts: Sequence[Tokens]) -> Vectors:
        """Return the mean of the last layer over each text's tokens: float32 (texts, dimension).

        Each text has at least one token.
        """
        states = ((self._words[text] + self._places[: len(text)])[None] for text in texts)
        return np.concatenate([self._session.run(None, {"state": state})[0] for state in states])


def _model(tensors: Mapping[str, Vectors], heads: int) -> bytes:
    """Return the layers as a model: from the sum of a text's embeddings, (1, tokens, dimension), to its mean vector."""
    graph = Graph()
    size = tensors["embeddings.LayerNorm.weight"].shape[0]
    graph.constant("thirds", np.array([size] * 3, np.int64))
    graph.node("LayerNormalization", ["state", *_norm(graph, tensors, "embeddings")], "layer 0", axis=-1, epsilon=_EPSILON)
    layers = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
    for n in range(layers):
        _layer(graph, tensors, n, heads)
    graph.node("ReduceMean", [f"layer {layers}"], "meant", axes=[1], keepdims=0)
    return graph.model(("state", [1, "tokens", size]), ("meant", [1, size]))


def _layer(graph: Graph, tensors: Mapping[str, Vectors], n: int, heads: int) -> None:
    name = f"encoder.layer.{n}"
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    weight, bias = (np.concatenate([tensors[f"{part}.{which}"] for part in parts]) for which in ("weight", "bias"))
    qkv, attention = [f"{part} {n}" for part in ("query", "key", "value")], f"{name}.attention.output"
    _dense(graph, f"layer {n}", weight, bias, f"qkv {n}")
    graph.node("Split", [f"qkv {n}", "thirds"], qkv, axis=2)
    graph.node("MultiHeadAttention", qkv, f"attention {n}", num_heads=heads)
    _dense(graph, f"attention {n}", tensors[f"{attention}.dense.weight"], tensors[f"{attention}.dense.bias"], f"attended {n}")
    _added(graph, [f"attended {n}", f"layer {n}", *_norm(graph, tensors, attention)], f"between {n}")
    wide = f"{name}.intermediate.dense"
    _dense(graph, f"between {n}", tensors[f"{wide}.weight"], tensors[f"{wide}.bias"], f"wide {n}")
    graph.node("Gelu", [f"wide {n}"], f"gelu {n}")
    narrow = f"{name}.output"
    _dense(graph, f"gelu {n}", tensors[f"{narrow}.dense.weight"], tensors[f"{narrow}.dense.bias"], f"narrow {n}")
    _added(graph, [f"narrow {n}", f"between {n}", *_norm(graph, tensors, narrow)], f"layer {n + 1}")


def _dense(graph: Graph, source: str, weight: Vectors, bias: Vectors, result: str) -> None:
    """Add a linear layer; the weights are given as (out, in)."""
    scale = np.maximum(weight.max(axis=1), -weight.min(axis=1)) / np.float32(_MOST)
    rounded = weight / np.maximum(scale, np.finfo(np.float32).tiny)[:, None]
    np.rint(rounded, out=rounded)
    constants = {"weight": rounded.T.astype(np.int8), "scale": scale, "bias": bias}
    names = {which: graph.constant(f"{which} of {result}", values) for which, values in constants.items()}
    graph.node("DynamicQuantizeMatMul", [source, names["weight"], names["scale"], "", names["bias"]], result)


def _added(graph: Graph, sources: Sequence[str], result: str) -> None:
    graph.node("SkipLayerNormalization", sources, result, epsilon=_EPSILON)


def _norm(graph: Graph, tensors: Mapping[str, Vectors], name: str) -> list[str]:
    return [graph.constant(f"{name}.{part}", tensors[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias")]
