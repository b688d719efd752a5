"""Places that disappeared wholesale: a deleted channel or server, a room that was left.

From that moment, what was said there is withheld, along with replies elsewhere that hold something of it, and leaves the index
and every digest. After a week it is forgotten for good, unless somebody decides to keep it; then it becomes searchable again,
and digests are rewritten.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.forget import erase
from memory.forget import gone as gone_rows
from memory.forget.affected_replies import AffectedReplies
from memory.forget.forgetting import STEP, Forgetting
from memory.forget.gone import ForgottenScope, Gone, present
from memory.forget.sparing import Nearness
from memory.index.indexing import unindex
from memory.index.reindexing import mark_unfound, reindex
from memory.ports import Clock
from memory.store.database import Database, Row, Transaction
from memory.store.domains import by_domain, read_domain
from memory.store.lineage import bound, paged, placeholders
from memory.types import MINUTE, Domain, Forgotten

WEEK = 7 * 24 * 60 * MINUTE


@dataclass(frozen=True, slots=True)
class VanishedPlace:
    """A place that is gone: the prefix of its key, since when, and when it is forgotten."""

    key: int
    platform: str
    prefix: tuple[str, ...]
    at: int
    due: int


@dataclass(frozen=True, slots=True)
class Disappearance:
    """The withholding and forgetting of what was said at vanished places."""

    db: Database
    forgetting: Forgetting
    clock: Clock
    _withholding: list[tuple[int, asyncio.Event]] = field(default_factory=list)
    """The vanished places that this process is withholding, each with the event that ends it."""

    async def settled(self, vanished: int | None = None) -> None:
        """Wait until a vanished place is withheld, or all are (None); until then, nothing of their domains is read."""
        for key, done in list(self._withholding):
            if vanished in (None, key):
                await done.wait()

    async def vanish(self, platform: str, prefix: Sequence[str]) -> int:
        """Withhold what was said at every place whose key has this prefix, for a week; return how many messages that is.

        A place that came back and vanishes again has its week anew, if anything was said there meanwhile.
        """
        sessions = await self._sessions(platform, prefix)
        if not sessions:
            return 0
        now = self.clock.now()
        again = "UPDATE SET at = excluded.at, due = excluded.due, withheld = 0" if await self._is_new(sessions) else "NOTHING"
        async with self.db.transaction() as tx:
            await tx.run(
                "INSERT INTO vanished (platform, prefix, at, due) VALUES (:platform, :prefix, :now, :due) "
                f"ON CONFLICT (platform, prefix) DO {again}",
                {"platform": platform, "prefix": json.dumps(list(prefix)), "now": now, "due": now + WEEK},
            )
        return await self._withhold(platform, prefix, sessions)

    async def resume(self) -> None:
        """Resume withholding that failed or was interrupted by a kill."""
        for row in await self.db.all("SELECT * FROM vanished WHERE withheld = 0 ORDER BY id"):
            if row["id"] not in (key for key, _ in self._withholding):
                prefix = json.loads(row["prefix"])
                await self._withhold(row["platform"], prefix, await self._sessions(row["platform"], prefix))
        if await self.db.one("SELECT 1 AS yes FROM gone WHERE length(items) = 0 LIMIT 1"):
            # A place may have been kept by another process while this one was withholding it.
            async with self.db.transaction() as tx:
                await gone_rows.reopen(tx)

    async def keep(self, platform: str, prefix: Sequence[str]) -> int:
        """Keep what was said at a vanished place after all; return how many items are restored."""
        vanished = await self._vanished(platform, prefix)
        if vanished is None:
            return 0
        await self.settled(vanished)
        kept = 0
        while items := await self._items(vanished):
            async with self.db.transaction() as tx:
                await mark_unfound(tx, items)
                await tx.run(f"DELETE FROM withheld WHERE item IN ({placeholders('i', items)})", bound("i", items))
            kept += len(items)
        async with self.db.transaction() as tx:
            await tx.run("DELETE FROM vanished WHERE id = :id", {"id": vanished})
            await gone_rows.reopen(tx)
        await reindex(self.db)
        return kept

    async def vanished(self, platform: str) -> list[VanishedPlace]:
        """Return the vanished places of a platform that are not yet forgotten, oldest first."""
        rows = await self.db.all("SELECT * FROM vanished WHERE platform = :platform ORDER BY id", {"platform": platform})
        return [_vanished(row) for row in rows]

    async def forget_due(self) -> Forgotten:
        """Forget what vanished a week ago and was not kept; return the receipt."""
        total = Forgotten(0, 0, 0)
        for row in await self.db.all("SELECT * FROM vanished WHERE due <= :now AND withheld = 1", {"now": self.clock.now()}):
            while items := await self._items(row["id"]):
                rows = await paged(self.db, "SELECT public_id FROM items WHERE id IN ({within})", items)
                total += await self.forgetting.forget_named([one["public_id"] for one in rows])
                async with self.db.transaction() as tx:
                    await tx.run(f"DELETE FROM withheld WHERE item IN ({placeholders('i', items)})", bound("i", items))
            async with self.db.transaction() as tx:
                await tx.run("DELETE FROM vanished WHERE id = :id", {"id": row["id"]})
        return total

    async def _items(self, vanished: int) -> list[int]:
        rows = await self.db.all(
            "SELECT item FROM withheld WHERE vanished = :id ORDER BY item LIMIT :n", {"id": vanished, "n": STEP}
        )
        return [row["item"] for row in rows]

    async def _sessions(self, platform: str, prefix: Sequence[str]) -> list[tuple[Domain, int]]:
        """Return the sessions of places whose key, a JSON list from the widest level on, has this prefix."""
        rows = await self.db.all(
            "SELECT d.*, s.id AS session, s.place AS at_place FROM sessions s JOIN domains d ON d.id = s.domain "
            "WHERE s.platform = :platform ORDER BY s.id",
            {"platform": platform},
        )
        return [(read_domain(row), row["session"]) for row in rows if json.loads(row["at_place"])[: len(prefix)] == list(prefix)]

    async def _is_new(self, sessions: Sequence[tuple[Domain, int]]) -> bool:
        """Return whether anything in these sessions is not withheld yet."""
        sql = f"SELECT 1 AS yes FROM exchanges e WHERE e.session IN ({{within}}) AND {present('e')} LIMIT 1"
        return bool(await paged(self.db, sql, [session for _, session in sessions]))

    async def _vanished(self, platform: str, prefix: Sequence[str]) -> int | None:
        """Return the key of a vanished place, None if it has not vanished."""
        parameters = {"platform": platform, "prefix": json.dumps(list(prefix))}
        row = await self.db.one("SELECT id FROM vanished WHERE platform = :platform AND prefix = :prefix", parameters)
        return int(row["id"]) if row else None

    async def _withhold(self, platform: str, prefix: Sequence[str], sessions: Sequence[tuple[Domain, int]]) -> int:
        vanished = await self._vanished(platform, prefix)
        if vanished is None:
            return 0
        withholding = vanished, asyncio.Event()
        self._withholding.append(withholding)
        try:
            return await self._withhold_sessions(vanished, sessions)
        finally:
            self._withholding.remove(withholding)
            withholding[1].set()

    async def _withhold_sessions(self, vanished: int, sessions: Sequence[tuple[Domain, int]]) -> int:
        messages = 0
        async with self.db.transaction() as tx:
            closed = [await gone_rows.close(tx, domain, self.clock.now()) for domain in {d.key: d for d, _ in sessions}.values()]
        for domain, session in sessions:
            messages += await self._withhold_session(
                vanished, Gone(0, domain, max(g.upto for g in closed), ForgottenScope(session=session))
            )
        async with self.db.transaction() as tx:
            await tx.run("UPDATE vanished SET withheld = 1 WHERE id = :id", {"id": vanished})
            for one in closed:
                await gone_rows.mark_erased(tx, one)
            await gone_rows.reopen(tx)
        return messages

    async def _withhold_session(self, vanished: int, gone: Gone) -> int:
        walk = AffectedReplies(self.db, Nearness(self.forgetting.embedder), besides=gone)
        messages = 0
        while batch := await self.db.all(
            f"SELECT e.item, e.text FROM exchanges e WHERE {gone.where} AND {present('e')} ORDER BY e.item LIMIT {STEP}",
            gone.parameters,
        ):
            replies = await walk.along(gone.domain, {row["item"]: [row["text"]] for row in batch})
            items = sorted({*(row["item"] for row in batch), *replies})
            async with self.db.transaction() as tx:
                await self._take_out(tx, vanished, items)
            messages += len(batch)
        return messages

    async def _take_out(self, tx: Transaction, vanished: int, items: Sequence[int]) -> None:
        """Withhold messages and remove them from the index and from every digest."""
        above = sorted(set(await erase.digests_above(tx, items)).difference(items))
        for domain, those in await by_domain(tx, above):
            await erase.retire(tx, domain, those, self.clock.now())
        await tx.many(
            "INSERT INTO withheld (item, vanished) VALUES (:item, :vanished) ON CONFLICT DO NOTHING",
            ({"item": item, "vanished": vanished} for item in items),
        )
        for domain, those in await by_domain(tx, items):
            await unindex(tx, domain, those)


def _vanished(row: Row) -> VanishedPlace:
    return VanishedPlace(row["id"], row["platform"], tuple(json.loads(row["prefix"])), row["at"], row["due"])
