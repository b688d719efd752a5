"""Maintenance of a bank: finished conversations enter it, and its oldest entries are folded if it grows too large.

Everything derives from stored state: an interrupted pass is finished by the next one, and a repeated pass changes nothing. An
unreachable writer leaves everything as it is.

The entry of a conversation is one to three bullets, written from its messages as soon as it is over. A conversation is an
episode since the bank was turned on. One that arrives late, or is rewritten because a source was forgotten, reopens the day,
week and month that contain it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.bank import folding
from memory.bank.block import BankEntry, entries, size
from memory.bank.folding import Form, keep
from memory.derive import pipeline, progress, refusals
from memory.derive.context import Context
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.forget import erase
from memory.forget.gone import present
from memory.places.confidences import common
from memory.places.consent import TIER, Consent, consent, resting_on
from memory.places.places import Places
from memory.ports import Entry, Task
from memory.store.database import Row, Transaction
from memory.text.time import periods
from memory.text.time.times import local
from memory.tiers import episodes, statements
from memory.tiers.episodes import HAS_TALK
from memory.tiers.exchanges import SELECT, exchange, recallable
from memory.tiers.source_lines import of_messages
from memory.types import Exchange

FORM = Form(least=1, most=3, words=80)


async def due(context: Context, terms: Consent) -> Work | None:
    """Return the work of the oldest conversation that is not in the bank, None if all are."""
    row = await context.db.one(
        "SELECT p.id, p.position, p.first_at, p.closed_at, s.public_id AS session, (SELECT r.period FROM derivations r WHERE r.domain = p.domain "
        "AND r.tier = 'bank' AND r.mark = p.id) AS period FROM episodes p JOIN sessions s ON s.id = p.session "
        f"WHERE p.domain = :domain AND p.banked = 0 AND p.last_at > :since AND {HAS_TALK} ORDER BY p.first_at, p.id LIMIT 1",
        {"domain": context.domain.key, "since": terms.since},
    )
    return await _work(context, terms, row) if row else None


async def _work(context: Context, terms: Consent, episode: Row) -> Work:
    messages = await _messages(context, terms, episode["id"])
    # When rewritten, a conversation keeps its day, even if the time zone has changed. One dated into the future by a server
    # would never become old enough to be folded.
    began = min(episode["first_at"], episode["closed_at"])
    period = episode["period"] or periods.conversation(began, context.domain.time_zone, episode["session"], episode["position"])
    lines, texts = await of_messages(context.db, context.domain, messages)
    keys = [message.key for message in messages]

    async def still(tx: Transaction) -> bool:
        row = await tx.one("SELECT 1 AS yes FROM episodes WHERE id = :id AND banked = 0", {"id": episode["id"]})
        return row is not None and await consent(Places(context.db, context.seal), context.domain, tx) == terms

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        if entries is not None:
            before = await folding.bullets(tx, context.domain, period)
            if entries or before:
                await folding.reopen(tx, context.domain, periods.above(period), now)
                await erase.retire(tx, context.domain, before, now)
            await keep(tx, context, (periods.CONVERSATION, period), entries, lines, writer, now)
        await episodes.mark_banked(tx, episode["id"], banked=True)

    rung = Progress("/".join(map(str, keys)), episode["id"], len(keys), 1, stale=False)
    task, most_sources = Task("conversation", tuple(line.source for line in lines), FORM.most), 2 * context.bank.most_turns
    return Work(TIER, period, task, texts, rung, publish, cut=FORM.cut(lines), still=still, most_sources=most_sources)


async def _messages(context: Context, terms: Consent, episode: int) -> list[Exchange]:
    """Return what of an episode may enter: said since the bank is on, by nobody and resting on nobody who opted out."""
    rows = await context.db.all(
        f"{SELECT}WHERE e.episode = :episode AND e.said_at > :since AND {present('e')} AND {common('e')} "
        "ORDER BY e.said_at, e.item",
        {"episode": episode, "since": terms.since},
    )
    kept_out = await resting_on(context.db, episode, terms.without)
    return [message for message in map(exchange, rows) if recallable(message) and message.key not in kept_out]


OFF = "The bank is off here."
NO_MODEL = "Writing the bank takes a model, and there is none."


@dataclass(frozen=True, slots=True)
class BankPass:
    """The outcome of a pass: conversations entered, digests written, bullets that left the block; or why nothing was done."""

    conversations: int = 0
    digests: int = 0
    left: int = 0
    why: str = ""


class Bank:
    """The bank of one domain."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def keep(self) -> BankPass:
        """Bring the bank up to date. Raises WriterFailed; what was done stays."""
        if (await self._terms()).since is None:
            return BankPass(why=OFF)
        if self._context.writer.extractive:
            return BankPass(why=NO_MODEL)
        await self._take_up()
        await folding.sweep(self._context)
        noted = await pipeline.make_all(self._context, self._conversation)
        digests = await pipeline.make_all(self._context, self._fold)
        return BankPass(noted, digests, await self._let_leave())

    async def _take_up(self) -> None:
        """Reopen what another writer gave up."""
        context = self._context
        async with context.db.transaction(bounds=context.bounds) as tx:
            for target in await refusals.take_given_up(tx, context.domain, TIER, context.writer.name):
                period = target.slot.partition("/")[2]
                if (before := await progress.read(tx, context.domain, TIER, period)) and before.mark:
                    await episodes.mark_banked(tx, before.mark, banked=False)
                elif before:
                    await progress.drop(tx, context.domain, TIER, period)

    async def _terms(self) -> Consent:
        """Return the current consent, which may be withdrawn during a pass."""
        return await consent(Places(self._context.db, self._context.seal), self._context.domain)

    async def _conversation(self) -> Work | None:
        terms = await self._terms()
        return None if terms.since is None else await due(self._context, terms)

    async def _fold(self) -> Work | None:
        noted = await self._too_large()
        return await folding.due(self._context, await self._terms(), noted) if noted else None

    async def _too_large(self) -> list[BankEntry]:
        """Return the entries of the block if it exceeds its limit; else nothing."""
        noted = entries(await statements.standing(self._context.db, self._context.domain, TIER))
        return noted if size(noted) > self._limit else []

    @property
    def _limit(self) -> float:
        return self._context.bank.max_tokens * self._context.bank.headroom

    async def _let_leave(self) -> int:
        noted = await self._too_large()
        if not noted or await self._fold() is not None:
            return 0
        now = self._context.clock.now()
        gone = folding.leaving(noted, local(now, self._context.domain.time_zone).date(), self._limit)
        async with self._context.db.transaction(bounds=self._context.bounds) as tx:
            await statements.remove_from_block(tx, [bullet.key for bullet in gone], now)
        return len(gone)
