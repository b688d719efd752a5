"""Derivation of the tiers above gists: work is done piece by piece, and the progress of each tier recorded."""

from memory.derive import pipeline, progress
from memory.derive.context import Context
from memory.derive.drafting import WritingTask, compose, wording
from memory.derive.pipeline import Author, Dropped, Outcome, Piece, PipelineResult
from memory.derive.refusals import Target
from memory.derive.work import Due, Work
from memory.ports import Entry
from memory.store.database import Transaction


async def make(context: Context, work: Work) -> bool:
    """Do a piece of work; return whether it was published. Raises WriterFailed if the writer is unreachable."""
    piece = _piece(context, work)
    if work.task.sources:
        return await pipeline.make(context, piece) is Outcome.PUBLISHED
    async with context.db.transaction(bounds=context.bounds) as tx:
        if await piece.as_read(tx, context.domain):
            await piece.publish(tx, PipelineResult([], ""), context.clock.now())
    return False


async def make_all(context: Context, due: Due) -> int:
    """Do due pieces of work one after another; return how many were published.

    Raises WriterFailed; what was published stays.
    """
    made = 0
    seen: set[tuple[str, str]] = set()
    while (work := await due()) is not None:
        if (work.period, work.progress.inputs) in seen:
            break  # another process is working on it
        seen.add((work.period, work.progress.inputs))
        made += await make(context, work)
    return made


def _piece(context: Context, work: Work) -> Piece[list[Entry]]:
    async def write(dropped: Dropped) -> list[Entry]:
        order = WritingTask(work.task, context.max_transcript_chars, dropped, work.most_sources)
        entries = await compose(context.writer, order)
        return work.cut(entries) if work.cut else entries

    async def publish(tx: Transaction, made: PipelineResult[list[Entry]], now: int) -> bool:
        await work.publish(tx, made.product, made.author, now)
        await progress.reach(tx, context.domain, work.tier, work.period, work.progress, now)
        return True

    async def still(tx: Transaction) -> bool:
        return await progress.read(tx, context.domain, work.tier, work.period) == work.before

    target = Target(work.tier, f"{context.domain.key}/{work.period}", work.progress.inputs)
    author = Author(context.writer.name, write)
    return Piece(target, work.texts, author, publish, work.still or still, wording, detail={"period": work.period})
