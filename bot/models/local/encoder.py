"""A BERT encoder in numpy, with mean pooling over its last layer.

Devlin et al. 2019 for the encoder, Reimers & Gurevych 2019 for the mean over tokens. The tokens of all texts form one matrix,
text after text, with hardly any padding: only attention distinguishes texts, so nothing is computed for padding, and a text's
vector does not depend on its neighbours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from memory.ports import Vectors

Tokens = NDArray[np.int64]

_EPSILON = np.float32(1e-12)
_AT_ONCE = 32
"""Rows of the widest layer that fit into a core's cache together with their results: 576 KiB in all."""
_ROWS = 4
"""A matrix product whose rows are no multiple of this takes up to a third longer (OpenBLAS), so rows are padded."""


@dataclass(frozen=True, slots=True)
class _Norm:
    scale: Vectors
    shift: Vectors

    def apply(self, x: Vectors) -> None:
        """Normalize every row, in place."""
        x -= x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
        x /= np.sqrt(variance + _EPSILON)[:, None]
        x *= self.scale
        x += self.shift


@dataclass(frozen=True, slots=True)
class _Dense:
    """A linear layer: the weights are stored (in, out), for the fastest product."""

    weight: Vectors
    bias: Vectors

    def apply(self, x: Vectors) -> Vectors:
        """Return the layer's output for every row: (rows, out)."""
        y: Vectors = x @ self.weight
        y += self.bias
        return y


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer: attention, then two linear layers, each added to its input and normalized; `qkv` gives queries, keys and values."""

    qkv: _Dense
    attention_output: _Dense
    attention_norm: _Norm
    intermediate: _Dense
    output: _Dense
    output_norm: _Norm


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of consecutive texts of one length: its rows, the number of texts, and the tokens of each."""

    rows: slice
    texts: int
    tokens: int


class Encoder:
    """Turns token ids into vectors."""

    def __init__(self, tensors: Mapping[str, Vectors], heads: int) -> None:
        """Take the weights, under BERT's published names; those of the layers are copied, as they are transposed."""
        self._heads = heads
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        count = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
        self._layers = [_layer(tensors, f"encoder.layer.{n}", heads) for n in range(count)]

    def encode(self, texts: Sequence[Tokens]) -> Vectors:
        """Return the mean of the last layer over each text's tokens: float32 (texts, dimension), not normalized.

        Each text has at least one token. Consecutive texts of equal length are cheapest.
        """
        runs = list(_runs(texts))
        spare = np.zeros(-sum(map(len, texts)) % _ROWS, np.int64)
        state = self._words[np.concatenate([*texts, spare])]
        state += self._places[np.concatenate([*(np.arange(len(text)) for text in texts), spare])]
        self._norm.apply(state)
        # If a sum of squares overflows, the caller refuses the result.
        with np.errstate(over="ignore", invalid="ignore"):
            for layer in self._layers:
                state += layer.attention_output.apply(self._attend(layer.qkv.apply(state), runs))
                layer.attention_norm.apply(state)
                intermediate = layer.intermediate.apply(state)
                _gelu_twice(intermediate)
                state += layer.output.apply(intermediate)
                layer.output_norm.apply(state)
        return np.concatenate([state[run.rows].reshape(run.texts, run.tokens, -1).mean(axis=1) for run in runs])

    def _attend(self, qkv: Vectors, runs: Sequence[_Run]) -> Vectors:
        """Return each token's attention over its text, from rows of queries, keys and values: (rows, dimension)."""
        attended = np.zeros((len(qkv), qkv.shape[1] // 3), np.float32)
        for run in runs:
            parts = qkv[run.rows].reshape(run.texts, run.tokens, 3, self._heads, -1)
            query, key, value = parts.transpose(2, 0, 3, 1, 4)
            weights = query @ key.swapaxes(2, 3)
            weights -= weights.max(axis=3, keepdims=True)
            np.exp(weights, out=weights)
            part = attended[run.rows].reshape(run.texts, run.tokens, self._heads, -1).swapaxes(1, 2)
            np.matmul(weights, value, out=part)
            part /= weights.sum(axis=3, keepdims=True)
        return attended


_TANH = (
    1.8139263379368726e-09, -1.3378316212802718e-07, 3.97407025781312e-06, -5.527338393421449e-05,
    -3.3026706682221095e-05, 3.633414911632301e-2, 7.978842684159914e-1,
)  # fmt: skip
"""P with erf(x / sqrt 2) = tanh(x P(x * x)), highest power first.

Fitted by reweighted least squares to minimize the maximum error of GELU: 7e-8 in exact arithmetic, for every x. Half the time
of Abramowitz & Stegun 7.1.26, which is no more exact: numpy's tanh is faster than its exp and a division.
"""


def _gelu_twice(x: Vectors) -> None:
    """Turn x, in place, into 2 x times the normal distribution's cumulative value at x."""
    square = np.empty((min(_AT_ONCE, len(x)), x.shape[1]), np.float32)
    series = np.empty_like(square)
    first, *middle, last = (np.float32(one) for one in _TANH)
    for start in range(0, len(x), _AT_ONCE):
        some = x[start : start + _AT_ONCE]
        s, t = square[: len(some)], series[: len(some)]
        np.multiply(some, some, out=s)
        np.multiply(s, first, out=t)
        for term in middle:
            t += term
            t *= s
        t += last
        t *= some
        np.tanh(t, out=t)
        t += np.float32(1)
        some *= t


def _runs(texts: Sequence[Tokens]) -> Iterator[_Run]:
    start = 0
    for tokens, group in groupby(len(text) for text in texts):
        count = len(list(group))
        yield _Run(slice(start, start + count * tokens), count, tokens)
        start += count * tokens


def _layer(tensors: Mapping[str, Vectors], name: str, heads: int) -> _Layer:
    query, key, value = (_dense(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
    # Attention divides its scores by the root of the head size: folded into the queries' weights here.
    scale = np.float32((query.weight.shape[1] / heads) ** -0.5)
    output = _dense(tensors, f"{name}.output.dense")
    return _Layer(
        _Dense(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        ),
        _dense(tensors, f"{name}.attention.output.dense"),
        _norm(tensors, f"{name}.attention.output.LayerNorm"),
        _dense(tensors, f"{name}.intermediate.dense"),
        # GELU is computed twice as large.
        _Dense(output.weight * np.float32(0.5), output.bias),
        _norm(tensors, f"{name}.output.LayerNorm"),
    )


def _dense(tensors: Mapping[str, Vectors], name: str) -> _Dense:
    return _Dense(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"].copy())


def _norm(tensors: Mapping[str, Vectors], name: str) -> _Norm:
    return _Norm(tensors[f"{name}.weight"].copy(), tensors[f"{name}.bias"].copy())
