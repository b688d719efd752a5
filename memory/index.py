"""The words of one domain in memory: postings in numpy, built from `terms`, kept true by `changes`.

An index is a list of segments. Loading makes one; what is written later makes small ones, and small ones are merged as
they gather, so that a new message is found by the next query without rebuilding. Something forgotten reloads the domain:
the statistics must not remember it either.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from memory.db import Database, Row

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
MESSAGES, GISTS, ERAS, BANK = range(4)
"""What an item is: each kind is ranked by itself."""
_SMALL = 512
_GATHERED = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some documents: `hashes` ascending, beside each the document's number and its count of that term."""

    hashes: NDArray[np.uint64]
    documents: NDArray[np.int32]
    counts: Floats
    size: int

    def find(self, term: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the documents that hold a term, and how often."""
        wanted = np.uint64(term)
        left = int(np.searchsorted(self.hashes, wanted, "left"))
        right = int(np.searchsorted(self.hashes, wanted, "right"))
        return self.documents[left:right], self.counts[left:right]


@dataclass
class DomainIndex:
    """The documents of one domain, numbered in the order they were stored; `seq` is the last change it knows."""

    domain: int
    seq: int = 0
    segments: list[Segment] = field(default_factory=list)
    items: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    sessions: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    times: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    lengths: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    kinds: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    before: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    after: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.items)

    @property
    def last(self) -> int:
        """The newest item, 0 where there is none."""
        return int(self.items[-1]) if len(self) else 0

    def as_it_is(self) -> "DomainIndex":
        """Return this index as it is now; the arrays are shared, since they are replaced and never changed."""
        return replace(self, segments=list(self.segments))

    def find(self, term: int) -> Iterator[tuple[NDArray[np.int32], Floats]]:
        """Yield the documents that hold a term, segment by segment."""
        for segment in self.segments:
            yield segment.find(term)

    def add(self, rows: Sequence[Row]) -> None:
        """Take in rows of `terms` with their session and time, ascending by item, all newer than what is here."""
        if not rows:
            return
        self.segments.append(_segment(rows, len(self)))
        if len(self.segments) > _GATHERED:
            self.segments = _gather(self.segments)
        self.items = np.append(self.items, _column(rows, "item"))
        self.sessions = np.append(self.sessions, _column(rows, "session"))
        self.times = np.append(self.times, _column(rows, "said_at"))
        self.lengths = np.append(self.lengths, _column(rows, "length").astype(np.float32))
        self.kinds = np.append(self.kinds, _column(rows, "kind").astype(np.int8))
        self._link()

    def _link(self) -> None:
        """Point every message at its neighbours in its session; -1 where there is none. What was made of them stands alone."""
        order = np.lexsort((self.items, self.times, self.sessions, self.kinds))
        same = (self.sessions[order][1:] == self.sessions[order][:-1]) & (self.kinds[order][1:] == MESSAGES)
        same &= self.kinds[order][:-1] == MESSAGES
        self.before = np.full(len(self), -1, np.int64)
        self.after = np.full(len(self), -1, np.int64)
        self.before[order[1:][same]] = order[:-1][same]
        self.after[order[:-1][same]] = order[1:][same]


class Indexes:
    """The indexes of the domains that were asked for, brought up to date before every query."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._loaded: dict[int, DomainIndex] = {}

    async def of(self, domain: int) -> DomainIndex:
        """Return the index of a domain as of the last committed write of any process.

        It stays as it is while the caller waits for something else: what comes in later makes a new one.
        """
        return (await self._current(domain)).as_it_is()

    async def _current(self, domain: int) -> DomainIndex:
        index = self._loaded.get(domain)
        if index is None:
            return await self._load(domain)
        changes = await self._db.all(
            "SELECT seq, op FROM changes WHERE domain = :domain AND seq > :seq AND op <> 'vector' ORDER BY seq",
            {"domain": domain, "seq": index.seq},
        )
        if not changes:
            return index
        if any(row["op"] == "drop" for row in changes):
            return await self._load(domain)
        rows = await self._rows(domain, index.last)
        # Another task may have taken them in while this one waited.
        index.add([row for row in rows if row["item"] > index.last])
        index.seq = max(index.seq, changes[-1]["seq"])
        return index

    async def _load(self, domain: int) -> DomainIndex:
        last = await self._db.one("SELECT coalesce(max(seq), 0) AS seq FROM changes WHERE domain = :domain", {"domain": domain})
        index = DomainIndex(domain, last["seq"] if last else 0)
        index.add(await self._rows(domain, 0))
        self._loaded[domain] = index
        return index

    async def _rows(self, domain: int, after: int) -> list[Row]:
        return await self._db.all(
            "SELECT t.item, t.length, t.hashes, t.counts, coalesce(e.session, d.session, 0) AS session, "
            "coalesce(e.said_at, d.first_at, s.first_at) AS said_at, "
            f"CASE WHEN e.item IS NOT NULL THEN {MESSAGES} WHEN d.item IS NOT NULL THEN {GISTS} "
            f"WHEN s.tier = 'era' THEN {ERAS} ELSE {BANK} END AS kind FROM terms t "
            "LEFT JOIN exchanges e ON e.item = t.item LEFT JOIN digests d ON d.item = t.item "
            "LEFT JOIN statements s ON s.item = t.item "
            "WHERE t.domain = :domain AND t.item > :after ORDER BY t.item",
            {"domain": domain, "after": after},
        )


def _column(rows: Sequence[Row], name: str) -> Ints:
    return np.fromiter((row[name] for row in rows), np.int64, len(rows))


def _segment(rows: Sequence[Row], start: int) -> Segment:
    hashes = np.frombuffer(b"".join(row["hashes"] for row in rows), np.uint64)
    counts = np.frombuffer(b"".join(row["counts"] for row in rows), np.uint16).astype(np.float32)
    held = np.fromiter((len(row["hashes"]) // 8 for row in rows), np.int64, len(rows))
    documents = np.repeat(np.arange(start, start + len(rows), dtype=np.int32), held)
    order = np.argsort(hashes, kind="stable")
    return Segment(hashes[order], documents[order], counts[order], len(rows))


def _gather(segments: Sequence[Segment]) -> list[Segment]:
    """Merge the small segments at the end into one."""
    keep = list(segments)
    small: list[Segment] = []
    while keep and keep[-1].size <= _SMALL:
        small.insert(0, keep.pop())
    if len(small) < 2:
        keep, small = [], list(segments)
    hashes = np.concatenate([part.hashes for part in small])
    order = np.argsort(hashes, kind="stable")
    documents = np.concatenate([part.documents for part in small])[order]
    counts = np.concatenate([part.counts for part in small])[order]
    return [*keep, Segment(hashes[order], documents, counts, sum(part.size for part in small))]
