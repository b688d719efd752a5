"""Embedding vectors, stored with the space they belong to.

A space is an embedder, a dimension and the version of the embedded text; vectors of different spaces are never compared. The
text is always stored first; its vector comes later, and if none comes, words still find it. If an embedder takes only some
texts, those left to another are marked by an empty vector in a space that is never searched.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from memory.index.last_asked import LastAsked
from memory.ports import Clock, Embedder, Progress, Replacing, Vectors
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Parameters, Row, Transaction
from memory.store.domains import log_change
from memory.store.lineage import bound, placeholders, texts_of
from memory.text.off_loop import off_loop
from memory.text.passages import passages, telling_sentences
from memory.types import Domain

INDEX_TEXT_VERSION = 3
"""The version of what is embedded: the text alone, in passages, and the meaningful sentences of a text of one passage.

Speaker and date would draw all of a speaker's vectors together. A sentence is embedded by itself and then averaged with the
vector of its message: after a greeting, the content gets lost in the whole, and without the whole a sentence lacks its topic.
"""
Reads = Callable[[Domain, Mapping[int, str]], Awaitable[tuple[set[int], int]]]
"""A callback that returns which of some texts of a domain an embedder takes, and the space in which another embedder marks that
it leaves them; 0 if it may take them as well."""
_BATCH = 32


class VectorStore:
    """The stored vectors of one embedder, of the texts that it `reads` (None: all)."""

    def __init__(self, db: DatabaseAccess, embedder: Embedder, clock: Clock, reads: Reads | None = None) -> None:
        self._db = db
        self._reads = reads
        self._left = 0
        self._embedder = embedder
        self._clock = clock
        self._used = 0
        self._dimension = 0
        self._last_asked = LastAsked(embedder)
        self._caught_up: dict[int, int] = {}
        # How often it turned out that what had been embedded, or left to another, has to be looked at anew.
        self._beginnings = 0

    async def query(self, text: str) -> Vectors:
        """Return the unit vector of a question. Raises EmbeddingFailed."""
        vector = await self._last_asked.question(text)
        await self._use(len(vector))
        return vector

    @property
    def used(self) -> int:
        """The key of the space this embedder last used, as far as this process has read it; 0 if it knows of none."""
        return self._used

    async def space(self) -> int:
        """Return the key of the space this embedder last used, 0 if it has embedded nothing yet."""
        if not self._used:
            known = (int(row["id"]) for row in await self._spaces() if row["name"] == self._name(row["dimension"]))
            self._used = next(known, 0)
        return self._used

    async def catch_up(self, domain: Domain, tell: Progress | None = None, most: int | None = None) -> int:
        """Embed indexed items without a vector, batch by batch, each committed; return how many.

        `tell` reports progress as (done, total). After about `most` items the call ends, to let others have a turn. Completed
        batches survive an interruption. Raises EmbeddingFailed.
        """
        beginnings, done = self._beginnings, 0
        mark, missing = await self._missing(domain, self._caught_up.get(domain.key))
        while done < len(missing):
            if most is not None and done >= most:
                return done
            some = missing[done : done + _BATCH]
            missing += await self._embed(domain, some)
            done += len(some)
            if tell:
                tell(done, len(missing))
        if beginnings != self._beginnings:
            return done + await self.catch_up(domain, tell, most)
        if domain.key not in self._caught_up:
            await self._drop_outdated(domain)
        self._caught_up[domain.key] = mark
        return done

    async def _missing(self, domain: Domain, since: int | None) -> tuple[int, list[int]]:
        """Return the number of the domain's last change, and the items without a vector among those changed `since` one (None: all)."""
        new = "" if since is None else "AND t.item IN (SELECT item FROM changes WHERE domain = :domain AND seq > :since) "
        # One statement sees one state: nothing changes between its parts, nor does the log lose what it is asked for.
        last, *missing = await self._db.all(
            "SELECT 0 AS item, coalesce(max(changes), 0) AS last, (SELECT min(seq) FROM changes WHERE domain = :domain) AS first "
            "FROM domains WHERE id = :domain UNION ALL "
            f"SELECT DISTINCT t.item, 0 AS last, 0 AS first FROM terms t WHERE t.domain = :domain {new}AND NOT EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.space IN (:space, :left) AND v.domain = t.domain AND v.item = t.item) ORDER BY item",
            {"space": await self.space(), "left": await self.left(), "domain": domain.key, "since": since},
        )
        if since is not None and _lacks_changes(last["first"], since):
            return await self._missing(domain, None)
        return last["last"], [row["item"] for row in missing]

    async def left(self) -> int:
        """Return the key of the space that marks what is left to another embedder, 0 if nothing is."""
        if self._reads and not self._left:
            self._left = await self._ensure_space(f"left by {self._embedder.name}", _left(self._embedder.name), 0)
        return self._left

    async def look_again(self, domain: Domain) -> None:
        """Unmark everything in a domain that was left to another embedder, so that it is looked at again."""
        left = await self.left()
        async with self._db.transaction(bounds=Bounds.of(domain.key)) as tx:
            await tx.run("DELETE FROM vectors WHERE space = :left AND domain = :domain", {"left": left, "domain": domain.key})
        self._caught_up.pop(domain.key, None)
        self._beginnings += 1

    async def holds(self, domain: Domain) -> bool:
        """Return whether anything in a domain has a vector of this embedder."""
        which = {"space": await self.space(), "domain": domain.key}
        return (
            bool(which["space"])
            and await self._db.one("SELECT 1 FROM vectors WHERE space = :space AND domain = :domain LIMIT 1", which) is not None
        )

    async def leave(self, domain: Domain, texts: Mapping[int, str]) -> None:
        """Leave items with these texts to another embedder and drop their vectors of this one."""
        space, left = await self.space(), await self.left()
        async with self._db.transaction(bounds=Bounds.of(domain.key)) as tx:
            made, now = await tx.gather(
                tx.all(
                    f"DELETE FROM vectors WHERE space = :space AND domain = :domain AND item IN ({placeholders('i', list(texts))}) "
                    "RETURNING item",
                    {"space": space, "domain": domain.key, **bound("i", list(texts))},
                ),
                texts_of(tx, list(texts)),
            )
            await log_change(tx, domain, sorted({row["item"] for row in made}), "drop")
            await tx.many(_KEPT, _marks(left, domain, {item: text for item, text in texts.items() if now.get(item) == text}))

    async def _embed(self, domain: Domain, items: Sequence[int]) -> list[int]:
        """Embed items, and return those whose text changed meanwhile."""
        texts, marks = await texts_of(self._db, items), 0
        if self._reads:
            mine, marks = await self._reads(domain, texts)
            if others := {item: text for item, text in texts.items() if item not in mine}:
                await self.leave(domain, others)
            texts = {item: text for item, text in texts.items() if item in mine}
        parts = await off_loop(sum(map(len, texts.values())), partial(_parts, texts))
        if not parts:
            return []
        vectors = _within(await self._last_asked.embed([one.text for one in parts]), [one.within for one in parts])
        space = await self._use(vectors.shape[1])
        async with self._db.transaction(bounds=Bounds.of(domain.key)) as tx:
            now = await texts_of(tx, list(texts))
            same = {item: text for item, text in texts.items() if now.get(item) == text}
            await tx.many(
                _KEPT,
                (
                    {"space": space, "domain": domain.key, "item": one.item, "passage": one.number,
                     "text_hash": _hash(one.text), "vector": vector.astype(np.float16).tobytes()}
                    for one, vector in zip(parts, vectors, strict=True)
                    if one.item in same
                ),
            )  # fmt: skip
            if marks:
                await tx.many(_KEPT, _marks(marks, domain, same))
            await log_change(tx, domain, list(texts), "vector")
        return [item for item, text in texts.items() if item in now and now[item] != text]

    async def _use(self, dimension: int) -> int:
        """Return the space of a dimension just embedded; when it changes, everything is to be embedded anew."""
        if dimension != self._dimension:
            space = await self._ensure_space(self._name(dimension), self._embedder.name, dimension)
            self._dimension, self._used, self._caught_up = dimension, space, {}
            self._beginnings += 1
        return self._used

    async def _drop_outdated(self, domain: Domain) -> None:
        """Drop this embedder's vectors of older spaces, and those of embedders it replaces, once the new ones are complete."""
        old = [row["id"] for row in await self._spaces() if row["name"] != self._name(row["dimension"])]
        if isinstance(self._embedder, Replacing):
            for name in self._embedder.replaces:
                old += [row["id"] for made in (name, _left(name)) for row in await self._spaces(made)]
        if not old:
            return
        async with self._db.transaction(bounds=Bounds.of(domain.key)) as tx:
            await tx.run(
                f"DELETE FROM vectors WHERE domain = :domain AND space IN ({placeholders('s', old)})",
                {"domain": domain.key, **bound("s", old)},
            )

    async def _spaces(self, embedder: str = "") -> list[Row]:
        return await self._db.all(
            "SELECT id, name, dimension FROM spaces WHERE embedder = :embedder ORDER BY id DESC",
            {"embedder": embedder or self._embedder.name},
        )

    async def _ensure_space(self, name: str, embedder: str, dimension: int) -> int:
        """Return the key of a space, created if needed."""
        row = await self._db.one("SELECT id FROM spaces WHERE name = :name", {"name": name})
        if row is None:
            async with self._db.transaction(bounds=Bounds()) as tx:
                row = await tx.one(
                    "INSERT INTO spaces (name, embedder, dimension, made_at) VALUES (:name, :embedder, :dimension, :now) "
                    "ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
                    {"name": name, "embedder": embedder, "dimension": dimension, "now": self._clock.now()},
                )
        assert row is not None
        return int(row["id"])

    def _name(self, dimension: int) -> str:
        return _hash(f"{self._embedder.name}\n{dimension}\n{INDEX_TEXT_VERSION}").hex()


# Only if the text is unchanged: what was forgotten or edited meanwhile gets no vector of its old words.
_KEPT = (
    "INSERT INTO vectors (space, domain, item, passage, text_hash, vector) "
    "VALUES (:space, :domain, :item, :passage, :text_hash, :vector) ON CONFLICT DO NOTHING"
)


def _marks(space: int, domain: Domain, texts: Mapping[int, str]) -> Iterator[Parameters]:
    """Yield the rows that mark items with these texts as left to another embedder."""
    for item, text in texts.items():
        yield {"space": space, "domain": domain.key, "item": item, "passage": 0, "text_hash": _hash(text), "vector": b""}


async def waiting(db: DatabaseAccess, stores: Sequence[VectorStore]) -> int:
    """Return how many indexed items lack a vector of any of these stores."""
    found: set[int] = set()
    for store in stores:
        rows = await db.all(
            "SELECT DISTINCT t.item FROM terms t WHERE NOT EXISTS (SELECT 1 FROM vectors v "
            "WHERE v.space IN (:space, :left) AND v.domain = t.domain AND v.item = t.item)",
            {"space": await store.space(), "left": await store.left()},
        )
        found.update(row["item"] for row in rows)
    return len(found)


async def remove(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Drop the vectors of items, in the transaction that removes them from the index."""
    await tx.run(
        # Vectors are ordered by space first.
        f"DELETE FROM vectors WHERE space IN (SELECT id FROM spaces) AND domain = :domain AND item IN ({placeholders('i', items)})",
        {"domain": domain.key, **bound("i", items)},
    )


class _Part(NamedTuple):
    """A passage or sentence of an item; `within` is the index of the passage it belongs to."""

    item: int
    number: int
    text: str
    within: int


def _parts(texts: Mapping[int, str]) -> list[_Part]:
    """Return the parts of some texts to embed, grouped by item."""
    parts: list[_Part] = []
    for item, text in texts.items():
        whole = passages(text)
        parts += [_Part(item, n, part, len(parts) + n) for n, part in enumerate(whole)]
        if len(whole) == 1:
            at = len(parts) - 1
            parts += [_Part(item, n, one, at) for n, one in enumerate(telling_sentences(text), 1)]
    return parts


def _within(vectors: Vectors, wholes: Sequence[int]) -> Vectors:
    """Return unit vectors, each the mean of a part's vector and that of the passage it is within."""
    both = vectors + vectors[wholes]
    return np.asarray(both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), np.finfo(np.float32).tiny), np.float32)


def _lacks_changes(first: int | None, since: int) -> bool:
    """Return whether a log that begins with the change `first` lacks some after `since`."""
    return first is not None and first > since + 1


def _left(embedder: str) -> str:
    """Return the name of the space that marks what an embedder leaves to another."""
    return f"{embedder} (left)"


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
