"""Gists, the merge tree above them, and a session's summary.

Level 0 holds one gist per episode, by position; eight neighbours of a level are merged into one of the next, once and for good.
The unmerged digests at the right edge of each level are the frontier: at most seven per level, which together cover everything.
The summary is one more merge of the frontier, made only on request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.index.indexing import GISTS, IndexEntry, index_entries
from memory.store.database import DatabaseAccess, Reader, Row, Transaction
from memory.store.domains import next_source
from memory.store.lineage import Seal, add_items, derive, living, paged, run_paged
from memory.tiers import episodes
from memory.tiers.episodes import HAS_TALK
from memory.types import Digest, Domain, Session

FAN_IN = 8


@dataclass(frozen=True, slots=True)
class DigestPlace:
    """The position of a digest in a session's tree."""

    tier: str
    level: int
    position: int

    def parameters(self, session: Session) -> dict[str, object]:
        """Return the parameters of `_AT`."""
        return {"session": session.key, "tier": self.tier, "level": self.level, "position": self.position}


@dataclass(frozen=True, slots=True)
class DigestLine:
    """One sentence of a digest with the items it cites."""

    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrittenDigest:
    """A digest's sentences, their writer, and what it derives from."""

    lines: tuple[DigestLine, ...]
    writer: str
    extractive: bool
    first_at: int
    last_at: int
    parents: tuple[int, ...]

    @property
    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(line.text for line in self.lines)


async def publish(
    tx: Transaction, seal: Seal, domain: Domain, session: Session, place: DigestPlace, written: WrittenDigest, now: int
) -> int | None:
    """Store a digest at its place, or return None if one of its sources is gone or the place is taken."""
    if not await living(tx, written.parents) or await digest_at(tx, session, place):
        return None
    pid = seal.id(domain.ref, place.tier, await next_source(tx, domain))
    (key,) = await add_items(tx, domain, place.tier, [pid])
    await tx.run(
        "INSERT INTO digests "
        "(item, domain, session, tier, level, position, text, writer, extractive, first_at, last_at, made_at) VALUES "
        "(:item, :domain, :session, :tier, :level, :position, :text, :writer, :extractive, :first_at, :last_at, :now)",
        {**place.parameters(session), "item": key, "domain": domain.key, "text": written.text, "writer": written.writer,
         "extractive": int(written.extractive), "first_at": written.first_at, "last_at": written.last_at, "now": now},
    )  # fmt: skip
    await derive(tx, key, written.parents, {item for line in written.lines for item in line.cited})
    await tx.many(
        "INSERT INTO cites (digest, line, item) VALUES (:digest, :line, :item)",
        ({"digest": key, "line": at, "item": item} for at, line in enumerate(written.lines) for item in line.cited),
    )
    await _cover(tx, session, place, written.parents)
    await index_entries(tx, domain, [IndexEntry(key, GISTS, written.text, written.first_at, session.key)])
    return key


async def _cover(tx: Transaction, session: Session, place: DigestPlace, parents: Sequence[int]) -> None:
    """Mark what a new digest covers: an episode, or the digests it merges."""
    if place.tier == "gist":
        await episodes.mark_digested(tx, session, place.position)
    elif place.tier == "merge":
        await run_paged(tx, "UPDATE digests SET merged = 1 WHERE item IN ({within})", parents)


async def uncover(tx: Transaction, gone: Sequence[int]) -> None:
    """Clear the marks of what these digests cover, so that it is digested again; to be called before they are removed."""
    await unmerge(tx, gone)
    await episodes.mark_undigested(tx, gone)


async def unmerge(tx: Transaction, gone: Sequence[int]) -> None:
    """Mark what remains of these merges' children as unmerged; to be called before the merges are removed."""
    await run_paged(
        tx,
        "UPDATE digests SET merged = 0 WHERE item IN (SELECT l.parent FROM lineage l JOIN digests up ON up.item = l.child "
        "WHERE up.tier = 'merge' AND up.item IN ({within}))",
        gone,
    )


async def resting_on(tx: Transaction, items: Sequence[int]) -> list[int]:
    """Return the merges and summaries that rest on these digests, directly or not."""
    rows = await paged(
        tx,
        "WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({within}) UNION "
        "SELECT l.child FROM lineage l JOIN above ON l.parent = above.id JOIN digests d ON d.item = l.child) SELECT id FROM above",
        items,
    )
    return sorted({row["id"] for row in rows}.difference(items))


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the digests among these items, and every citation of them."""
    await run_paged(tx, "DELETE FROM digests WHERE item IN ({within})", items)
    await run_paged(tx, "DELETE FROM cites WHERE digest IN ({within})", items)
    await run_paged(tx, "DELETE FROM cites WHERE item IN ({within})", items)


async def mark_profiled(tx: Transaction, gists: Sequence[int]) -> None:
    """Mark gists as scanned for facts."""
    await run_paged(tx, "UPDATE digests SET profiled = 1 WHERE item IN ({within})", gists)


async def unprofile(tx: Transaction, gists: Sequence[int]) -> None:
    """Mark gists to be scanned for facts again."""
    await run_paged(tx, "UPDATE digests SET profiled = 0 WHERE tier = 'gist' AND item IN ({within})", gists)


async def look_again(tx: Transaction, facts: Sequence[int]) -> None:
    """Mark the sources of these facts to be scanned again."""
    await run_paged(
        tx,
        "UPDATE digests SET profiled = 0 WHERE tier = 'gist' AND item IN (SELECT l.parent FROM lineage l "
        "JOIN statements s ON s.item = l.child WHERE l.child IN ({within}) AND s.tier = 'profile') AND item NOT IN ({within})",
        facts,
    )


async def unprofiled(db: DatabaseAccess, domain: Domain, most: int) -> list[Row]:
    """Return at most `most` gists not scanned for facts, in the order they were written."""
    return await db.all(f"{_GISTS} AND profiled = 0 ORDER BY item LIMIT :most", {"domain": domain.key, "most": most})


async def newest(db: DatabaseAccess, domain: Domain, most: int) -> list[Row]:
    """Return at most `most` gists of what was said last, oldest first."""
    rows = await db.all(f"{_GISTS} ORDER BY last_at DESC, item DESC LIMIT :most", {"domain": domain.key, "most": most})
    return rows[::-1]


async def of_month(db: DatabaseAccess, domain: Domain, month: str) -> list[Row]:
    """Return the gists of a month's episodes, oldest first."""
    return await db.all(
        "SELECT d.item, d.session, d.text, d.first_at, d.last_at FROM episodes p JOIN digests d ON d.session = p.session "
        "AND d.position = p.position AND d.tier = 'gist' WHERE d.domain = :domain AND p.domain = :domain AND p.month = :month "
        "ORDER BY d.first_at, d.item",
        {"domain": domain.key, "month": month},
    )


async def count(db: DatabaseAccess, domain: Domain, *, unprofiled: bool = False) -> int:
    """Return the number of gists of a domain, or of those not scanned for facts."""
    only = " AND profiled = 0" if unprofiled else ""
    row = await db.one(f"SELECT count(*) AS n FROM digests WHERE domain = :d AND tier = 'gist'{only}", {"d": domain.key})
    return int(row["n"]) if row else 0


async def unaged(db: DatabaseAccess, domain: Domain) -> dict[str, int]:
    """Return the number of gists that are in no era, by month."""
    rows = await db.all(
        "SELECT p.month, count(*) AS fresh FROM digests d JOIN episodes p ON p.session = d.session AND p.position = d.position "
        "WHERE d.domain = :domain AND d.tier = 'gist' AND d.aged = 0 GROUP BY p.month ORDER BY p.month",
        {"domain": domain.key},
    )
    return {row["month"]: row["fresh"] for row in rows}


async def profiled_below(tx: Transaction, facts: Sequence[int]) -> list[int]:
    """Return the scanned sources of these facts."""
    below = "SELECT item FROM digests WHERE profiled = 1 AND item IN (SELECT parent FROM lineage WHERE child IN ({within}))"
    return [row["item"] for row in await paged(tx, below, facts)]


_GISTS = "SELECT item, session, text, first_at, last_at FROM digests WHERE domain = :domain AND tier = 'gist'"


async def mark_aged(tx: Transaction, gists: Sequence[int]) -> None:
    """Mark gists as included in the era of their month."""
    await run_paged(tx, "UPDATE digests SET aged = 1 WHERE item IN ({within})", gists)


async def digest_at(reader: Reader, session: Session, place: DigestPlace) -> Digest | None:
    """Return the digest at a place."""
    row = await reader.one(f"{SELECT}WHERE {_AT}", place.parameters(session))
    return digest(row) if row else None


_AT = "d.session = :session AND d.tier = :tier AND d.level = :level AND d.position = :position"


async def frontier(db: DatabaseAccess, session: Session) -> list[Digest]:
    """Return the digests that together cover every gist of a session, oldest first."""
    rows = await db.all(
        SELECT + "WHERE d.session = :session AND d.merged = 0 AND d.tier IN ('gist', 'merge') ORDER BY d.first_at, d.item",
        {"session": session.key},
    )
    return [digest(row) for row in rows]


class RipeMerge(NamedTuple):
    """The place of a merge that is due, and the digests to be merged, in order."""

    place: DigestPlace
    children: list[Digest]


async def mergeable(db: DatabaseAccess, session: Session) -> RipeMerge | None:
    """Return the next merge that is due, lowest level first, or None.

    A group of eight is ripe once the session has moved past it and no episode below it waits for a gist. Positions emptied by
    forgetting are skipped; a group with a single digest left stays as it is.
    """
    return await _ripe(db, session, *await _progress(db, session))


async def is_due(db: DatabaseAccess, session: Session) -> bool:
    """Return whether a gist or a merge of a session is to be written."""
    open_from, end = await _progress(db, session)
    return open_from is not None or await _ripe(db, session, open_from, end) is not None


async def _ripe(db: DatabaseAccess, session: Session, open_from: int | None, end: int) -> RipeMerge | None:
    groups: dict[tuple[int, int], list[Digest]] = {}
    for edge in await frontier(db, session) if end >= FAN_IN else ():
        groups.setdefault((edge.level, edge.position // FAN_IN), []).append(edge)
    for (level, group), children in sorted(groups.items()):
        covered = (group + 1) * FAN_IN ** (level + 1)
        if len(children) > 1 and covered <= end and (open_from is None or covered <= open_from):
            return RipeMerge(DigestPlace("merge", level + 1, group), sorted(children, key=lambda child: child.position))
    return None


async def _progress(db: DatabaseAccess, session: Session) -> tuple[int | None, int]:
    """Return the first episode without a gist, and one past the last episode."""
    row = await db.one(
        "SELECT (SELECT min(p.position) FROM episodes p WHERE p.domain = :domain AND p.session = :session "
        f"AND p.digested = 0 AND {HAS_TALK}) AS waiting, "
        "(SELECT coalesce(max(position), -1) + 1 FROM episodes WHERE session = :session) AS stop",
        {"session": session.key, "domain": session.domain},
    )
    assert row is not None
    return row["waiting"], row["stop"]


SELECT = "SELECT d.*, i.public_id FROM digests d JOIN items i ON i.id = d.item "


def digest(row: Row) -> Digest:
    """Read one row."""
    return Digest(
        row["item"], row["public_id"], row["session"], row["tier"], row["level"], row["position"], row["text"],
        row["writer"], row["first_at"], row["last_at"], row["made_at"],
    )  # fmt: skip
