"""One kind of item of one domain in memory: its words, its meaning, and how its items stand beside each other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.index.indexing import MESSAGES
from memory.index.recall.columns import Column, Ints
from memory.index.recall.documents import NONE, Documents
from memory.index.recall.meaning import Meaning, Meant
from memory.index.recall.postings import Postings
from memory.ports import Vectors
from memory.store.database import Row


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
        self.meaning: Meaning | None = None

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        passages = sum(column.nbytes for column in (self.owners, self.lengths, self.firsts, self.lasts))
        return passages + self.documents.nbytes + self.postings.nbytes + (self.meaning.nbytes if self.meaning else 0)

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
            np.add.reduceat(_column(rows, "imprint"), starts),
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

    def mean(self, items: Ints, vectors: NDArray[np.float16]) -> None:
        """Take in the vectors of passages, ascending by item; those of items that are not here are left out."""
        here = self.documents.items.now
        documents = np.searchsorted(here, items)
        there = documents < len(here)
        there[there] = here[documents[there]] == items[there]
        if self.meaning is None:
            self.meaning = Meaning(vectors.shape[1])
        self.meaning.add(documents[there], vectors[there])

    def scan(self, asked: Vectors | None) -> Meant:
        """Return how near each document is to a unit vector, None for a question without one."""
        if asked is None or self.meaning is None or self.meaning.dimension != len(asked):
            return Meant(np.zeros(len(self), np.float32), slice(0), 0)
        return self.meaning.scan(asked, len(self))

    def item(self, document: int) -> int | None:
        """Return the key of a document, None for no document."""
        return None if document == NONE else int(self.documents.items.now[document])


def _column(rows: Sequence[Row], name: str) -> Ints:
    return np.fromiter((row[name] for row in rows), np.int64, len(rows))
