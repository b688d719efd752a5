"""Vectors: what texts mean, as an embedder sees it, stored with the space they belong to.

A space is an embedder, a dimension and the version of the text that is embedded; vectors of different spaces are never
compared. The text is always stored first; its vector comes later, and if none comes, words still find it.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from memory.db import Database, Row
from memory.lineage import announce
from memory.ports import Clock, Embedder, Vectors
from memory.tiers.exchanges import index_text
from memory.types import Domain, Exchange, Kind

INDEX_TEXT_VERSION = 1
_BATCH = 64


class VectorStore:
    """The stored vectors of one database, for one embedder."""

    def __init__(self, db: Database, embedder: Embedder, clock: Clock) -> None:
        self._db = db
        self._embedder = embedder
        self._clock = clock
        self._held: dict[int, tuple[int, int, np.ndarray, Vectors]] = {}

    async def query(self, text: str) -> Vectors:
        """Return the unit vector of a question. Raises EmbeddingFailed."""
        vector: Vectors = (await self._embedder.embed([text]))[0]
        return vector

    async def of(self, domain: int, dimension: int) -> tuple[np.ndarray, Vectors]:
        """Return the items of a domain that have a vector in this embedder's space, and those vectors, row by row."""
        space = await self._space(dimension)
        mark = await self._db.one(
            "SELECT coalesce(max(seq), 0) AS seq FROM changes WHERE domain = :domain AND op <> 'add'", {"domain": domain}
        )
        assert mark is not None
        held = self._held.get(domain)
        if held and held[:2] == (space, mark["seq"]):
            return held[2], held[3]
        rows = await self._db.all(
            "SELECT item, vector FROM vectors WHERE space = :space AND domain = :domain ORDER BY item, passage",
            {"space": space, "domain": domain},
        )
        items = np.fromiter((row["item"] for row in rows), np.int64, len(rows))
        matrix = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16).reshape(-1, dimension)
        self._held[domain] = (space, mark["seq"], items, matrix.astype(np.float32))
        return items, self._held[domain][3]

    async def catch_up(self, domain: Domain) -> int:
        """Embed what has words and no vector yet, in batches, each kept when it is done. Raises EmbeddingFailed."""
        done = 0
        space = await self._known_space()
        while rows := await self._missing(domain, space):
            texts = [_text(row, domain) for row in rows]
            vectors = await self._embedder.embed(texts)
            space = await self._space(vectors.shape[1])
            await self._keep(space, domain, rows, texts, vectors)
            done += len(rows)
        return done

    async def _missing(self, domain: Domain, space: int) -> list[Row]:
        return await self._db.all(
            "SELECT t.item, e.text, e.speaker, e.said_at, coalesce(d.text, s.text) AS digest FROM terms t "
            "LEFT JOIN vectors v ON v.space = :space AND v.domain = t.domain AND v.item = t.item AND v.passage = 0 "
            "LEFT JOIN exchanges e ON e.item = t.item LEFT JOIN digests d ON d.item = t.item "
            "LEFT JOIN statements s ON s.item = t.item WHERE t.domain = :domain AND v.item IS NULL ORDER BY t.item LIMIT :limit",
            {"space": space, "domain": domain.key, "limit": _BATCH},
        )

    async def _keep(self, space: int, domain: Domain, rows: Sequence[Row], texts: Sequence[str], vectors: Vectors) -> None:
        async with self._db.transaction() as tx:
            await tx.many(
                "INSERT INTO vectors (space, domain, item, passage, text_hash, vector) "
                "SELECT :space, :domain, :item, 0, :text_hash, :vector "
                # What was forgotten or changed meanwhile gets no vector of its old words.
                "WHERE EXISTS (SELECT 1 FROM exchanges WHERE item = :item AND text = :words "
                "UNION ALL SELECT 1 FROM digests WHERE item = :item AND text = :words "
                "UNION ALL SELECT 1 FROM statements WHERE item = :item AND text = :words) ON CONFLICT DO NOTHING",
                (
                    {"space": space, "domain": domain.key, "item": row["item"], "text_hash": _hash(text),
                     "vector": vector.astype(np.float16).tobytes(), "words": row["text"] if row["digest"] is None else row["digest"]}
                    for row, text, vector in zip(rows, texts, vectors, strict=True)
                ),
            )  # fmt: skip
            await announce(tx, domain, [row["item"] for row in rows], "vector")

    async def _known_space(self) -> int:
        row = await self._db.one(
            "SELECT coalesce(max(id), 0) AS id FROM spaces WHERE embedder = :embedder", {"embedder": self._embedder.name}
        )
        assert row is not None
        return int(row["id"])

    async def _space(self, dimension: int) -> int:
        """Return the key of the space of this embedder and dimension, made where it is new."""
        name = _hash(f"{self._embedder.name}\n{dimension}\n{INDEX_TEXT_VERSION}").hex()
        row = await self._db.one("SELECT id FROM spaces WHERE name = :name", {"name": name})
        if row is None:
            async with self._db.transaction() as tx:
                row = await tx.one(
                    "INSERT INTO spaces (name, embedder, dimension, made_at) VALUES (:name, :embedder, :dimension, :now) "
                    "ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
                    {"name": name, "embedder": self._embedder.name, "dimension": dimension, "now": self._clock.now()},
                )
        assert row is not None
        return int(row["id"])


def _text(row: Row, domain: Domain) -> str:
    if row["digest"] is not None:
        return str(row["digest"])
    return index_text(
        Exchange(row["item"], "", 0, 0, Kind.SAID, "", row["speaker"], row["text"], "", row["said_at"], 0), domain.time_zone
    )


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
