"""Consolidation: from messages to gists, from gists to the summary of a session, one domain at a time.

Each piece of work is claimed in the ledger, so that two processes or a restart never do it twice; no transaction spans a
call of the writer; what comes back is checked against its sources in code before it is published. A writer out of reach
leaves everything as it is. An answer that cannot be used is kept and asked for again; after three, the extractive digest
stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.bank.rules import BankRules
from memory.derive.drafting import Order, compose
from memory.errors import SourceGone, WriterRefused
from memory.forget import erase
from memory.journal import ledger
from memory.places.consent import is_on
from memory.places.places import Places
from memory.ports import Clock, Entry, Source, TaskKind, Writer
from memory.store.database import Database, Transaction
from memory.store.lineage import Seal, require_unchanged, unchanged
from memory.store.locks import Holders
from memory.text.times import iso, local
from memory.tiers import episodes, exchanges, summaries
from memory.tiers.summaries import Line, Place, Written
from memory.types import Digest, Domain, Exchange, Session
from memory.view.dry_run import Exam

MOST_REFUSALS = 3
_SENTENCES = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """One source of a digest with the item it stands for."""

    source: Source
    item: int


@dataclass(frozen=True, slots=True)
class Job:
    """A digest to be made: where it goes, what from, and the digest it replaces."""

    place: Place
    drafts: tuple[Draft, ...]
    first_at: int
    last_at: int
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class Workshop:
    """What consolidation of one domain works with; what has to pass an `exam` is published only if it does."""

    db: Database
    seal: Seal
    clock: Clock
    domain: Domain
    writer: Writer
    fallback: Writer
    rules: episodes.Rules
    holders: Holders
    max_transcript_chars: int = 24_000
    bank: BankRules = BankRules()
    exam: Exam | None = None

    async def closing(self) -> episodes.Rules:
        """Return when the episodes of the domain end: where its bank is on, with the conversation."""
        return self.bank.closing(self.rules) if await is_on(Places(self.db, self.seal), self.domain) else self.rules


class Consolidator:
    """Closes the episodes of one domain and writes its digests."""

    def __init__(self, workshop: Workshop) -> None:
        self._w = workshop

    async def close_episodes(self, session: Session, *, asked: bool = False) -> int:
        """Close what is over in a session, or, asked, all of it; return how many episodes were closed."""
        closed = 0
        w = self._w
        rules = await w.closing()
        while await episodes.over(w.db, w.domain, session, rules, w.clock.now(), asked=asked):
            async with w.db.transaction() as tx:
                closed += await episodes.close(tx, w.domain, session, rules, w.clock.now(), asked=asked)
        return closed

    async def due(self, session: Session, *, redo: bool = False) -> list[episodes.Episode]:
        """Return the closed episodes of a session that want a gist; with `redo` and a model, those with an extracted one too."""
        again = redo and not self._w.writer.extractive
        return await episodes.wanting(self._w.db, self._w.domain, session=session.key, redo_extractive=again)

    async def digest(self, session: Session, *, redo: bool = False, most: int | None = None) -> int:
        """Write every gist and merge that is due in a session, at most `most` where given; return how many were written.

        Raises WriterFailed where the writer is out of reach: what is done stays done.
        """
        written = 0
        # Twice, because what a gist was being made from may be forgotten or changed meanwhile: then it is due again.
        for _ in range(2):
            for episode in (await self.due(session, redo=redo))[: None if most is None else most - written]:
                written += await self._make(session, await self._gist_job(session, episode))
        while (most is None or written < most) and (ripe := await summaries.mergeable(self._w.db, session)) is not None:
            place, children = ripe
            if not await self._make(session, _merge_job(place, children, self._w.domain)):
                break
            written += 1
        return written

    async def summary(self, session: Session) -> list[Digest]:
        """Return a session's summary: one digest, merged anew only if something changed below; [] where there is nothing."""
        edge = await summaries.frontier(self._w.db, session)
        if len(edge) < 2:
            return edge
        place = Place("summary", 0, 0)
        old = await summaries.at(self._w.db, session, place)
        if old and await summaries.parents(self._w.db, old.key) == sorted(digest.key for digest in edge):
            return [old]
        await self._make(session, _merge_job(place, edge, self._w.domain, old.key if old else None))
        made = await summaries.at(self._w.db, session, place)
        return [made] if made else await summaries.frontier(self._w.db, session)

    async def _gist_job(self, session: Session, episode: episodes.Episode) -> Job:
        messages = [e for e in await episodes.messages(self._w.db, episode) if exchanges.recallable(e)]
        place = Place("gist", 0, episode.position)
        drafts = tuple(_draft(at, message, self._w.domain.time_zone) for at, message in enumerate(messages, start=1))
        return Job(place, drafts, episode.first_at, episode.last_at, episode.gist)

    async def _make(self, session: Session, job: Job) -> bool:
        if not job.drafts:  # all of it was forgotten meanwhile
            return False
        slot = f"{session.id}/{job.place.level}/{job.place.position}"
        async with self._w.db.transaction() as tx:
            held = await ledger.claim(tx, job.place.tier, slot, self._w.holders, self._w.clock.now())
            as_found = await summaries.key_at(tx, session, job.place) == job.replaces and await self._as_read(tx, job)
            if held and not as_found:
                await ledger.settle(tx, held)  # another has made it meanwhile, or it rests on what is gone
                held = None
        if held is None:
            return False
        try:
            writer, entries = await self._write(session, job)
            return await self._publish(session, job, held, writer, entries)
        except BaseException as error:
            async with self._w.db.transaction() as tx:
                await ledger.release(tx, held)
            if isinstance(error, SourceGone):
                return False
            raise

    async def _publish(self, session: Session, job: Job, held: ledger.Claim, writer: Writer, entries: Sequence[Entry]) -> bool:
        items = {draft.source.label: draft.item for draft in job.drafts}
        written = Written(
            tuple(
                Line(text, tuple(sorted({items[label] for label in one.cites})))
                for one in entries
                for text in one.text.splitlines()
            ),
            writer.name, writer.extractive, job.first_at, job.last_at, tuple(sorted(set(items.values()))),
        )  # fmt: skip
        now = self._w.clock.now()

        async def put(tx: Transaction) -> int | None:
            if not await self._as_read(tx, job):
                return None
            if job.replaces is not None:
                await erase.retire(tx, self._w.domain, [job.replaces], now)
            return await summaries.publish(tx, self._w.seal, self._w.domain, session, job.place, written, now)

        if self._w.exam is not None and not writer.extractive and not await self._w.exam.passed(put):
            await self._keep_refusal(session, job, writer, "exam", written.text)
            async with self._w.db.transaction() as tx:
                await ledger.release(tx, held)
            return False
        async with self._w.db.transaction() as tx:
            if not await ledger.holds(tx, held):
                return False
            key = await put(tx)
            await ledger.settle(tx, held)
            if key is not None:
                await ledger.note(
                    tx, self._w.domain.key, job.place.tier, now, session=session.id, writer=writer.name, level=job.place.level
                )
        return key is not None

    async def _as_read(self, tx: Transaction, job: Job) -> bool:
        """Say whether a digest still rests on what was read for it: a message may have other words by now."""
        return await unchanged(tx, _texts(job))

    async def _write(self, session: Session, job: Job) -> tuple[Writer, list[Entry]]:
        """Return the checked entries of a digest and who wrote them. Raises WriterFailed."""
        writer = self._w.writer
        while not writer.extractive and await self._refusals(session, job) < MOST_REFUSALS:
            try:
                return writer, await self._compose(session, job, writer)
            except WriterRefused as refusal:
                await self._keep_refusal(session, job, writer, str(refusal), refusal.answer)
        return self._w.fallback, await self._compose(session, job, self._w.fallback)

    async def _compose(self, session: Session, job: Job, writer: Writer) -> list[Entry]:
        async def dropped(answer: str) -> None:
            lines = replace(job, place=Place("entry", job.place.level, job.place.position))
            await self._keep_refusal(session, lines, writer, "dropped", answer)

        kind: TaskKind = "gist" if job.place.tier == "gist" else "merge"
        order = Order(kind, "merge", _SENTENCES, self._w.max_transcript_chars, dropped)
        return await compose(writer, order, [draft.source for draft in job.drafts])

    async def _refusals(self, session: Session, job: Job) -> int:
        """Count the refused answers since the digest that is to be replaced was made."""
        row = await self._w.db.one(
            "SELECT count(*) AS n FROM refusals "
            "WHERE session = :session AND tier = :tier AND level = :level AND position = :position "
            "AND refused_at > coalesce((SELECT made_at FROM digests WHERE item = :replaces), -1)",
            {**_target(session, job.place), "replaces": job.replaces},
        )
        return int(row["n"]) if row else 0

    async def _keep_refusal(self, session: Session, job: Job, writer: Writer, reason: str, answer: str) -> None:
        """Keep an answer that cannot be used. Raises SourceGone where something it was made from is not what it was."""
        async with self._w.db.transaction() as tx:
            await require_unchanged(tx, _texts(job))
            await tx.run(
                "INSERT INTO refusals (domain, session, tier, level, position, writer, reason, answer, refused_at) "
                "VALUES (:domain, :session, :tier, :level, :position, :writer, :reason, :answer, :now)",
                {**_target(session, job.place), "domain": self._w.domain.key, "writer": writer.name, "reason": reason,
                 "answer": answer, "now": self._w.clock.now()},
            )  # fmt: skip


def _texts(job: Job) -> dict[int, str]:
    return {draft.item: draft.source.text for draft in job.drafts}


def _target(session: Session, place: Place) -> dict[str, object]:
    return {"session": session.key, "tier": place.tier, "level": place.level, "position": place.position}


def _draft(number: int, message: Exchange, time_zone: str) -> Draft:
    return Draft(Source(f"m{number}", message.speaker, iso(message.said_at, time_zone), message.text), message.key)


def _merge_job(place: Place, children: Sequence[Digest], domain: Domain, replaces: int | None = None) -> Job:
    drafts = tuple(
        Draft(Source(f"d{at}", "", f"{local(child.first_at, domain.time_zone):%Y-%m-%d}", child.text), child.key)
        for at, child in enumerate(children, start=1)
    )
    return Job(place, drafts, min(c.first_at for c in children), max(c.last_at for c in children), replaces)
