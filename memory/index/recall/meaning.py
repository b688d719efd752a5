"""Passage vectors of one embedding space, and their cosines to a question.

Unit vectors are quantized to 8-bit integers with one scale per vector: a quarter of the memory to read, which is what a scan
costs. In a large domain index, an outline of the vectors estimates the cosines first, and only those of the nearest are computed.

The directions of an outline are those in which its first messages differ most (their principal components): in talk, a third of
the dimensions tell most of a cosine, at a third of the memory to read. They are computed once, and from the first messages
only, so that an estimate does not depend on when a domain was loaded.
"""

from dataclasses import dataclass

import numkong
import numpy as np
from numpy.typing import NDArray

from memory.index.recall.columns import Column, Floats, Ints, held_bytes
from memory.ports import Vectors

Bytes = NDArray[np.int8]
_MOST = 127
MANY = 20_000
"""The size from which a domain index is large."""
_AT_ONCE = 2_048
_ADDED = 128
NEAR = 1.75
"""In a large domain index, the cosine is computed only of messages whose estimate is this many standard deviations above the mean."""
_SAMPLE = 1_500
WIDTH = 128
"""The number of directions of an outline."""
_LEAST = np.float32(1e-30)
_DRAWN = 4
"""One in so many vectors tells the directions."""
_OUTLINED = 4_096
FAR = 1.5
"""In a large domain index, sentences are compared only for messages this many standard deviations nearer than the mean."""


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


def quantized(vectors: Vectors) -> tuple[Bytes, Floats]:
    """Return vectors, one per row, as 8-bit integers, and the step of each row."""
    most = np.maximum(np.abs(vectors).max(axis=1), _LEAST)
    return np.rint(vectors * (_MOST / most[:, None])).astype(np.int8), np.asarray(most / _MOST, np.float32)


class _Rows:
    """Quantized vectors, one per row."""

    def __init__(self, dimension: int) -> None:
        self.rows = Column(np.int8, dimension)
        self.scales = Column(np.float32)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, vectors: NDArray[np.float16] | Vectors, lengths: Floats | None = None) -> None:
        """Append vectors, one per row, each multiplied by its length if these are given."""
        for column in (self.rows, self.scales):
            column.reserve(len(vectors))
        # A few at a time: between large arrays for all of them, what stays would be scattered, and the rest of that memory lost.
        for start in range(0, len(vectors), _ADDED):
            rows, scales = quantized(vectors[start : start + _ADDED].astype(np.float32))
            self.rows.extend(rows)
            self.scales.extend(scales if lengths is None else scales * lengths[start : start + _ADDED])

    def near(self, asked: Vectors, some: Ints | None = None) -> Floats:
        """Return the products of all rows, or of `some`, with a vector: of unit vectors the cosines."""
        short, (scale,) = quantized(asked[None])
        cosines = _products(short, self.rows.now, some)
        cosines *= self.scales.now if some is None else self.scales.now[some]
        cosines *= scale
        return cosines


class Outline:
    """The vectors of a domain index in WIDTH directions, in the order they were added."""

    def __init__(self, first: Bytes, steps: Floats) -> None:
        sample = first[::_DRAWN] * steps[::_DRAWN, None]
        _, directions = np.linalg.eigh(sample.T @ sample)
        self._directions, self._steps = quantized(np.ascontiguousarray(directions[:, -WIDTH:].T))
        self.short = _Rows(WIDTH)

    def add(self, rows: Bytes, steps: Floats) -> None:
        """Append quantized vectors with the step of each."""
        for start in range(0, len(rows), _OUTLINED):
            some = rows[start : start + _OUTLINED]
            # Products of whole numbers: they do not depend on what is added along with a row.
            products = np.empty((len(some), WIDTH), np.float32)
            numkong.cdist(some, self._directions, "dot", out=products)
            self.short.add(products * self._steps, steps[start : start + _OUTLINED])

    def cosines(self, asked: Vectors) -> Floats:
        """Return an estimate of the cosine of each row to a unit vector, nearer to the mean than the cosine is."""
        return self.short.near(self._directions @ asked * self._steps)


class Meaning:
    """The vectors of one domain index in one space: of whole passages, and of sentences within them."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._wholes, self._parts = _Rows(dimension), _Rows(dimension)
        self._documents, self._belong = Column(np.int64), Column(np.int64)
        self._outline: Outline | None = None
        self._single = True

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        outline = [self._outline.short] if self._outline else []
        return sum(map(held_bytes, (self, self._wholes, self._parts, *outline)))

    def holds(self, documents: Ints) -> NDArray[np.bool_]:
        """Return a mask of the documents that have a vector."""
        held: NDArray[np.bool_] = np.isin(documents, self._documents.now)
        return held

    def add(self, documents: Ints, vectors: NDArray[np.float16] | Vectors, parts: NDArray[np.bool_]) -> None:
        """Append vectors of these documents (ascending); `parts` marks those of sentences of the preceding passage."""
        wholes = documents[~parts]
        if len(wholes):
            last = self._documents.now[-1] if len(self._documents) else -1
            self._single &= bool(wholes[0] > last) and bool((wholes[1:] > wholes[:-1]).all())
            self._documents.extend(wholes)
            self._wholes.add(vectors[~parts])
            if self._outline:
                self._outline.add(self._wholes.rows.now[-len(wholes) :], self._wholes.scales.now[-len(wholes) :])
        if parts.any():
            self._belong.extend(documents[parts])
            self._parts.add(vectors[parts])

    @property
    def lacks_outline(self) -> bool:
        """Whether there are many vectors, and no outline of them yet."""
        return self._outline is None and len(self._wholes) > MANY and self.dimension >= 2 * WIDTH

    def draw(self) -> None:
        """Draw the outline from which cosines are estimated; it takes a fraction of a second."""
        rows, steps = self._wholes.rows.now, self._wholes.scales.now
        outline = Outline(rows[:MANY], steps[:MANY])
        outline.add(rows, steps)
        self._outline = outline

    def vector(self, document: int) -> Vectors | None:
        """Return the first vector of a document, None if it has none."""
        at = np.flatnonzero(self._documents.now == document)[:1]
        return self._wholes.rows.now[at[0]] * self._wholes.scales.now[at[0]] if len(at) else None

    def scan(self, vector: Vectors, documents: int) -> Similarities:
        """Return the cosine of each of `documents` documents to a unit vector: that of its nearest passage or sentence.

        In a large domain index with an outline, it is an estimate for messages that are far. Sentences are compared only for messages
        that are near as a whole.
        """
        if not len(self._wholes):
            return Similarities(np.zeros(documents, np.float32), slice(0), 0)
        meant = self._of_wholes(self._estimated(vector, self._outline) if self._outline else self._wholes.near(vector), documents)
        if len(self._parts):
            belong, some = self._belong.now, None
            if len(belong) > MANY:
                some = np.flatnonzero((meant.cosines >= _above(meant.cosines[meant.there], FAR))[belong])
                belong = belong[some]
            np.maximum.at(meant.cosines, belong, self._parts.near(vector, some))
        return meant

    def _estimated(self, asked: Vectors, outline: Outline) -> Floats:
        """Return the cosines of all passages, estimated for those that are far."""
        cosines = outline.cosines(asked)
        # What is usual is judged by all of them, so a fixed sample corrects the estimates.
        sample = np.arange(0, len(cosines), len(cosines) // _SAMPLE + 1)
        slope, offset = _line(cosines[sample], self._wholes.near(asked, sample))
        cosines *= np.float32(slope)
        cosines += np.float32(offset)
        near = np.flatnonzero(cosines >= _above(cosines, NEAR))
        cosines[near] = self._wholes.near(asked, near)
        return cosines

    def _of_wholes(self, cosines: Floats, documents: int) -> Similarities:
        there = self._documents.now
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


def _line(estimates: Floats, exact: Floats) -> tuple[float, float]:
    """Return slope and offset of the line that fits exact values to their estimates best."""
    apart = estimates - estimates.mean()
    spread = float(np.vdot(apart, apart))
    slope = float(np.vdot(apart, exact)) / spread if spread else 0.0
    return slope, float(exact.mean()) - slope * float(estimates.mean())


def _above(values: Floats, deviations: float) -> np.float32:
    """Return the value that is so many standard deviations above the mean."""
    mean = float(values.mean())
    return np.float32(mean + deviations * max(0.0, float(np.vdot(values, values)) / len(values) - mean**2) ** 0.5)


def _products(asked: Bytes, rows: Bytes, some: Ints | None) -> Floats:
    """Return the dot product of a vector with each row, or with `some`."""
    products = np.empty(len(rows) if some is None else len(some), np.float32)
    if some is None:
        numkong.cdist(asked, rows, "dot", out=products[None])
        return products
    # In small chunks, into a reused buffer.
    held = np.empty((_AT_ONCE, rows.shape[1]), np.int8)
    for start in range(0, len(some), _AT_ONCE):
        read = some[start : start + _AT_ONCE]
        into = products[start : start + len(read)]
        numkong.cdist(asked, np.take(rows, read, axis=0, out=held[: len(read)], mode="clip"), "dot", out=into[None])
    return products
