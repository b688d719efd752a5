"""What passages mean, as vectors of one embedder's space, and how near a question is to each.

Unit vectors are held as 8-bit integers with one scale a vector: a quarter of the memory to read, which is what a scan costs.
What that rounds off is held beside it in another eight bits, and read for the nearest only, which are then as near as they are.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numkong
import numpy as np
from numpy.typing import NDArray

from memory.index.recall.columns import Column, Floats, Ints
from memory.ports import Vectors

Bytes = NDArray[np.int8]
_MOST = 127
_FINER = 2 * _MOST
_NEAREST = 128
_MANY = 20_000
_BESIDE = ThreadPoolExecutor(1, "scan")


@dataclass(frozen=True, slots=True)
class Meant:
    """The cosine of each document to a question, 0 for those without a vector; `there` are the others, `count` of them."""

    cosines: Floats
    there: Ints | slice
    count: int


def beside(first: Meant, second: Meant) -> Meant:
    """Return what is near by the first, and by the second where that has no vector."""
    if not first.count or first.count == len(first.cosines) or not second.count:
        return first if first.count else second
    mine, theirs = np.zeros((2, len(first.cosines)), np.bool_)
    mine[first.there] = theirs[second.there] = True
    there = np.flatnonzero(mine | theirs)
    return Meant(np.where(mine, first.cosines, second.cosines), there, len(there))


class Meaning:
    """The vectors of one shard in one space."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._rows = Column(np.int8, dimension)
        self._rests = Column(np.int8, dimension)
        self._scales = Column(np.float32)
        self._documents = Column(np.int64)
        self._single = True

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return self._rows.nbytes + self._rests.nbytes + self._scales.nbytes + self._documents.nbytes

    def holds(self, documents: Ints) -> NDArray[np.bool_]:
        """Say which of these documents have a vector here."""
        held: NDArray[np.bool_] = np.isin(documents, self._documents.now)
        return held

    def add(self, documents: Ints, vectors: NDArray[np.float16] | Vectors) -> None:
        """Take in vectors, one a row, of passages of these documents (ascending)."""
        if not len(documents):
            return
        wide = vectors.astype(np.float32)
        most = np.maximum(np.abs(wide).max(axis=1), np.finfo(np.float32).tiny)
        self._single &= not len(self) or bool(documents[0] > self._documents.now[-1])
        self._single &= bool((documents[1:] > documents[:-1]).all())
        steps = wide * (_MOST / most[:, None])
        whole = np.rint(steps)
        self._rows.extend(whole)
        self._rests.extend(np.rint((steps - whole) * _FINER))
        self._scales.extend(most / _MOST)
        self._documents.extend(documents)

    def vector(self, document: int) -> Vectors | None:
        """Return the first vector of a document, None where it has none."""
        at = np.flatnonzero(self._documents.now == document)[:1]
        return self._rows.now[at[0]] * self._scales.now[at[0]] if len(at) else None

    def scan(self, asked: Vectors, documents: int) -> Meant:
        """Return how near each of so many documents is to a unit vector: that of its nearest passage."""
        nearest = np.zeros(documents, np.float32)
        there = self._documents.now
        if not len(there):
            return Meant(nearest, slice(0), 0)
        most = float(np.abs(asked).max())
        short = np.rint(asked * (_MOST / most)).astype(np.int8)
        cosines = _products(short, self._rows.now)
        cosines *= self._scales.now
        cosines *= np.float32(most / _MOST)
        self._refine(cosines, asked)
        if not self._single:
            nearest[there] = -1
            np.maximum.at(nearest, there, cosines)
            held = np.zeros(documents, np.bool_)
            held[there] = True
            there = np.flatnonzero(held)
        elif len(there) == documents:
            return Meant(cosines, slice(None), documents)
        else:
            nearest[there] = cosines
        return Meant(nearest, there, len(there))

    def _refine(self, cosines: Floats, asked: Vectors) -> None:
        """Put the exact cosines of the nearest in the place of those that were scanned."""
        least = np.partition(cosines, len(cosines) - _NEAREST)[len(cosines) - _NEAREST] if len(cosines) > _NEAREST else -np.inf
        nearest = np.flatnonzero(cosines >= least)
        fine = self._rows.now[nearest] + self._rests.now[nearest] * np.float32(1 / _FINER)
        cosines[nearest] = (fine @ asked) * self._scales.now[nearest]


def _products(asked: Bytes, rows: Bytes) -> Floats:
    """Return the dot product of one vector with each row; of many rows, half is computed in a second thread."""
    if len(rows) < _MANY:
        return _scanned(asked, rows)
    half = len(rows) // 2
    beside = _BESIDE.submit(_scanned, asked, rows[half:])
    return np.concatenate([_scanned(asked, rows[:half]), beside.result()])


def _scanned(asked: Bytes, rows: Bytes) -> Floats:
    products: Floats = np.asarray(numkong.cdist(asked[None], rows, "dot", out_dtype="float32"))[0]
    return products
