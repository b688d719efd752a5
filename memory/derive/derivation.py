"""The making of what stands above gists: one piece of work, claimed, written, checked, published.

As with gists: claimed in the ledger, so that it is done once; no transaction spans a call of the writer; what was forgotten
or changed meanwhile makes the work void. Three refused answers about the same inputs end it until the inputs change.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.derive.consolidate import MOST_REFUSALS, Workshop
from memory.derive.drafting import Order, compose
from memory.errors import SourceGone, WriterRefused
from memory.journal import ledger
from memory.ports import Entry, Source, TaskKind
from memory.store.database import Row, Transaction
from memory.store.lineage import unchanged

Publish = Callable[[Transaction, Sequence[Entry] | None, str, int], Awaitable[None]]
Check = Callable[[Sequence[Entry]], str]
Still = Callable[[Transaction], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Rung:
    """How far a tier of a domain is: what it was made from, up to which item, from how many, of how many sessions."""

    inputs: str
    mark: int
    size: int
    sessions: int
    stale: bool


@dataclass(frozen=True, slots=True)
class Work:
    """One piece: a tier, what it covers, what it is written from, and how what comes back is kept.

    `texts` is what was read, by item: it must read the same when the work is published. `publish` is given the entries (None
    where it was given up), who wrote them, and when. `check` says why an answer is refused, '' where it is not; `still` says
    whether the work is wanted as it was found; one call reads at most `most_sources` sources.
    """

    tier: str
    period: str
    kind: TaskKind
    joined: TaskKind
    sentences: int
    sources: Sequence[Source]
    texts: Mapping[int, str]
    rung: Rung
    publish: Publish
    check: Check | None = None
    still: Still | None = None
    most_sources: int | None = None


Due = Callable[[], Awaitable[Work | None]]


class Maker:
    """Does such work for one domain."""

    def __init__(self, workshop: Workshop) -> None:
        self.w = workshop

    async def make(self, work: Work) -> bool:
        """Do a piece of work; return whether it was published. Raises WriterFailed where the writer is out of reach."""
        if not work.sources:
            async with self.w.db.transaction() as tx:
                if await _as_read(tx, work):
                    await work.publish(tx, [], "", self.w.clock.now())
                    await _reach(tx, self.w.domain.key, work, self.w.clock.now())
            return False
        async with self.w.db.transaction() as tx:
            held = await ledger.claim(tx, work.tier, f"{self.w.domain.key}/{work.period}", self.w.holders, self.w.clock.now())
            if held and not await _as_read(tx, work):
                await ledger.settle(tx, held)  # another has made it meanwhile, or it rests on what is gone
                held = None
        if held is None:
            return False
        try:
            entries = await self._write(work)
            return await self._publish(work, held, entries)
        except BaseException as error:
            async with self.w.db.transaction() as tx:
                await ledger.release(tx, held)
            if isinstance(error, SourceGone):
                return False
            raise

    async def make_all(self, due: Due, most: int | None = None) -> int:
        """Do one piece of work after another while any is due, at most `most`; return how many were published.

        Raises WriterFailed: what is published stays.
        """
        made = 0
        seen: set[tuple[str, str]] = set()
        while (most is None or made < most) and (work := await due()) is not None:
            if (work.period, work.rung.inputs) in seen:
                break  # another process is at it
            seen.add((work.period, work.rung.inputs))
            made += await self.make(work)
        return made

    async def rung(self, tier: str, period: str = "") -> Rung | None:
        """Return how far a tier is, None where nothing was made of it yet."""
        row = await self.w.db.one(_RUNG, {"domain": self.w.domain.key, "tier": tier, "period": period})
        return _rung(row) if row else None

    def as_found(self, tier: str, period: str, before: Rung | None) -> Still:
        """Return what says whether a tier is still as far as it was."""

        async def still(tx: Transaction) -> bool:
            row = await tx.one(_RUNG, {"domain": self.w.domain.key, "tier": tier, "period": period})
            return (_rung(row) if row else None) == before

        return still

    async def _write(self, work: Work) -> list[Entry] | None:
        """Return the checked entries, None where three answers about these inputs were refused. Raises SourceGone."""

        async def dropped(answer: str) -> None:
            await self._keep(work, "dropped", answer)

        order = Order(work.kind, work.joined, work.sentences, self.w.max_transcript_chars, dropped, work.most_sources)
        while await self._refusals(work) < MOST_REFUSALS:
            try:
                entries = await compose(self.w.writer, order, work.sources)
                if work.check is not None and (why := work.check(entries)):
                    raise WriterRefused(why, "\n".join(entry.text for entry in entries))
                return entries
            except WriterRefused as refusal:
                if not await self._keep(work, str(refusal), refusal.answer):
                    raise SourceGone("What this was written from is not there any more.") from refusal
        return None

    async def _publish(self, work: Work, held: ledger.Claim, entries: list[Entry] | None) -> bool:
        now, domain = self.w.clock.now(), self.w.domain

        async def put(tx: Transaction) -> bool:
            if not await _as_read(tx, work):
                return False
            await work.publish(tx, entries, self.w.writer.name, now)
            await _reach(tx, domain.key, work, now)
            return True

        if self.w.exam is not None and entries is not None and not await self.w.exam.passed(put):
            await self._keep(work, "exam", "\n".join(entry.text for entry in entries))
            async with self.w.db.transaction() as tx:
                await ledger.release(tx, held)
            return False
        async with self.w.db.transaction() as tx:
            if not await ledger.holds(tx, held):
                return False
            as_read = await put(tx)
            await ledger.settle(tx, held)
            if as_read and entries is not None:
                await ledger.note(tx, domain.key, work.tier, now, writer=self.w.writer.name, period=work.period)
        return as_read and entries is not None

    async def _refusals(self, work: Work) -> int:
        row: Row | None = await self.w.db.one(
            "SELECT count(*) AS n FROM rejections WHERE domain = :domain AND tier = :tier AND period = :period "
            "AND inputs = :inputs AND reason <> 'dropped'",
            {"domain": self.w.domain.key, "tier": work.tier, "period": work.period, "inputs": work.rung.inputs},
        )
        return int(row["n"]) if row else 0

    async def _keep(self, work: Work, reason: str, answer: str) -> bool:
        """Keep an answer, or sentences of one, that cannot be used; False where what it was made from is not there any more."""
        async with self.w.db.transaction() as tx:
            if not await _as_read(tx, work):
                return False
            await tx.run(
                "INSERT INTO rejections (domain, tier, period, inputs, writer, reason, answer, rejected_at) "
                "VALUES (:domain, :tier, :period, :inputs, :writer, :reason, :answer, :now)",
                {"domain": self.w.domain.key, "tier": work.tier, "period": work.period, "inputs": work.rung.inputs,
                 "writer": self.w.writer.name, "reason": reason, "answer": answer, "now": self.w.clock.now()},
            )  # fmt: skip
        return True


async def _as_read(tx: Transaction, work: Work) -> bool:
    return await unchanged(tx, work.texts) and (work.still is None or await work.still(tx))


_RUNG = "SELECT * FROM rungs WHERE domain = :domain AND tier = :tier AND period = :period"


def _rung(row: Row) -> Rung:
    return Rung(row["inputs"], row["mark"], row["size"], row["sessions"], bool(row["stale"]))


async def _reach(tx: Transaction, domain: int, work: Work, now: int) -> None:
    rung = work.rung
    await tx.run(
        "INSERT INTO rungs (domain, tier, period, inputs, mark, size, sessions, stale, made_at) "
        "VALUES (:domain, :tier, :period, :inputs, :mark, :size, :sessions, 0, :now) "
        "ON CONFLICT (domain, tier, period) DO UPDATE SET inputs = :inputs, mark = :mark, size = :size, "
        "sessions = :sessions, stale = 0, made_at = :now",
        {"domain": domain, "tier": work.tier, "period": work.period, "inputs": rung.inputs, "mark": rung.mark,
         "size": rung.size, "sessions": rung.sessions, "now": now},
    )  # fmt: skip
