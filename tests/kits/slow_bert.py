"""A slow and obvious BERT encoder in plain Python, as the reference for the real one."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from memory.ports import Vectors

Row = list[float]
Weights = Mapping[str, Vectors]


def small_weights(seed: int, *, size: int = 12, wide: int = 20, layers: int = 2, words: int = 50, scale: float = 1.0) -> Weights:
    """Return random weights for a small model, named as BERT's are; a larger scale drives it into its extremes."""
    random = np.random.default_rng(seed)

    def some(*shape: int, middle: float = 0.0) -> Vectors:
        return np.asarray(random.normal(middle, 0.3 * scale, shape), np.float32)

    def norm(name: str) -> dict[str, Vectors]:
        return {f"{name}.LayerNorm.weight": some(size, middle=1.0), f"{name}.LayerNorm.bias": some(size)}

    def dense(name: str, into: int, out: int) -> dict[str, Vectors]:
        return {f"{name}.weight": some(out, into), f"{name}.bias": some(out)}

    made = {f"embeddings.{name}_embeddings.weight": some(count, size)
            for name, count in (("word", words), ("position", 24), ("token_type", 2))} | norm("embeddings")  # fmt: skip
    for n in range(layers):
        layer = f"encoder.layer.{n}"
        for part in ("query", "key", "value"):
            made |= dense(f"{layer}.attention.self.{part}", size, size)
        made |= dense(f"{layer}.attention.output.dense", size, size) | norm(f"{layer}.attention.output")
        made |= dense(f"{layer}.intermediate.dense", size, wide) | dense(f"{layer}.output.dense", wide, size)
        made |= norm(f"{layer}.output")
    return made


def meant(weights: Weights, heads: int, ids: Sequence[int]) -> Row:
    """Return the mean of the last layer over the tokens of one text."""
    rows = [
        _norm(weights, "embeddings", [
            weights["embeddings.word_embeddings.weight"][token][n].item()
            + weights["embeddings.position_embeddings.weight"][place][n].item()
            + weights["embeddings.token_type_embeddings.weight"][0][n].item()
            for n in range(weights["embeddings.word_embeddings.weight"].shape[1])
        ])
        for place, token in enumerate(ids)
    ]  # fmt: skip
    layers = sum(name.endswith("intermediate.dense.bias") for name in weights)
    for n in range(layers):
        rows = _layer(weights, f"encoder.layer.{n}", heads, rows)
    return [sum(row[n] for row in rows) / len(rows) for n in range(len(rows[0]))]


def _layer(weights: Weights, name: str, heads: int, rows: list[Row]) -> list[Row]:
    queries, keys, values = (
        [_dense(weights, f"{name}.attention.self.{part}", row) for row in rows] for part in ("query", "key", "value")
    )
    size = len(rows[0]) // heads
    after = []
    for row, query in zip(rows, queries, strict=True):
        told: Row = []
        for first in range(0, len(row), size):
            part = slice(first, first + size)
            scores = [sum(a * b for a, b in zip(query[part], key[part], strict=True)) / math.sqrt(size) for key in keys]
            shares = [math.exp(score - max(scores)) for score in scores]
            whole = sum(shares)
            told += [
                sum(s * value[n] for s, value in zip(shares, values, strict=True)) / whole for n in range(first, first + size)
            ]
        given = _dense(weights, f"{name}.attention.output.dense", told)
        attended = _norm(weights, f"{name}.attention.output", _sum(row, given))
        wide = [_gelu(x) for x in _dense(weights, f"{name}.intermediate.dense", attended)]
        after.append(_norm(weights, f"{name}.output", _sum(attended, _dense(weights, f"{name}.output.dense", wide))))
    return after


def _dense(weights: Weights, name: str, row: Row) -> Row:
    matrix, bias = weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist()
    return [sum(a * b for a, b in zip(row, line, strict=True)) + shift for line, shift in zip(matrix, bias, strict=True)]


def _norm(weights: Weights, name: str, row: Row) -> Row:
    scale, shift = weights[f"{name}.LayerNorm.weight"].tolist(), weights[f"{name}.LayerNorm.bias"].tolist()
    mean = sum(row) / len(row)
    spread = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-12)
    return [(x - mean) / spread * s + b for x, s, b in zip(row, scale, shift, strict=True)]


def _sum(a: Row, b: Row) -> Row:
    return [x + y for x, y in zip(a, b, strict=True)]


def _gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
