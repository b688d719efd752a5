"""Forgetting: the tombstone first, then everything that was derived.

A tombstone is a message's public id: a keyed hash. It is appended to `tombstones.log` beside the database and synced to
disk before any row is touched, so that a restored backup, a late original or a running dream meets it. Then one
transaction marks the items and all their descendants dead and removes raw text, terms, vectors, digests, queued answers
and refused drafts. Only the empty shells of the items stay, so that their ids are never used again.
"""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.db import Database, Transaction
from memory.errors import DiskFull
from memory.inbox import finish
from memory.lineage import announce, descendants, fill, holes, pages
from memory.outbox import silence
from memory.places import read_domain
from memory.tiers import known, statements, summaries
from memory.types import Domain, Forgotten


@dataclass(frozen=True, slots=True)
class Graveyard:
    """The tombstones of one database, in its file and in the log beside it."""

    db: Database
    log: Path

    async def bury(self, domain: Domain, items: Sequence[int], now: int) -> Forgotten:
        """Forget these messages of a domain and everything that rests on them; return the receipt."""
        names = await known.names(self.db, domain, items)
        return await self.inter(names, (), now) if names else Forgotten(0, 0, 0)

    async def inter(self, names: Sequence[str], events: Sequence[int], now: int) -> Forgotten:
        """Put up tombstones of these names, bury what bears them in any domain, and finish these events of the inbox."""
        self._append(names)
        async with self.db.transaction() as tx:
            receipt = await _bury(tx, await _living(tx, names), names, now)
            await finish(tx, events)
        await self.db.checkpoint()
        return receipt

    async def replay(self, domains: Sequence[Domain], now: int) -> Forgotten:
        """Bury again whatever the log names and the file still holds: a restored backup brings back nothing forgotten."""
        total = Forgotten(0, 0, 0)
        if not self.log.exists():
            return total
        names = [line.split()[0] for line in self.log.read_text("ascii").splitlines() if line.strip()]
        for some in pages(names):
            async with self.db.transaction() as tx:
                await _mark(tx, some, now)
                for domain in domains:
                    rows = await tx.all(
                        f"SELECT id FROM items WHERE domain = :domain AND dead_at IS NULL AND public_id IN ({holes('n', some)})",
                        {"domain": domain.key, **fill("n", some)},
                    )
                    if rows:
                        gone = await _bury(tx, [row["id"] for row in rows], [], now)
                        total = Forgotten(
                            total.messages + gone.messages, total.digests + gone.digests, total.replies + gone.replies
                        )
        return total

    def _append(self, names: Sequence[str]) -> None:
        try:
            handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # Each on a line of its own, even behind one that a power cut tore.
                lines = "".join(f"\n{name}\n" for name in names).encode("ascii")
                if os.write(handle, lines) < len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise DiskFull(f"Nothing was forgotten: {self.log} could not be written ({error.strerror}).") from error


async def _bury(tx: Transaction, items: Sequence[int], names: Sequence[str], now: int) -> Forgotten:
    await _mark(tx, names, now)
    messages = digests = replies = 0
    for domain, _ in await by_domain(tx, items):
        # A notice has no lineage: what it quotes is not known, so none keeps its text, and none goes out any more.
        await silence(tx, "domain = :domain AND item IS NULL", {"domain": domain.key})
    # A reply in another domain of the same person may rest on what was said here.
    for there, gone in await by_domain(tx, await descendants(tx, items)):
        receipt = await _receipt(tx, there, gone)
        messages, digests, replies = messages + receipt.messages, digests + receipt.digests, replies + receipt.replies
        await _remove_all(tx, there, gone, now)
        await drop_what_is_empty(tx, there)
    return Forgotten(messages, digests, replies)


async def by_domain(tx: Transaction, items: Sequence[int]) -> list[tuple[Domain, list[int]]]:
    """Return items by the domain they belong to."""
    found: dict[Domain, list[int]] = {}
    for some in pages(items):
        rows = await tx.all(
            f"SELECT i.id AS item, d.* FROM items i JOIN domains d ON d.id = i.domain WHERE i.id IN ({holes('i', some)})",
            fill("i", some),
        )
        for row in rows:
            found.setdefault(read_domain(row), []).append(row["item"])
    return list(found.items())


async def retire(tx: Transaction, domain: Domain, items: Sequence[int], now: int) -> None:
    """Remove digests or replies, and the digests made from them, to be written anew.

    Replies that used them and stay rest on their messages instead.
    """
    gone = await digests_above(tx, items)
    await _rest_on_messages(tx, gone)
    await _remove_all(tx, domain, gone, now)


async def digests_above(tx: Transaction, items: Sequence[int]) -> list[int]:
    """Return these items and all digests made from them, directly or not."""
    rows = await tx.all(
        f"WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({holes('i', items)}) UNION "
        "SELECT l.child FROM lineage l JOIN above ON l.parent = above.id "
        "JOIN items i ON i.id = l.child AND i.kind <> 'exchange') SELECT id FROM above",
        fill("i", items),
    )
    return [row["id"] for row in rows]


async def _rest_on_messages(tx: Transaction, gone: Sequence[int]) -> None:
    # A message that stays keeps what it rests on itself: the way down ends there.
    within = f"IN ({holes('g', gone)})"
    await tx.run(
        f"WITH RECURSIVE below (root, item) AS (SELECT id, id FROM items WHERE id {within} UNION "
        "SELECT below.root, l.parent FROM below JOIN items i ON i.id = below.item JOIN lineage l ON l.child = below.item "
        f"WHERE i.kind <> 'exchange' OR i.id {within}) "
        "INSERT INTO lineage (child, parent) SELECT DISTINCT l.child, below.item FROM below "
        "JOIN lineage l ON l.parent = below.root "
        "JOIN items reply ON reply.id = l.child AND reply.kind = 'exchange' "
        "JOIN items message ON message.id = below.item AND message.kind = 'exchange' "
        "WHERE true ON CONFLICT DO NOTHING",
        fill("g", gone),
    )


async def _remove_all(tx: Transaction, domain: Domain, gone: Sequence[int], now: int) -> None:
    for some in pages(gone):
        await _remove(tx, domain, some, now)
    await announce(tx, domain, gone, "drop")


async def _mark(tx: Transaction, names: Sequence[str], now: int) -> None:
    await tx.many(
        "INSERT INTO tombstones (public_id, buried_at) VALUES (:id, :now) ON CONFLICT DO NOTHING",
        ({"id": name, "now": now} for name in names),
    )


async def _living(tx: Transaction, names: Sequence[str]) -> list[int]:
    found: list[int] = []
    for some in pages(names):
        rows = await tx.all(f"SELECT id FROM items WHERE public_id IN ({holes('n', some)}) AND dead_at IS NULL", fill("n", some))
        found.extend(row["id"] for row in rows)
    return found


async def _receipt(tx: Transaction, domain: Domain, gone: Sequence[int]) -> Forgotten:
    counted = {"said": 0, "reply": 0, "digest": 0}
    for some in pages(gone):
        rows = await tx.all(
            "SELECT CASE WHEN e.kind = 'said' THEN 'said' ELSE 'reply' END AS what, count(*) AS n FROM exchanges e "
            f"WHERE e.domain = :domain AND e.item IN ({holes('i', some)}) GROUP BY 1 UNION ALL "
            f"SELECT 'digest' AS what, count(*) AS n FROM digests WHERE domain = :domain AND item IN ({holes('i', some)}) "
            f"UNION ALL SELECT 'digest' AS what, count(*) AS n FROM statements WHERE domain = :domain AND item IN ({holes('i', some)})",
            {"domain": domain.key, **fill("i", some)},
        )
        for row in rows:
            counted[row["what"]] += row["n"]
    return Forgotten(counted["said"], counted["digest"], counted["reply"])


async def _remove(tx: Transaction, domain: Domain, some: Sequence[int], now: int) -> None:
    within = f"IN ({holes('i', some)})"
    keys = fill("i", some)
    scoped = {"domain": domain.key, **keys}
    await summaries.uncover(tx, some)
    await statements.uncover(tx, some)
    await tx.run(f"UPDATE items SET dead_at = :now WHERE id {within}", {"now": now, **keys})
    await tx.run(
        f"DELETE FROM refusals WHERE EXISTS (SELECT 1 FROM exchanges e WHERE e.session = refusals.session AND e.item {within})",
        keys,
    )
    await tx.run(
        "UPDATE inbox SET state = 'done', payload = '' WHERE state <> 'done' AND EXISTS (SELECT 1 FROM exchanges e "
        f"JOIN sessions s ON s.id = e.session WHERE e.item {within} AND e.source_id = inbox.event_id "
        "AND s.platform = inbox.platform)",
        keys,
    )
    await silence(
        tx,
        "operation = 'preview' AND EXISTS (SELECT 1 FROM exchanges e JOIN sessions s ON s.id = e.session "
        f"WHERE e.item {within} AND e.source_id = outbox.answers AND s.platform = outbox.platform AND s.place = outbox.place)",
        keys,
    )
    await silence(tx, f"item {within}", keys)
    for table in ("terms", "vectors", "digests", "reflections", "statements", "exchanges"):
        await tx.run(f"DELETE FROM {table} WHERE domain = :domain AND item {within}", scoped)
    await tx.run(f"DELETE FROM cites WHERE digest {within} OR item {within}", keys)
    await tx.run("DELETE FROM rejections WHERE domain = :domain", {"domain": domain.key})
    await tx.run(f"DELETE FROM lineage WHERE child {within} OR parent {within}", keys)


async def drop_what_is_empty(tx: Transaction, domain: Domain) -> None:
    """Drop the episodes that hold no message any more, and the names of such sessions.

    Their rows stay: a turn may hold one in its hand, and their numbers must never mean another session.
    """
    await tx.run(
        "DELETE FROM episodes WHERE domain = :domain AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.episode = episodes.id)",
        {"domain": domain.key},
    )
    emptied = "domain = :domain AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.session = {0})"
    await tx.run(f"DELETE FROM refusals WHERE {emptied.format('refusals.session')}", {"domain": domain.key})
    await tx.run(f"UPDATE sessions SET name = public_id WHERE {emptied.format('sessions.id')}", {"domain": domain.key})
