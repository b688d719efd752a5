"""Forgetting, step by step: tombstones, a row that says what is gone, and the sweep that erases it.

For named messages, the log is written and synced first; for a whole session, person or domain, the row comes first, and every
id is in the log before the first message is erased. From that row on, nothing it covers is read. The sweep takes at most 500
messages per step: it finds the replies that go along, logs their ids, and erases all of them with everything made from them.
Whatever a kill interrupts is finished by the next open.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memory.forget import gone as gone_rows
from memory.forget import setting_apart, tombstones
from memory.forget.affected_replies import AffectedReplies, EditedMessage, LostTexts
from memory.forget.erase import erase
from memory.forget.gone import ForgottenScope, Gone
from memory.forget.sparing import Nearness
from memory.forget.tombstones import Tombstones
from memory.journal import inbox
from memory.journal.outbox import NOTICES, blank_parts
from memory.places import titles
from memory.places.places import drop_names_of
from memory.ports import Clock, Embedder
from memory.store import home_files
from memory.store.database import Database, Transaction
from memory.store.domains import by_domain
from memory.store.lineage import Seal, mark_dead, paged, pages
from memory.tiers import exchanges
from memory.tiers.messages import asides, known
from memory.types import Domain, Forgotten

STEP = 500


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The forgetting of messages in one database."""

    db: Database
    tombstones: Tombstones
    seal: Seal
    clock: Clock
    embedder: Embedder | None = None
    _sweeping: asyncio.Lock = field(default_factory=asyncio.Lock)
    _begun: set[int] = field(default_factory=set)
    """The rows of `gone` that `forget` of this process is at: nothing is left over there."""

    async def forget(self, domain: Domain, scope: ForgottenScope) -> Forgotten:
        """Forget messages of a domain and what rests on them; return the receipt. Raises DiskFull, with nothing forgotten."""
        if scope.items is not None:
            return await self.forget_named(await known.hashes(self.db, self.seal, scope.items))
        async with self.db.transaction() as tx:
            gone = await gone_rows.add(tx, domain, scope, self.clock.now())
            held = await gone_rows.count(tx, gone)
            await blank_parts(tx, f"domain = :domain AND {NOTICES}", {"domain": domain.key})
            self._begun.add(gone.key)
        # It names places and people, and nobody can tell which of these are to be forgotten.
        await asyncio.to_thread(home_files.clear_folder, self.tombstones.log, home_files.LEFT)
        try:
            await self._log(gone)
            done = await self.finish([gone])
        finally:
            self._begun.discard(gone.key)
        # Another awake process may have erased some or all of it.
        return Forgotten(max(done.messages, held.messages), done.digests, max(done.replies, held.replies))

    async def _log(self, gone: Gone) -> None:
        """Write tombstones for all that is gone, so that another file put in place of this one meets them."""
        after = 0
        while items := [row["item"] for row in await self.db.all(
            f"SELECT e.item FROM exchanges e WHERE {gone.where} AND e.item > :after ORDER BY e.item LIMIT {STEP}",
            {**gone.parameters, "after": after},
        )]:  # fmt: skip
            hashes = await known.hashes(self.db, self.seal, items)
            await self.tombstones.append(hashes)
            async with self.db.transaction() as tx:
                await self.tombstones.put_up(tx, hashes, self.clock.now())
            after = items[-1]

    async def forget_named(self, hashes: Sequence[str], events: Sequence[int] = ()) -> Forgotten:
        """Write tombstones of these hashes, forget the items with such a public id in any domain, and finish these inbox events.

        Raises DiskFull; then nothing is forgotten.
        """
        if not hashes and not events:
            return Forgotten(0, 0, 0)
        await self.tombstones.append(hashes)
        return await self.finish(await self._put_up(hashes, events))

    async def reword(self, tx: Transaction, domain: Domain, item: int, words: str, now: int) -> Gone:
        """Record, in the transaction of an edit, the words it removed from an item; `finish` erases replies that hold them."""
        return await gone_rows.add(tx, domain, ForgottenScope([item], words=words), now)

    async def finish(self, some: Sequence[Gone]) -> Forgotten:
        """Erase what is gone and what goes along with it; return the receipt."""
        total = Forgotten(0, 0, 0)
        async with self._sweeping:
            for gone in some:
                total += await self._sweep(gone)
        if some:
            await self.db.checkpoint()
        return total

    async def settled(self) -> None:
        """Wait until what this process is forgetting is erased; until then, nothing that old is read in its domains."""
        async with self._sweeping:
            pass

    async def finish_what_is_left(self) -> Forgotten:
        """Finish what failed or was cancelled before; return the receipt."""
        if self._sweeping.locked():
            return Forgotten(0, 0, 0)
        return await self.finish([gone for gone in await gone_rows.pending(self.db) if gone.key not in self._begun])

    async def resume(self) -> Forgotten:
        """Forget what the log names and this file still holds, and finish what was interrupted; return the receipt.

        Raises TombstonesDamaged.
        """
        unread = await self.tombstones.unread()
        if not unread.is_continued:
            await self.tombstones.complete(unread.hashes)
            unread = await self.tombstones.unread()
        for some in pages(unread.hashes, STEP):
            await self._put_up(some, ())
        done = await self.finish_what_is_left()
        if unread.hashes:
            # An older copy brought destroyed keys back.
            back = {name: domain for name, domain in (await self.db.key_names()).items() if name in {*unread.hashes}}
            async with self.db.transaction() as tx:
                await tombstones.remember_read(tx, unread)
                await self._destroy(tx, back)
        return done

    async def _put_up(self, hashes: Sequence[str], events: Sequence[int]) -> list[Gone]:
        """Store these tombstones with a row for each domain of what is gone, and finish these events, in one transaction."""
        now = self.clock.now()
        found: list[Gone] = []
        async with self.db.transaction() as tx:
            await self.tombstones.put_up(tx, hashes, now)
            rows = await paged(tx, "SELECT id FROM items WHERE public_id IN ({within}) AND dead_at IS NULL", hashes)
            for domain, those in await by_domain(tx, [row["id"] for row in rows]):
                found.append(await gone_rows.add(tx, domain, ForgottenScope(those), now))
                await mark_dead(tx, those, now)
                # A notice has no lineage, so what it quotes is unknown: none keeps its text, and none is sent any more.
                await blank_parts(tx, f"domain = :domain AND {NOTICES}", {"domain": domain.key})
            await inbox.finish(tx, events)
        return found

    async def _sweep(self, gone: Gone) -> Forgotten:
        """Erase what is gone, with the replies that go along, step by step."""
        items, words = gone.scope.items, gone.scope.words
        total = (
            await self._erase_repeating(gone.domain, items[0], words)
            if items and words is not None
            else await self._erase_gone(gone)
        )
        # A domain forgotten as a whole becomes unreadable in older copies as well, if it has a key of its own.
        keys = await self.db.key_names([gone.domain.key]) if gone.scope == ForgottenScope() else {}
        await self.tombstones.append(list(keys))
        async with self.db.transaction() as tx:
            await gone_rows.mark_erased(tx, gone)
            await self._destroy(tx, keys)
        return total

    async def _destroy(self, tx: Transaction, keys: Mapping[str, int]) -> None:
        """Destroy the keys of these names, and write tombstones for them."""
        await tombstones.put_up(tx, keys, self.clock.now())
        for domain in keys.values():
            await tx.renew_key(domain)

    async def _erase_gone(self, gone: Gone) -> Forgotten:
        walk = AffectedReplies(self.db, Nearness(self.embedder), besides=gone)
        total = Forgotten(0, 0, 0)
        while batch := await self.db.all(
            f"{exchanges.SELECT_PLACED}WHERE {gone.where} ORDER BY e.item LIMIT {STEP}", gone.parameters
        ):
            lost: LostTexts = {row["item"]: [row["text"]] for row in batch} | await asides.of_messages(
                self.db, self.seal, gone.domain, batch
            )
            total += await self._erase(sorted(lost), await walk.along(gone.domain, lost))
        # Asides: their words are unknown, so no reply can be shown to hold none of them.
        unkept = await asides.among(self.db, gone.scope.items or ())
        if unkept:
            total += await self._erase(unkept, await walk.along(gone.domain, dict.fromkeys(unkept)))
        return total

    async def _erase_repeating(self, domain: Domain, item: int, words: str) -> Forgotten:
        """Erase the replies that hold what an edit removed from a message; of an aside, all that had it in view."""
        texts = await exchanges.texts(self.db, [item])
        edited = EditedMessage(item, texts[0]) if texts else None
        walk = AffectedReplies(self.db, Nearness(self.embedder), edited)
        return await self._erase([], await walk.along(domain, {item: [words] if words else None}))

    async def _erase(self, gone: Sequence[int], replies: Collection[int]) -> Forgotten:
        items, now = sorted({*gone, *replies}), self.clock.now()
        hashes = await known.hashes(self.db, self.seal, items)
        there = await tombstones.among(self.db, hashes)
        hashes = [one for one in hashes if one not in there]
        await self.tombstones.append(hashes)
        freed = await setting_apart.freed_by(self.db, Nearness(self.embedder), items, items)
        async with self.db.transaction() as tx:
            await self.tombstones.put_up(tx, hashes, now)
            await setting_apart.put(tx, freed, now)
            total = await erase(tx, items, now)
            for domain, _items in await by_domain(tx, items):
                await drop_names_of(tx, await titles.named_after_forgotten(tx, self.seal, domain))
            return total
