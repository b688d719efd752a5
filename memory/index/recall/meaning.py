"""What passages mean, as vectors of one embedder's space, and how near a question is to each.

Unit vectors are held as 8-bit integers with one scale a vector: a quarter of the memory to read, which is what a scan costs.
What that rounds off is held beside it in another eight bits, and read for the nearest only, which are then as near as they are.
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
"""Of many messages, those that are nearer than the usual one by so many standard deviations have their sentences looked at."""
_BESIDE = ThreadPoolExecutor(1, "scan")


@dataclass(frozen=True, slots=True)
class Similarities:
    """The cosine of each document to a question, 0 for those without a vector; `there` are the others, `count` of them."""

    cosines: Floats
    there: Ints | slice
    count: int


def beside(first: Similarities, second: Similarities) -> Similarities:
    """Return what is near by the first, and by the second where that has no vector."""
    if not first.count or first.count == len(first.cosines) or not second.count:
        return first if first.count else second
    mine, theirs = np.zeros((2, len(first.cosines)), np.bool_)
    mine[first.there] = theirs[second.there] = True
    there = np.flatnonzero(mine | theirs)
    return Similarities(np.where(mine, first.cosines, second.cosines), there, len(there))


class _Rows:
    """Vectors of documents, one a row."""

    def __init__(self, dimension: int) -> None:
        self.rows = Column(np.int8, dimension)
        self.rests = Column(np.int8, dimension)
        self.scales = Column(np.float32)
        self.documents = Column(np.int64)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return self.rows.nbytes + self.rests.nbytes + self.scales.nbytes + self.documents.nbytes

    def add(self, documents: Ints, vectors: Vectors) -> None:
        """Take in vectors, one a row."""
        most = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny)
        steps = vectors * (_MOST / most[:, None])
        whole = np.rint(steps)
        self.rows.extend(whole)
        self.rests.extend(np.rint((steps - whole) * _FINER))
        self.scales.extend(most / _MOST)
        self.documents.extend(documents)

    def near(self, asked: Vectors, some: Ints | None = None) -> Floats:
        """Return the cosine of each row to a unit vector, or of `some` of them: what is scanned of most, exactly of the nearest."""
        most = float(np.abs(asked).max())
        short = np.rint(asked * (_MOST / most)).astype(np.int8)
        cosines = _products(short, self.rows.now, some)
        cosines *= self.scales.now if some is None else self.scales.now[some]
        cosines *= np.float32(most / _MOST)
        nearest = np.flatnonzero(cosines >= reached(cosines, _NEAREST))
        exactly = nearest if some is None else some[nearest]
        fine = self.rows.now[exactly] + self.rests.now[exactly] * np.float32(1 / _FINER)
        # Row by row: in a product with the whole matrix, what a row gives depends on where among the others it stands.
        cosines[nearest] = np.vecdot(fine, asked) * self.scales.now[exactly]
        return cosines


class Meaning:
    """The vectors of one shard in one space: of whole passages, and of sentences that are a part of one."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._wholes = _Rows(dimension)
        self._parts = _Rows(dimension)
        self._single = True

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return self._wholes.nbytes + self._parts.nbytes

    def holds(self, documents: Ints) -> NDArray[np.bool_]:
        """Say which of these documents have a vector here."""
        held: NDArray[np.bool_] = np.isin(documents, self._wholes.documents.now)
        return held

    def add(self, documents: Ints, vectors: NDArray[np.float16] | Vectors, parts: NDArray[np.bool_]) -> None:
        """Take in vectors, one a row, of these documents (ascending), and which of them are of a part of the passage before."""
        wide = vectors.astype(np.float32)
        wholes = documents[~parts]
        if len(wholes):
            last = self._wholes.documents.now[-1] if len(self._wholes) else -1
            self._single &= bool(wholes[0] > last) and bool((wholes[1:] > wholes[:-1]).all())
            self._wholes.add(wholes, wide[~parts])
        if parts.any():
            self._parts.add(documents[parts], wide[parts])

    def vector(self, document: int) -> Vectors | None:
        """Return the first vector of a document, None where it has none."""
        rows = self._wholes
        at = np.flatnonzero(rows.documents.now == document)[:1]
        return rows.rows.now[at[0]] * rows.scales.now[at[0]] if len(at) else None

    def scan(self, asked: Vectors, documents: int) -> Similarities:
        """Return how near each of so many documents is to a unit vector: that of its nearest passage or part of one.

        Of many, the parts of those are looked at that are far from what is asked as a whole as well.
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
    """Return how near a message is at least of which a part may be among the nearest."""
    there = meant.cosines[meant.there]
    return np.float32(there.mean() + FAR * there.std())


def _products(asked: Bytes, rows: Bytes, some: Ints | None) -> Floats:
    """Return the dot product of one vector with each row, or with `some`; of many rows, half is computed in a second thread."""
    if some is not None:
        # What has to be read row by row is not read any faster by two.
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
    # Few at a time, into memory that is used again.
    products, held = np.empty(len(some), np.float32), np.empty((_AT_ONCE, rows.shape[1]), np.int8)
    for start in range(0, len(some), _AT_ONCE):
        read = some[start : start + _AT_ONCE]
        _scan(asked, np.take(rows, read, axis=0, out=held[: len(read)], mode="clip"), products[start : start + len(read)])
    return products
