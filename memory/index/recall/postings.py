"""Which passages hold a term, and how often.

Postings are a list of segments, each sorted by term. What is written later makes a small one, and a segment takes in those
behind it when they are a fair part of it, so that there are few, and a new message is found without rebuilding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.index.recall.columns import Floats, Ints, Numbers

_FAIR = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """Terms, ascending, each once; the passages and counts of the n-th stand from `starts[n]` to `starts[n + 1]`."""

    terms: NDArray[np.uint64]
    starts: Numbers
    passages: Numbers
    counts: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.passages)


class Postings:
    """The postings of one shard; passages are numbered in the order they were stored."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return sum(part.terms.nbytes + part.starts.nbytes + part.passages.nbytes + part.counts.nbytes for part in self._segments)

    def add(self, terms: NDArray[np.uint64], passages: Numbers, counts: NDArray[np.uint8]) -> None:
        """Take in postings of passages that are all newer than those here."""
        self._segments.append(_segment(terms, passages, counts))
        while len(self._segments) > 1 and len(self._segments[-2]) <= _FAIR * len(self._segments[-1]):
            small = self._segments[-2:]
            self._segments[-2:] = [
                _segment(
                    np.concatenate([np.repeat(part.terms, np.diff(part.starts)) for part in small]),
                    np.concatenate([part.passages for part in small]),
                    np.concatenate([part.counts for part in small]),
                )
            ]

    def find(self, term: int) -> tuple[Ints, Floats]:
        """Return the passages that hold a term, ascending, and how often."""
        wanted = np.uint64(term)
        passages, counts = [], []
        for part in self._segments:
            at = int(np.searchsorted(part.terms, wanted))
            if at < len(part.terms) and part.terms[at] == wanted:
                held = slice(part.starts[at], part.starts[at + 1])
                passages.append(part.passages[held])
                counts.append(part.counts[held])
        if not passages:
            return _NOWHERE, _NO_COUNTS
        if len(passages) == 1:
            return passages[0].astype(np.int64), counts[0].astype(np.float32)
        return np.concatenate(passages).astype(np.int64), np.concatenate(counts).astype(np.float32)


_NOWHERE = np.empty(0, np.int64)
_NO_COUNTS = np.empty(0, np.float32)


def _segment(terms: NDArray[np.uint64], passages: Numbers, counts: NDArray[np.uint8]) -> Segment:
    order = np.argsort(terms, kind="stable")
    ordered = terms[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.empty(0, np.int64)
    starts = np.append(first, len(ordered)).astype(np.int32)
    return Segment(ordered[first], starts, passages[order], counts[order])
