"""Consolidation: from messages to gists, from gists to the summary of a session, one domain at a time.

After two unusable answers, the extractive digest stands.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.derive import pipeline, refusals
from memory.derive.checks.written_names import words_of
from memory.derive.context import Context
from memory.derive.drafting import WritingTask, compose, wording
from memory.derive.pipeline import Author, Dropped, Outcome, Piece, PipelineResult
from memory.derive.refusals import Target
from memory.forget import erase
from memory.places import opted_out
from memory.ports import Entry, Source, Task, TaskKind, Writer
from memory.store.database import Transaction
from memory.store.lineage import parents
from memory.text.time.times import local
from memory.text.told.named_things import spelled_names
from memory.tiers import episodes, exchanges, profile, statements, summaries
from memory.tiers.source_lines import SourceLine, of_messages, of_statements
from memory.tiers.summaries import DigestLine, DigestPlace, WrittenDigest
from memory.types import Digest, Domain, Session

_SENTENCES = 8
_MOST_KNOWN = 8


@dataclass(frozen=True, slots=True)
class Job:
    """A digest to be written: its place, its sources with the texts of what they were read from, and the digest it replaces.

    If that was `cut`, as something in it was put right, another writer may well write it better.
    """

    place: DigestPlace
    drafts: tuple[SourceLine, ...]
    texts: Mapping[int, str]
    first_at: int
    last_at: int
    replaces: int | None = None
    known: tuple[SourceLine, ...] = ()
    cut: bool = False


class Consolidator:
    """The consolidation of one domain: closing its episodes and writing its digests."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def close_episodes(self, session: Session, *, asked: bool = False) -> int:
        """Close the finished episodes of a session, or all of it if `asked`; return how many were closed."""
        closed = 0
        context = self._context
        rules = await context.closing()
        while await episodes.is_any_over(context.db, context.domain, session, rules, context.clock.now(), asked=asked):
            async with context.db.transaction(bounds=context.bounds) as tx:
                closed += await episodes.close(tx, context.domain, session, rules, context.clock.now(), asked=asked)
        return closed

    async def due(self, session: Session, *, redo: bool = False) -> list[episodes.Episode]:
        """Return the closed episodes of a session without a gist; with `redo` and a model, those with an extractive one too."""
        again = self._context.rewriter if redo else None
        return await episodes.without_gist(self._context.db, self._context.domain, session=session.key, redo_for=again)

    async def digest(self, session: Session, *, redo: bool = False) -> int:
        """Write every due gist and merge of a session; return how many were written.

        Raises WriterFailed if the writer is unreachable; what was written stays.
        """
        written = 0
        # Twice, as sources may be forgotten or changed while a gist is written, which makes it due again.
        for _ in range(2):
            due = await self.due(session, redo=redo)
            if not due:
                break
            for episode in due:
                written += await self._make(session, await self._gist_job(session, episode))
        while (ripe := await summaries.mergeable(self._context.db, session)) is not None:
            if not await self._make(session, _merge_job(ripe.place, ripe.children, self._context.domain)):
                break
            written += 1
        return written

    async def summary(self, session: Session) -> list[Digest]:
        """Return a session's summary: one digest, merged again only if something below changed; [] if there is nothing."""
        edge = await summaries.frontier(self._context.db, session)
        if len(edge) < 2:
            return edge
        place = DigestPlace("summary", 0, 0)
        old = await summaries.digest_at(self._context.db, session, place)
        if old and await parents(self._context.db, old.key) == sorted(digest.key for digest in edge):
            return [old]
        await self._make(session, _merge_job(place, edge, self._context.domain, old.key if old else None))
        made = await summaries.digest_at(self._context.db, session, place)
        return [made] if made else await summaries.frontier(self._context.db, session)

    async def _gist_job(self, session: Session, episode: episodes.Episode) -> Job:
        messages = [e for e in await episodes.messages(self._context.db, episode) if exchanges.recallable(e)]
        place = DigestPlace("gist", 0, episode.position)
        drafts, texts = await of_messages(self._context.db, self._context.domain, messages)
        known = tuple(await self._known(drafts))
        return Job(place, tuple(drafts), texts, episode.first_at, episode.last_at, episode.gist, known, not episode.digested)

    async def _known(self, drafts: Sequence[SourceLine]) -> list[SourceLine]:
        """Return the known facts about people that messages name."""
        context = self._context
        facts = await of_statements(
            context.db, context.domain, await statements.standing(context.db, context.domain, profile.TIER), "k"
        )
        episode, known = [draft.source for draft in drafts], [line.source for line in facts]
        # In a thread, as it reads the words of a whole episode.
        telling = await asyncio.to_thread(acquainted, episode, known) if known else []
        return [line for line in facts if line.source in telling]

    async def _make(self, session: Session, job: Job) -> bool:
        if not job.drafts:  # all of it was forgotten meanwhile
            return False
        context, place = self._context, job.place

        async def still(tx: Transaction) -> bool:
            there = await summaries.digest_at(tx, session, place)
            return (there.key if there else None) == job.replaces

        async def publish(tx: Transaction, made: PipelineResult[list[Entry]], now: int) -> bool:
            if made.product is None:
                return True
            if job.replaces is not None:
                await erase.supersede(tx, context.domain, [job.replaces], now)
            entries = await opted_out.without_opted_out(tx, context.seal, context.domain, made.product)
            written = _digest_of(job, entries, made.author, extractive=made.fallback)
            return await summaries.publish(tx, context.seal, context.domain, session, place, written, now) is not None

        slot = f"{session.id}/{place.level}/{place.position}"
        target = Target(place.tier, slot, "/".join(map(str, job.texts)))
        redone = job.replaces is not None and not job.cut
        if redone and await refusals.exhausted(context.db, context.domain, target, context.writer.name):
            return False  # this writer was asked before, and another one would write it no better
        # Writing the extractive gist again would change nothing, and be repeated in the next pass.
        stands = redone and place.tier == "gist" and not context.writer.extractive
        piece = Piece(
            target,
            {**job.texts} | {line.item: line.source.text for line in job.known},
            None if context.writer.extractive else self._author(job, context.writer),
            publish, still, wording, None if stands else self._author(job, context.fallback),
            detail={"session": session.id, "level": place.level},
        )  # fmt: skip
        return await pipeline.make(context, piece) is Outcome.PUBLISHED

    def _author(self, job: Job, writer: Writer) -> Author[list[Entry]]:
        kind: TaskKind = "gist" if job.place.tier == "gist" else "merge"

        async def write(dropped: Dropped) -> list[Entry]:
            known = () if writer.extractive else tuple(line.source for line in job.known)
            task = Task(kind, tuple(draft.source for draft in job.drafts), _SENTENCES, known)
            return await compose(writer, WritingTask(task, self._context.max_transcript_chars, dropped))

        return Author(writer.name, write)


def _digest_of(job: Job, entries: Sequence[Entry], writer: str, *, extractive: bool) -> WrittenDigest:
    items = {draft.source.label: {draft.item, *draft.said} for draft in job.drafts}
    lines = (
        DigestLine(text, tuple(sorted(set().union(*(items[label] for label in one.cites if label in items)))))
        for one in entries
        for text in one.text.splitlines()
    )
    # A fact that supplied a name is a source as well, down to the messages it rests on.
    named = {label for one in entries for label in one.cites}
    supplied = {item for line in job.known if line.source.label in named for item in line.said}
    return WrittenDigest(
        tuple(lines), writer, extractive, job.first_at, job.last_at, tuple(sorted(supplied.union(*items.values())))
    )


def _merge_job(place: DigestPlace, children: Sequence[Digest], domain: Domain, replaces: int | None = None) -> Job:
    drafts = tuple(
        SourceLine(
            Source(f"d{at}", "", f"{local(child.first_at, domain.time_zone):%Y-%m-%d}", child.text),
            *(child.key, (), child.first_at, child.last_at),
        )
        for at, child in enumerate(children, start=1)
    )
    texts = {child.key: child.text for child in children}
    return Job(place, drafts, texts, min(c.first_at for c in children), max(c.last_at for c in children), replaces)


def acquainted(episode: Sequence[Source], told: Iterable[Source]) -> list[Source]:
    """Return the known sentences that name somebody or something the episode names, most telling first.

    `told` ends with the newest; for each name the first sentence that contains it is chosen, as it introduces the bearer.
    """
    words = frozenset[str]().union(*(words_of(source.text) for source in episode))
    speakers = frozenset[str]().union(*(words_of(source.speaker) for source in episode))
    found: list[Source] = []
    seen = Counter[str]()
    for one in told:
        named = {name for name in spelled_names(f". {one.text}") if name in words and name not in speakers}
        if any(not seen[name] for name in named):
            found.append(one)
            seen.update(named)
    return found[:_MOST_KNOWN]
