"""One kind of item of one domain in memory: its words, its meaning, and how its items stand beside each other.

Which passages hold a term, and how often.

Postings are a list of segments, each sorted by term. What is written later makes a small one, and a segment takes in those
behind it when they are a fair part of it, so that there are few, and a new message is found without rebuilding.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.index.indexing import MESSAGES
from memory.index.recall.columns import Column, Floats, Ints, Numbers
from memory.index.recall.documents import NONE, Documents
from memory.index.recall.meaning import Meaning, Similarities, beside
from memory.ports import Vectors
from memory.store.database import Row

_FAIR = 8
Held = tuple[Ints, Floats]
"""Passages, ascending, and how often each holds a term."""


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

    def find(self, term: int) -> Held:
        """Return the passages that hold a term, ascending, and how often."""
        return self.find_each([term])[term]

    def find_each(self, terms: Iterable[int]) -> dict[int, Held]:
        """Return for each of these terms the passages that hold it, ascending, and how often."""
        wanted = np.fromiter(sorted(set(terms)), np.uint64)
        found: list[list[tuple[Numbers, NDArray[np.uint8]]]] = [[] for _ in wanted]
        for part in self._segments:
            if len(part):
                # At once, as each search lets other threads go before it.
                places = part.terms.searchsorted(wanted).clip(max=len(part.terms) - 1)
                for n in np.flatnonzero(part.terms[places] == wanted):
                    held = slice(part.starts[places[n]], part.starts[places[n] + 1])
                    found[n].append((part.passages[held], part.counts[held]))
        return {int(term): _joined(some) for term, some in zip(wanted, found, strict=True)}


def _joined(some: Sequence[tuple[Numbers, NDArray[np.uint8]]]) -> Held:
    if not some:
        return _NOWHERE, _NO_COUNTS
    if len(some) == 1:
        passages, counts = some[0]
        return passages.astype(np.int64), counts.astype(np.float32)
    return np.concatenate([one[0] for one in some]).astype(np.int64), np.concatenate([one[1] for one in some]).astype(np.float32)


_NOWHERE = np.empty(0, np.int64)
_NO_COUNTS = np.empty(0, np.float32)


def _segment(terms: NDArray[np.uint64], passages: Numbers, counts: NDArray[np.uint8]) -> Segment:
    order = np.argsort(terms, kind="stable")
    ordered = terms[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.empty(0, np.int64)
    starts = np.append(first, len(ordered)).astype(np.int32)
    return Segment(ordered[first], starts, passages[order], counts[order])


class DomainIndex:
    """Documents, the passages they are read in, and what those hold and mean.

    `owners` is the document of each passage, `firsts` and `lasts` the first and the last passage of each document.
    """

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.documents = Documents(linked=kind == MESSAGES)
        self.postings = Postings()
        self.owners = Column(np.int64)
        self.lengths = Column(np.float32)
        self.firsts = Column(np.int64)
        self.lasts = Column(np.int64)
        self.meanings: dict[int, Meaning] = {}

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        passages = sum(column.nbytes for column in (self.owners, self.lengths, self.firsts, self.lasts))
        return passages + self.documents.nbytes + self.postings.nbytes + sum(one.nbytes for one in self.meanings.values())

    def __len__(self) -> int:
        return len(self.documents)

    def add(self, rows: Sequence[Row]) -> None:
        """Take in rows of `terms`, ascending by item and passage, all newer than what is here."""
        start, before = len(self.owners), len(self)
        items = _column(rows, "item")
        starts = np.flatnonzero(np.append(True, items[1:] != items[:-1]))
        first = [rows[at] for at in starts.tolist()]
        self.documents.add(
            items[starts],
            _column(first, "session"),
            _column(first, "said_at"),
            [row["speaker"] for row in first],
            _column(first, "traits"),
            np.add.reduceat(_column(rows, "fingerprint"), starts),
            [row["tells"] for row in first],
        )
        self.owners.extend(before + np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows)))))
        self.firsts.extend(start + starts)
        self.lasts.extend(start + np.append(starts[1:], len(rows)) - 1)
        self.lengths.extend(_column(rows, "length"))
        held = np.fromiter((len(row["counts"]) for row in rows), np.int64, len(rows))
        self.postings.add(
            np.frombuffer(b"".join(row["hashes"] for row in rows), np.uint64),
            np.repeat(np.arange(start, start + len(rows), dtype=np.int32), held),
            np.frombuffer(b"".join(row["counts"] for row in rows), np.uint8),
        )

    def mean(self, space: int, items: Ints, passages: Ints, vectors: NDArray[np.float16]) -> None:
        """Take in vectors of items in a space, ascending, by the numbers of their passages; those of items that are not here are left out.

        What is behind the only passage of an item is a sentence of it.
        """
        here = self.documents.items.now
        documents = np.searchsorted(here, items)
        there = documents < len(here)
        there[there] = here[documents[there]] == items[there]
        if space not in self.meanings:
            self.meanings[space] = Meaning(vectors.shape[1])
        # What two processes embedded at once, or what has a vector in another space as well, is announced again.
        there &= ~self.meanings[space].holds(documents)
        documents = documents[there]
        parts = (passages[there] > 0) & (self.firsts.now[documents] == self.lasts.now[documents])
        self.meanings[space].add(documents, vectors[there], parts)

    def scan(self, asked: Mapping[int, Vectors]) -> Similarities:
        """Return how near each document is to a question, given as a unit vector a space, none for one without any.

        A document that has vectors in several of these spaces is compared in the first.
        """
        meant = Similarities(np.zeros(len(self), np.float32), slice(0), 0)
        for space, vector in asked.items():
            meaning = self.meanings.get(space)
            if meaning is not None and meaning.dimension == len(vector):
                meant = beside(meant, meaning.scan(vector, len(self)))
        return meant

    def vector(self, space: int, document: int) -> Vectors | None:
        """Return what the beginning of a document means in a space, None where it has no vector there."""
        return self.meanings[space].vector(document) if space in self.meanings else None

    def item(self, document: int) -> int | None:
        """Return the key of a document, None for no document."""
        return None if document == NONE else int(self.documents.items.now[document])


def _column(rows: Sequence[Row], name: str) -> Ints:
    return np.fromiter((row[name] for row in rows), np.int64, len(rows))
