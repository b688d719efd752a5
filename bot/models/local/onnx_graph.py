"""Models for ONNX Runtime, built of its operators. The runtime is needed to run a model, but not to build it."""

import struct
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bot.imports import imported
from bot.models.local.local_embedder import NoModel

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

PACKAGE, VERSION = "onnxruntime", "1.28.0"
"""The only supported version of the runtime: from 1.29 on it sends telemetry."""

_IR_VERSION, _OPSET, _CONTRIBUTED = 8, 17, "com.microsoft"
_CONTRIBUTIONS = frozenset(
    {
        "DynamicQuantizeMatMul",
        "FastGelu",
        "Gelu",
        "MatMulNBits",
        "MultiHeadAttention",
        "RotaryEmbedding",
        "SkipLayerNormalization",
    }
)
_KINDS = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_FLOAT, _INT, _INTS = 1, 2, 7
_Attribute = float | int | Sequence[int]


def installed() -> bool:
    """Return whether the supported version of the runtime is installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return False
    return (Path(spec.origin).parents[1] / f"{PACKAGE}-{VERSION}.dist-info").is_dir()


def session(model: bytes | Path) -> "InferenceSession":
    """Open a model, built or in a file, for one thread. Raises NoModel if the runtime cannot be loaded, or cannot read it."""
    try:
        opened: type[InferenceSession] = imported(f"{PACKAGE}:InferenceSession")
        options: SessionOptions = imported(f"{PACKAGE}:SessionOptions")()
        imported(f"{PACKAGE}:disable_telemetry_events")()
    except ImportError as error:
        raise NoModel(
            "The local model's engine {library} cannot be loaded here; install it again with `make model`.", library=PACKAGE
        ) from error
    # Two threads of our own with a core each; the library's own would spin while waiting for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return opened(model, options, providers=["CPUExecutionProvider"])


class Graph:
    """A graph under construction, in the ONNX format; a node's output is referenced by name.

    The format is protocol buffers (onnx.proto, github.com/onnx/onnx): a field is its number and kind, then a varint, or a length
    and as many bytes. The numbers are those of that file.
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        """Add a constant tensor: float32, int8, uint8 or int64; return its name."""
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
