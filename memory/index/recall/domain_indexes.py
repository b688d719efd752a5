"""The domains that were asked for, in memory, brought up to date with the last committed write of any process.

New items and vectors are added; something forgotten loads the domain anew: the statistics must not remember it either. What
all of them take stays under a limit: the domains that were not asked for longest are let go.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from memory.index.indexing import BANK, MESSAGES
from memory.index.recall.domain_index import DomainIndex
from memory.store.database import Database, Row
from memory.store.lineage import bound, placeholders

MOST_BYTES = 512 * 1024 * 1024
_MANY = 500


@dataclass
class Loaded:
    """One domain: a shard a kind. `seq` is the last change it knows, `space` whose vectors it holds."""

    domain: int
    space: int
    seq: int = 0
    last: int = 0
    domain_indexes: list[DomainIndex] = field(default_factory=lambda: [DomainIndex(kind) for kind in range(MESSAGES, BANK + 1)])
    languages: set[str] = field(default_factory=set)

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return sum(domain_index.nbytes for domain_index in self.domain_indexes)

    def add(self, rows: Sequence[Row]) -> None:
        """Take in rows of `terms`, ascending, all newer than what is here."""
        for kind, of_kind in groupby(sorted(rows, key=lambda row: int(row["kind"])), lambda row: int(row["kind"])):
            self.domain_indexes[kind].add(list(of_kind))
        self.languages.update(row["language"] for row in rows)
        self.last = rows[-1]["item"] if rows else self.last

    def mean(self, rows: Sequence[Row]) -> None:
        """Take in rows of `vectors`, ascending."""
        if not rows:
            return
        items = np.fromiter((row["item"] for row in rows), np.int64, len(rows))
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16).reshape(len(rows), -1)
        for domain_index in self.domain_indexes:
            if len(domain_index):
                domain_index.mean(items, vectors)


class DomainIndexes:
    """The domains in memory; `most` is how many bytes they may take together, beside the one asked for last."""

    def __init__(self, db: Database, most: int = MOST_BYTES) -> None:
        self._db = db
        self._most = most
        self._loaded: OrderedDict[int, Loaded] = OrderedDict()
        self._sizes: dict[int, int] = {}
        self._taken = 0
        self._one = asyncio.Lock()

    async def of(self, domains: Sequence[int], space: int) -> list[Loaded]:
        """Return these domains as of the last committed write, with the vectors of a space (0: none).

        They may grow while the caller waits for something else.
        """
        async with self._one:
            known = [self._loaded[domain] for domain in domains if self._knows(domain, space)]
            changes = await self._changes(known)
            for loaded in known:
                await self._follow(loaded, changes.get(loaded.domain, []))
            found = [
                self._loaded[domain] if self._knows(domain, space) else await self._load(domain, space) for domain in domains
            ]
            for domain in domains:
                self._loaded.move_to_end(domain)
            self._make_room(len(domains))
            return found

    def forget(self) -> None:
        """Let go of every domain."""
        for domain in list(self._loaded):
            self._let_go(domain)

    def _knows(self, domain: int, space: int) -> bool:
        loaded = self._loaded.get(domain)
        return loaded is not None and loaded.space == space

    async def _changes(self, known: Sequence[Loaded]) -> dict[int, list[Row]]:
        if not known:
            return {}
        after = {f"d{n}": loaded.domain for n, loaded in enumerate(known)}
        after |= {f"s{n}": loaded.seq for n, loaded in enumerate(known)}
        which = " OR ".join(f"(domain = :d{n} AND seq > :s{n})" for n in range(len(known)))
        rows = await self._db.all(f"SELECT domain, seq, item, op FROM changes WHERE {which} ORDER BY domain, seq", after)
        return {domain: list(some) for domain, some in groupby(rows, lambda row: int(row["domain"]))}

    async def _follow(self, loaded: Loaded, changes: Sequence[Row]) -> None:
        """Bring a domain up to date, or let it go where something was forgotten or much has changed."""
        if not changes:
            return
        embedded = sorted({row["item"] for row in changes if row["op"] == "vector"})
        if any(row["op"] == "drop" for row in changes) or len(embedded) > _MANY:
            self._let_go(loaded.domain)
            return
        if any(row["op"] == "add" for row in changes):
            loaded.add(await self._rows(loaded.domain, loaded.last))
        if embedded and loaded.space:
            loaded.mean(await self._vectors(loaded, embedded))
        loaded.seq = changes[-1]["seq"]
        self._weigh(loaded)

    async def _load(self, domain: int, space: int) -> Loaded:
        mark = await self._db.one("SELECT coalesce(max(seq), 0) AS seq FROM changes WHERE domain = :domain", {"domain": domain})
        loaded = Loaded(domain, space, mark["seq"] if mark else 0)
        loaded.add(await self._rows(domain, 0))
        if space:
            loaded.mean(await self._vectors(loaded))
        self._loaded[domain] = loaded
        self._weigh(loaded)
        return loaded

    async def _rows(self, domain: int, after: int) -> list[Row]:
        return await self._db.all(
            "SELECT item, kind, session, said_at, speaker, traits, language, length, hashes, counts, imprint FROM terms "
            "WHERE domain = :domain AND item > :after ORDER BY item, passage",
            {"domain": domain, "after": after},
        )

    async def _vectors(self, loaded: Loaded, items: Sequence[int] | None = None) -> list[Row]:
        some = f" AND item IN ({placeholders('i', items)})" if items is not None else ""
        return await self._db.all(
            f"SELECT item, vector FROM vectors WHERE space = :space AND domain = :domain{some} ORDER BY item, passage",
            {"space": loaded.space, "domain": loaded.domain, **bound("i", items or ())},
        )

    def _make_room(self, keep: int) -> None:
        while self._taken > self._most and len(self._loaded) > keep:
            self._let_go(next(iter(self._loaded)))

    def _weigh(self, loaded: Loaded) -> None:
        """Note what a domain takes now; all of them are not looked at again for one that changed."""
        size = loaded.nbytes
        self._taken += size - self._sizes.get(loaded.domain, 0)
        self._sizes[loaded.domain] = size

    def _let_go(self, domain: int) -> None:
        self._loaded.pop(domain, None)
        self._taken -= self._sizes.pop(domain, 0)
