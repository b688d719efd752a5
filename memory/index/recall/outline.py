"""Estimates of cosines in a large shard, from a few directions of its vectors.

The directions are those in which its first messages differ most (their principal components): in talk, a third of the dimensions
tell most of a cosine, at a third of the memory to read. They are computed once, and from the first messages only, so that an
estimate does not depend on when a domain was loaded.
"""

import numkong
import numpy as np
from numpy.typing import NDArray

from memory.index.recall.columns import Column, Floats
from memory.ports import Vectors

Bytes = NDArray[np.int8]
WIDTH = 128
_MOST = 127
_LEAST = np.float32(1e-30)
_EACH = 4
_AT_ONCE = 4_096


def quantized(vectors: Vectors) -> tuple[Bytes, Floats]:
    """Return vectors, one per row, as 8-bit integers, and the step of each row."""
    most = np.maximum(np.abs(vectors).max(axis=1), _LEAST)
    return np.rint(vectors * (_MOST / most[:, None])).astype(np.int8), np.asarray(most / _MOST, np.float32)


class Outline:
    """The vectors of a shard in WIDTH directions, one row each, in the order they were added."""

    def __init__(self, first: Bytes, steps: Floats) -> None:
        sample = first[::_EACH] * steps[::_EACH, None]
        _, directions = np.linalg.eigh(sample.T @ sample)
        self._directions, self._steps = quantized(np.ascontiguousarray(directions[:, -WIDTH:].T))
        self._rows = Column(np.int8, WIDTH)
        self._scales = Column(np.float32)

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return self._rows.nbytes + self._scales.nbytes

    def add(self, rows: Bytes, steps: Floats) -> None:
        """Append quantized vectors with the step of each."""
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            # Products of whole numbers: they do not depend on what is added along with a row.
            products = np.empty((len(some), WIDTH), np.float32)
            numkong.cdist(some, self._directions, "dot", out=products)
            short, scales = quantized(products * self._steps)
            self._rows.extend(short)
            self._scales.extend(scales * steps[start : start + _AT_ONCE])

    def cosines(self, asked: Vectors) -> Floats:
        """Return an estimate of the cosine of each row to a unit vector, nearer to the mean than the cosine is."""
        short, (scale,) = quantized((self._directions @ asked * self._steps)[None])
        estimates = np.empty(len(self._rows), np.float32)
        numkong.cdist(short, self._rows.now, "dot", out=estimates[None])
        estimates *= self._scales.now
        estimates *= scale
        return estimates
