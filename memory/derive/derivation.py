"""Derivation of the tiers above gists: work is done piece by piece, and the progress of each tier recorded."""

from memory.derive import progress
from memory.derive.context import Context
from memory.derive.drafting import WritingTask, compose, wording
from memory.derive.pipeline import Author, Dropped, Outcome, Piece, Pipeline, PipelineResult
from memory.derive.progress import Progress
from memory.derive.refusals import Target
from memory.derive.work import Due, Still, Work
from memory.ports import Entry
from memory.store.database import Transaction


class Derivation:
    """The derivation work of one domain."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._pipeline = Pipeline(context)

    async def make(self, work: Work) -> bool:
        """Do a piece of work; return whether it was published. Raises WriterFailed if the writer is unreachable."""
        piece = self._piece(work)
        if work.sources:
            return await self._pipeline.make(piece) is Outcome.PUBLISHED
        async with self.context.db.transaction(bounds=self.context.bounds) as tx:
            if await piece.as_read(tx, self.context.domain):
                await piece.publish(tx, PipelineResult([], ""), self.context.clock.now())
        return False

    async def make_all(self, due: Due, most: int | None = None) -> int:
        """Do due pieces of work one after another, at most `most`; return how many were published.

        Raises WriterFailed; what was published stays.
        """
        made = 0
        seen: set[tuple[str, str]] = set()
        while (most is None or made < most) and (work := await due()) is not None:
            if (work.period, work.progress.inputs) in seen:
                break  # another process is working on it
            seen.add((work.period, work.progress.inputs))
            made += await self.make(work)
        return made

    async def progress(self, tier: str) -> Progress | None:
        """Return the progress of a tier without periods, None if nothing was derived yet."""
        return await progress.read(self.context.db, self.context.domain, tier)

    def as_found(self, tier: str, period: str, before: Progress | None) -> Still:
        """Return a callback that checks whether the progress of a tier is unchanged."""

        async def still(tx: Transaction) -> bool:
            return await progress.read(tx, self.context.domain, tier, period) == before

        return still

    def _piece(self, work: Work) -> Piece[list[Entry]]:
        context = self.context

        async def write(dropped: Dropped) -> list[Entry]:
            order = WritingTask(
                work.kind, work.joined, work.sentences, context.max_transcript_chars, dropped, work.most_sources, today=work.today
            )
            entries = await compose(context.writer, order, work.sources)
            return work.cut(entries) if work.cut else entries

        async def publish(tx: Transaction, made: PipelineResult[list[Entry]], now: int) -> bool:
            await work.publish(tx, made.product, made.author, now)
            await progress.reach(tx, context.domain, work.tier, work.period, work.progress, now)
            return True

        target = Target(work.tier, f"{context.domain.key}/{work.period}", work.progress.inputs)
        author = Author(context.writer.name, write)
        return Piece(target, work.texts, author, publish, wording, still=work.still, detail={"period": work.period})
