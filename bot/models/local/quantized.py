"""The encoder in eight-bit integers, run by ONNX Runtime: a fifth of the time, and without holding the GIL.

Weights are quantized once, with a scale per output; activations dynamically, with a scale per text. So each text is computed by
itself: its vector does not depend on its neighbours.

The runtime is needed to run the model, but not to build it.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bot.imports import imported
from bot.models.local.encoder import Tokens
from bot.models.local.local_embedder import NoModel
from localization.sentences import lazy
from memory.ports import Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

PACKAGE, VERSION = "onnxruntime", "1.28.0"
"""The only supported version of the runtime: from 1.29 on it sends telemetry."""
_EPSILON = 1e-12
_MOST = 63
"""Seven bits: processors without VNNI add two products in sixteen bits, which eight would overflow."""

_IR_VERSION, _OPSET, _CONTRIBUTED = 8, 17, "com.microsoft"
_CONTRIBUTIONS = frozenset({"DynamicQuantizeMatMul", "Gelu", "MultiHeadAttention", "SkipLayerNormalization"})
_KINDS = {np.dtype(np.float32): 1, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_FLOAT, _INT, _INTS = 1, 2, 7
_Attribute = float | int | Sequence[int]


def installed() -> bool:
    """Return whether the supported version of the runtime is installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return False
    return (Path(spec.origin).parents[1] / f"{PACKAGE}-{VERSION}.dist-info").is_dir()


class QuantizedEncoder:
    """Encodes token ids as vectors, each text in the calling thread."""

    def __init__(self, tensors: Mapping[str, Vectors], heads: int) -> None:
        """Take the weights, under BERT's published names. Raises NoModel if the runtime cannot be loaded."""
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        self._session = _session(_model(tensors, heads))

    def encode(self, texts: Sequence[Tokens]) -> Vectors:
        """Return the mean of the last layer over each text's tokens: float32 (texts, dimension).

        Each text has at least one token.
        """
        states = ((self._words[text] + self._places[: len(text)])[None] for text in texts)
        return np.concatenate([self._session.run(None, {"state": state})[0] for state in states])


def _session(model: bytes) -> "InferenceSession":
    try:
        opened: type[InferenceSession] = imported(f"{PACKAGE}:InferenceSession")
        options: SessionOptions = imported(f"{PACKAGE}:SessionOptions")()
        imported(f"{PACKAGE}:disable_telemetry_events")()
    except ImportError as error:
        raise NoModel(
            lazy("The local model's engine {library} cannot be loaded here; install it again with `make model`.", library=PACKAGE)
        ) from error
    # Two threads of our own with a core each; the library's own would spin while waiting for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return opened(model, options, providers=["CPUExecutionProvider"])


class _Graph:
    """A graph under construction, in the ONNX format; a node's output is referenced by name.

    The format is protocol buffers (onnx.proto, github.com/onnx/onnx): a field is its number and kind, then a varint, or a length
    and as many bytes. The numbers are those of that file.
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        """Add a constant tensor: float32, int8 or int64; return its name."""
        shape = b"".join(_number(1, size) for size in values.shape)
        kept = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        self._constants.append(shape + _number(2, _KINDS[values.dtype]) + _bytes(8, name.encode()) + _bytes(9, kept))
        return name

    def node(self, kind: str, given: Sequence[str], made: str | Sequence[str], **attributes: _Attribute) -> None:
        """Add an operator: of ONNX, or one that the runtime contributes."""
        domain = _CONTRIBUTED if kind in _CONTRIBUTIONS else ""
        fields = chain(
            (_bytes(1, name.encode()) for name in given),
            (_bytes(2, name.encode()) for name in ([made] if isinstance(made, str) else made)),
            [_bytes(4, kind.encode())],
            (_bytes(5, _attribute(name, value)) for name, value in attributes.items()),
            [_bytes(7, domain.encode())],
        )
        self._nodes.append(b"".join(fields))

    def model(self, given: tuple[str, Sequence[str | int]], made: tuple[str, Sequence[str | int]]) -> bytes:
        """Return the model, with one float32 input and output: name and shape, with a name for each variable dimension."""
        graph = chain(
            _each(1, self._nodes), [_bytes(2, b"graph")], _each(5, self._constants),
            [_bytes(11, _value(*given)), _bytes(12, _value(*made))],
        )  # fmt: skip
        opsets = ((b"", _OPSET), (_CONTRIBUTED.encode(), 1))
        fields = (
            _number(1, _IR_VERSION),
            *(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in opsets),
            _bytes(7, b"".join(graph)),
        )
        return b"".join(fields)


def _model(tensors: Mapping[str, Vectors], heads: int) -> bytes:
    """Return the layers as a model: from the sum of a text's embeddings, (1, tokens, dimension), to its mean vector."""
    graph = _Graph()
    size = tensors["embeddings.LayerNorm.weight"].shape[0]
    graph.constant("thirds", np.array([size] * 3, np.int64))
    graph.node("LayerNormalization", ["state", *_norm(graph, tensors, "embeddings")], "layer 0", axis=-1, epsilon=_EPSILON)
    layers = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
    for n in range(layers):
        _layer(graph, tensors, n, heads)
    graph.node("ReduceMean", [f"layer {layers}"], "meant", axes=[1], keepdims=0)
    return graph.model(("state", [1, "tokens", size]), ("meant", [1, size]))


def _layer(graph: _Graph, tensors: Mapping[str, Vectors], n: int, heads: int) -> None:
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


def _dense(graph: _Graph, source: str, weight: Vectors, bias: Vectors, result: str) -> None:
    """Add a linear layer; the weights are given as (out, in)."""
    scale = np.maximum(weight.max(axis=1), -weight.min(axis=1)) / np.float32(_MOST)
    rounded = weight / np.maximum(scale, np.finfo(np.float32).tiny)[:, None]
    np.rint(rounded, out=rounded)
    constants = {"weight": rounded.T.astype(np.int8), "scale": scale, "bias": bias}
    names = {which: graph.constant(f"{which} of {result}", values) for which, values in constants.items()}
    graph.node("DynamicQuantizeMatMul", [source, names["weight"], names["scale"], "", names["bias"]], result)


def _added(graph: _Graph, sources: Sequence[str], result: str) -> None:
    graph.node("SkipLayerNormalization", sources, result, epsilon=_EPSILON)


def _norm(graph: _Graph, tensors: Mapping[str, Vectors], name: str) -> list[str]:
    return [graph.constant(f"{name}.{part}", tensors[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias")]


def _attribute(name: str, value: _Attribute) -> bytes:
    start = _bytes(1, name.encode())
    if isinstance(value, float):
        return start + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)
    if isinstance(value, int):
        return start + _number(3, value) + _number(20, _INT)
    return start + b"".join(_number(8, one) for one in value) + _number(20, _INTS)


def _value(name: str, shape: Sequence[str | int]) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _bytes(2, size.encode()) for size in shape)
    tensor = _number(1, _KINDS[np.dtype(np.float32)]) + _bytes(2, b"".join(_each(1, sizes)))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _each(field: int, bodies: Iterable[bytes]) -> Iterable[bytes]:
    return (_bytes(field, body) for body in bodies)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes((*made, value))
