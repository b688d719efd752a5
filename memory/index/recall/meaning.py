"""Passage vectors of one embedding space, and their cosines to a question.

Unit vectors are quantized to 8-bit integers with one scale per vector: a quarter of the memory to read, which is what a scan
costs. The rounding residuals are kept in a further eight bits and read only for the nearest vectors, to make their cosines
accurate.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numkong
import numpy as np
from numpy.typing import NDArray

from memory.index.recall.columns import Column, Floats, Ints, reached
from memory.ports import Vectors

Bytes = NDArray[np.int8]
_MOST = 127
_FINER = 2 * _MOST
_NEAREST = 128
_MANY = 20_000
_AT_ONCE = 2_048
FAR = 1.5
"""In a large shard, sentences are compared only for messages this many standard deviations nearer than the mean."""
_BESIDE = ThreadPoolExecutor(1, "scan")


@dataclass(frozen=True, slots=True)
class Similarities:
    """The cosine of each document to a question, 0 without a vector; `there` are those with one, `count` their number."""

    cosines: Floats
    there: Ints | slice
    count: int


def beside(first: Similarities, second: Similarities) -> Similarities:
    """Return the similarities of `first`, filled from `second` where `first` has no vector."""
    if not first.count or first.count == len(first.cosines) or not second.count:
        return first if first.count else second
    mine, theirs = np.zeros((2, len(first.cosines)), np.bool_)
    mine[first.there] = theirs[second.there] = True
    there = np.flatnonzero(mine | theirs)
    return Similarities(np.where(mine, first.cosines, second.cosines), there, len(there))


class _Rows:
    """Quantized vectors of documents, one per row."""

    def __init__(self, dimension: int) -> None:
        self.rows = Column(np.int8, dimension)
        self.rests = Column(np.int8, dimension)
        self.scales = Column(np.float32)
        self.documents = Column(np.int64)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return self.rows.nbytes + self.rests.nbytes + self.scales.nbytes + self.documents.nbytes

    def add(self, documents: Ints, vectors: Vectors) -> None:
        """Append vectors, one per row."""
        most = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny)
        steps = vectors * (_MOST / most[:, None])
        whole = np.rint(steps)
        self.rows.extend(whole)
        self.rests.extend(np.rint((steps - whole) * _FINER))
        self.scales.extend(most / _MOST)
        self.documents.extend(documents)

    def near(self, asked: Vectors, some: Ints | None = None) -> Floats:
        """Return the cosines of all rows, or of `some`, to a unit vector: quantized for most, refined for the nearest."""
        most = float(np.abs(asked).max())
        short = np.rint(asked * (_MOST / most)).astype(np.int8)
        cosines = _products(short, self.rows.now, some)
        cosines *= self.scales.now if some is None else self.scales.now[some]
        cosines *= np.float32(most / _MOST)
        nearest = np.flatnonzero(cosines >= reached(cosines, _NEAREST))
        exactly = nearest if some is None else some[nearest]
        fine = self.rows.now[exactly] + self.rests.now[exactly] * np.float32(1 / _FINER)
        # Row by row: in a matrix product, the result of a row depends on its position in the matrix.
        cosines[nearest] = np.vecdot(fine, asked) * self.scales.now[exactly]
        return cosines


class Meaning:
    """The vectors of one shard in one space: of whole passages, and of sentences within them."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._wholes = _Rows(dimension)
        self._parts = _Rows(dimension)
        self._single = True

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return self._wholes.nbytes + self._parts.nbytes

    def holds(self, documents: Ints) -> NDArray[np.bool_]:
        """Return a mask of the documents that have a vector."""
        held: NDArray[np.bool_] = np.isin(documents, self._wholes.documents.now)
        return held

    def add(self, documents: Ints, vectors: NDArray[np.float16] | Vectors, parts: NDArray[np.bool_]) -> None:
        """Append vectors of these documents (ascending); `parts` marks those of sentences of the preceding passage."""
        wide = vectors.astype(np.float32)
        wholes = documents[~parts]
        if len(wholes):
            last = self._wholes.documents.now[-1] if len(self._wholes) else -1
            self._single &= bool(wholes[0] > last) and bool((wholes[1:] > wholes[:-1]).all())
            self._wholes.add(wholes, wide[~parts])
        if parts.any():
            self._parts.add(documents[parts], wide[parts])

    def vector(self, document: int) -> Vectors | None:
        """Return the first vector of a document, None if it has none."""
        rows = self._wholes
        at = np.flatnonzero(rows.documents.now == document)[:1]
        return rows.rows.now[at[0]] * rows.scales.now[at[0]] if len(at) else None

    def scan(self, asked: Vectors, documents: int) -> Similarities:
        """Return the cosine of each of `documents` documents to a unit vector: that of its nearest passage or sentence.

        In a large shard, sentences are compared only for messages that are near as a whole.
        """
        if not len(self._wholes):
            return Similarities(np.zeros(documents, np.float32), slice(0), 0)
        meant = self._of_wholes(self._wholes.near(asked), documents)
        if len(self._parts):
            belong, some = self._parts.documents.now, None
            if len(belong) > _MANY:
                some = np.flatnonzero((meant.cosines >= _worth_reading(meant))[belong])
                belong = belong[some]
            np.maximum.at(meant.cosines, belong, self._parts.near(asked, some))
        return meant

    def _of_wholes(self, cosines: Floats, documents: int) -> Similarities:
        there = self._wholes.documents.now
        if self._single and len(there) == documents:
            return Similarities(cosines, slice(None), documents)
        nearest = np.zeros(documents, np.float32)
        if self._single:
            nearest[there] = cosines
            return Similarities(nearest, there, len(there))
        nearest[there] = -1
        np.maximum.at(nearest, there, cosines)
        held = np.zeros(documents, np.bool_)
        held[there] = True
        there = np.flatnonzero(held)
        return Similarities(nearest, there, len(there))


def _worth_reading(meant: Similarities) -> np.float32:
    """Return the least cosine of a message whose sentences are worth comparing."""
    there = meant.cosines[meant.there]
    return np.float32(there.mean() + FAR * there.std())


def _products(asked: Bytes, rows: Bytes, some: Ints | None) -> Floats:
    """Return the dot product of a vector with each row, or with `some`; for many rows, a second thread computes half."""
    if some is not None:
        # Rows gathered one by one are not read any faster by two threads.
        return _of_some(asked, rows, some)
    products = np.empty(len(rows), np.float32)
    if len(rows) < _MANY:
        _scan(asked, rows, products)
        return products
    half = len(rows) // 2
    beside = _BESIDE.submit(_scan, asked, rows[half:], products[half:])
    _scan(asked, rows[:half], products[:half])
    beside.result()
    return products


def _scan(asked: Bytes, rows: Bytes, products: Floats) -> None:
    numkong.cdist(asked[None], rows, "dot", out=products[None])


def _of_some(asked: Bytes, rows: Bytes, some: Ints) -> Floats:
    # In small chunks, into a reused buffer.
    products, held = np.empty(len(some), np.float32), np.empty((_AT_ONCE, rows.shape[1]), np.int8)
    for start in range(0, len(some), _AT_ONCE):
        read = some[start : start + _AT_ONCE]
        _scan(asked, np.take(rows, read, axis=0, out=held[: len(read)], mode="clip"), products[start : start + len(read)])
    return products
