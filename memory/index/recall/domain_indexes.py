"""A cache of domain indexes, kept in step with the last committed write of any process.

New items and vectors are appended. A domain is reloaded when something in it was forgotten, so that its statistics do not
retain it, and when an older item comes back, as columns grow only at the end. Memory is bounded: the least recently used
domains are evicted.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from memory.errors import MemoryFailure
from memory.index.indexing import BANK, MESSAGES
from memory.index.recall.documents import NONE
from memory.index.recall.domain_index import DomainIndex
from memory.index.recall.meaning import Meaning
from memory.store.cancellation import uncancelled
from memory.store.database import Database, Row
from memory.store.domains import last_change
from memory.store.lineage import bound, placeholders
from memory.store.peers import WRITTEN

MOST_BYTES = 512 * 1024 * 1024
_MANY = 500


@dataclass
class Loaded:
    """One domain in memory, a shard per kind. `seq` is the last change applied, `spaces` are the vector spaces loaded."""

    domain: int
    spaces: tuple[int, ...]
    seq: int = 0
    last: int = 0
    domain_indexes: list[DomainIndex] = field(default_factory=lambda: [DomainIndex(kind) for kind in range(MESSAGES, BANK + 1)])
    languages: set[str] = field(default_factory=set)

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return sum(domain_index.nbytes for domain_index in self.domain_indexes)

    @property
    def held(self) -> set[int]:
        """The spaces in which any item has a vector."""
        return {space for domain_index in self.domain_indexes for space in domain_index.meanings}

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of `terms`, ascending, all newer than the existing ones."""
        for kind, of_kind in groupby(sorted(rows, key=lambda row: int(row["kind"])), lambda row: int(row["kind"])):
            self.domain_indexes[kind].add(list(of_kind))
        self.languages.update(row["language"] for row in rows)
        self.last = rows[-1]["item"] if rows else self.last

    def holds(self, item: int) -> bool:
        """Return whether an item of any kind is loaded."""
        return any(domain_index.documents.number(item) != NONE for domain_index in self.domain_indexes)

    def mean(self, space: int, rows: Sequence[Row]) -> None:
        """Add rows of `vectors` of a space, ascending."""
        if not rows:
            return
        items, passages = (np.fromiter((row[name] for row in rows), np.int64, len(rows)) for name in ("item", "passage"))
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16).reshape(len(rows), -1)
        for domain_index in self.domain_indexes:
            if len(domain_index):
                domain_index.mean(space, items, passages, vectors)

    @property
    def to_draw(self) -> list[Meaning]:
        """The vectors that are many enough for an outline and have none yet."""
        return [meaning for one in self.domain_indexes for meaning in one.meanings.values() if meaning.lacks_outline]


class DomainIndexes:
    """The loaded domains; `most` limits their total bytes, the domains of the latest request excepted."""

    def __init__(self, db: Database, most: int = MOST_BYTES) -> None:
        self._db = db
        self._most = most
        self._loaded: OrderedDict[int, Loaded] = OrderedDict()
        self._sizes: dict[int, int] = {}
        self._taken = 0
        self._one = asyncio.Lock()
        self._behind: set[int] = set()
        self._following: asyncio.Task[None] | None = None
        if db.peers is not None:
            db.peers.listen(self._hear)

    def _hear(self, words: Collection[str]) -> None:
        """Catch up with writes of other processes in the background; a request that comes earlier catches up by itself."""
        written = {int(word.removeprefix(WRITTEN)) for word in words if word.startswith(WRITTEN)}
        self._behind |= written & self._loaded.keys()
        if self._behind and (self._following is None or self._following.done()):
            self._following = asyncio.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        while self._behind:
            domain = self._behind.pop()
            with suppress(MemoryFailure):
                async with self._one:
                    known = [self._loaded[domain]] if domain in self._loaded else []
                    for rows in (await self._changes(known)).values():
                        await self._follow(self._loaded[domain], rows)

    async def close(self) -> None:
        """Stop following changes."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def load(self, domains: Sequence[int], spaces: tuple[int, ...]) -> list[Loaded]:
        """Return these domains as of the last committed write, with the vectors of these spaces.

        They may grow whenever the caller awaits something else.
        """
        async with self._one:
            changes = await self._changes([self._loaded[domain] for domain in domains if self._knows(domain, spaces)])
            for domain, rows in changes.items():
                await self._follow(self._loaded[domain], rows)
            found = [
                self._loaded[domain] if self._knows(domain, spaces) else await self._load(domain, spaces) for domain in domains
            ]
            for loaded in found:
                self._loaded.move_to_end(loaded.domain)
                if to_draw := loaded.to_draw:
                    # To its end even if this is cancelled: nothing may be added while it is drawn.
                    await uncancelled(asyncio.to_thread(_draw, to_draw))
                    self._weigh(loaded)
            while self._taken > self._most and len(self._loaded) > len(domains):
                self._let_go(next(iter(self._loaded)))
            return found

    def unchanged(self) -> AbstractAsyncContextManager[None]:
        """Keep all domains from changing while they are read off the event loop."""
        return self._one

    def forget(self) -> None:
        """Evict all domains."""
        for domain in list(self._loaded):
            self._let_go(domain)

    def _knows(self, domain: int, spaces: tuple[int, ...]) -> bool:
        loaded = self._loaded.get(domain)
        return loaded is not None and loaded.spaces == spaces

    async def _changes(self, known: Sequence[Loaded]) -> dict[int, list[Row]]:
        """Return the changes of these domains since they were last followed, joined with the rows each change added."""
        if not known:
            return {}
        after = {f"d{n}": loaded.domain for n, loaded in enumerate(known)}
        after |= {f"s{n}": loaded.seq for n, loaded in enumerate(known)}
        which = " OR ".join(f"(c.domain = :d{n} AND c.seq > :s{n})" for n in range(len(known)))
        rows = await self._db.within([loaded.domain for loaded in known]).all(
            f"SELECT c.domain, c.seq, c.op, c.item, {_TERMS}, v.space, v.passage, v.vector FROM changes c "
            "LEFT JOIN terms t ON c.op = 'add' AND t.domain = c.domain AND t.item = c.item "
            f"LEFT JOIN vectors v ON c.op = 'vector' AND v.space IN ({placeholders('v', known[0].spaces)}) "
            "AND v.domain = c.domain AND v.item = c.item "
            f"WHERE {which} ORDER BY c.domain, c.seq, t.passage, v.space, v.passage",
            {**after, **bound("v", known[0].spaces)},
        )
        return {domain: list(some) for domain, some in groupby(rows, lambda row: int(row["domain"]))}

    async def _follow(self, loaded: Loaded, changes: Sequence[Row]) -> None:
        """Apply changes to a domain, or evict it if the log has lost some, if an item was dropped or came back, or if many vectors
        changed.
        """
        # A change announced twice is applied once: each row shows the current state anyway.
        latest = {(row["op"], row["item"]): row["seq"] for row in changes}
        come_back = any(op == "add" and item <= loaded.last and not loaded.holds(item) for op, item in latest)
        many = sum(op == "vector" for op, _ in latest) > _MANY
        missing = changes[0]["seq"] > loaded.seq + 1
        if missing or come_back or many or any(op == "drop" for op, _ in latest):
            self._let_go(loaded.domain)
            return
        once = sorted((row for row in changes if latest[row["op"], row["item"]] == row["seq"]), key=lambda row: int(row["item"]))
        loaded.add([row for row in once if row["kind"] is not None and row["item"] > loaded.last])
        for space in loaded.spaces:
            loaded.mean(space, [row for row in once if row["space"] == space])
        loaded.seq = changes[-1]["seq"]
        self._weigh(loaded)

    async def _load(self, domain: int, spaces: tuple[int, ...]) -> Loaded:
        db = self._db.within([domain])
        loaded = Loaded(domain, spaces, await last_change(db, domain))
        terms = f"SELECT t.item, {_TERMS} FROM terms t WHERE t.domain = :domain ORDER BY t.item, t.passage"
        loaded.add(await db.all(terms, {"domain": domain}))
        vectors = "SELECT item, passage, vector FROM vectors WHERE space = :space AND domain = :domain ORDER BY item, passage"
        for space in spaces:
            loaded.mean(space, await db.all(vectors, {"space": space, "domain": domain}))
        self._loaded[domain] = loaded
        self._weigh(loaded)
        return loaded

    def _weigh(self, loaded: Loaded) -> None:
        """Record the size of a domain and adjust the total by the difference."""
        size = loaded.nbytes
        self._taken += size - self._sizes.get(loaded.domain, 0)
        self._sizes[loaded.domain] = size

    def _let_go(self, domain: int) -> None:
        self._loaded.pop(domain, None)
        self._taken -= self._sizes.pop(domain, 0)


def _draw(some: Sequence[Meaning]) -> None:
    for one in some:
        one.draw()


_TERMS = "t.kind, t.session, t.said_at, t.speaker, t.traits, t.language, t.length, t.hashes, t.counts, t.fingerprint, t.tells"
