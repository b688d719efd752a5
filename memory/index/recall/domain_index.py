"""One kind of item of one domain in memory: documents, postings and vectors.

Postings are a list of segments, each sorted by term. New passages form a small segment, which is merged into the one before
unless that is much larger: so there are few segments, and a new message is found without a rebuild.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.index.indexing import MESSAGES
from memory.index.recall.columns import Column, Floats, Ints, Numbers, held_bytes
from memory.index.recall.documents import NONE, Documents
from memory.index.recall.meaning import Meaning, Similarities, beside
from memory.ports import Vectors
from memory.store.database import Row

_FAIR = 8
Held = tuple[Ints, Floats]
"""Passages, ascending, with the number of times each holds a term."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Terms, ascending and unique; the passages and counts of the n-th are at `starts[n]:starts[n + 1]`."""

    terms: NDArray[np.uint64]
    starts: Numbers
    passages: Numbers
    counts: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.passages)

    def places(self, terms: NDArray[np.uint64]) -> Ints:
        """Return where each of some terms stands, or would stand, in a segment that has any."""
        return np.minimum(self.terms.searchsorted(terms), len(self.terms) - 1)


class Postings:
    """The postings of one shard; passages are numbered in the order they were stored."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._last: tuple[frozenset[int], dict[int, Held]] = (frozenset(), {})

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return sum(part.terms.nbytes + part.starts.nbytes + part.passages.nbytes + part.counts.nbytes for part in self._segments)

    def add(self, terms: NDArray[np.uint64], passages: Numbers, counts: NDArray[np.uint8]) -> None:
        """Add postings of passages that are all newer than the existing ones."""
        self._last = (frozenset(), {})
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
        """Return the passages that hold a term, ascending, with counts."""
        return self.find_each([term])[term]

    def find_each(self, terms: Iterable[int]) -> dict[int, Held]:
        """Return for each term the passages that hold it, ascending, with counts; those of the last question are kept."""
        asked = frozenset(terms)
        if self._last[0] != asked:
            self._last = asked, self._find(asked)
        return self._last[1]

    def held(self, terms: NDArray[np.uint64]) -> set[int]:
        """Return those of these terms that any passage holds."""
        found: set[int] = set()
        for part in self._segments:
            if len(part):
                found.update(terms[part.terms[part.places(terms)] == terms].tolist())
        return found

    def _find(self, terms: frozenset[int]) -> dict[int, Held]:
        wanted = np.fromiter(sorted(terms), np.uint64)
        found: list[list[tuple[Numbers, NDArray[np.uint8]]]] = [[] for _ in wanted]
        for part in self._segments:
            if len(part):
                # One search for all terms, as each search may yield to other threads.
                places = part.places(wanted)
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
    """Documents with their passages, postings and vectors.

    `owners` is the document of each passage, `firsts` and `lasts` are the first and last passage of each document.
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
        self._behind: Ints | None = None

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        meanings = sum(one.nbytes for one in self.meanings.values())
        return held_bytes(self) + self.documents.nbytes + self.postings.nbytes + meanings

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def behind(self) -> Ints:
        """For the last passage of each document the first of the document that follows it, else NONE; cached until more come."""
        if self._behind is None:
            after = self.documents.after.now
            followed = np.flatnonzero(after != NONE)
            self._behind = np.full(len(self.owners), NONE)
            self._behind[self.lasts.now[followed]] = self.firsts.now[after[followed]]
        return self._behind

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of `terms`, ascending by item and passage, all newer than the existing ones."""
        start, before = len(self.owners), len(self)
        self._behind = None
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
        """Add vectors of a space, ascending by item and passage; those of unknown items are ignored.

        For an item with a single passage, vectors after the first are those of its sentences.
        """
        here = self.documents.items.now
        documents = np.searchsorted(here, items)
        there = documents < len(here)
        there[there] = here[documents[there]] == items[there]
        if space not in self.meanings:
            self.meanings[space] = Meaning(vectors.shape[1])
        # Vectors are announced again when two processes embedded the same item, or when it has a vector in another space.
        there &= ~self.meanings[space].holds(documents)
        documents = documents[there]
        parts = (passages[there] > 0) & (self.firsts.now[documents] == self.lasts.now[documents])
        self.meanings[space].add(documents, vectors[there], parts)

    def scan(self, asked: Mapping[int, Vectors]) -> Similarities:
        """Return the cosine of each document to a question, given as one unit vector per space.

        A document with vectors in several of these spaces is compared in the first.
        """
        meant = Similarities(np.zeros(len(self), np.float32), slice(0), 0)
        for space, vector in asked.items():
            meaning = self.meanings.get(space)
            if meaning is not None and meaning.dimension == len(vector):
                meant = beside(meant, meaning.scan(vector, len(self)))
        return meant

    def vector(self, space: int, document: int) -> Vectors | None:
        """Return the vector of a document's first passage in a space, None if it has none."""
        return self.meanings[space].vector(document) if space in self.meanings else None


def _column(rows: Sequence[Row], name: str) -> Ints:
    return np.fromiter((row[name] for row in rows), np.int64, len(rows))
