"""The one way in which anything derived is made: claim, write, check, publish.

A piece is claimed in the ledger, so that two processes or a restart never make it twice; no transaction spans a call of the
writer. The result is published in one transaction that checks the fence of the claim and that everything read is unchanged. An
unusable answer is kept and asked for once more; after two with the same inputs the fallback writes, or, if there is none, the
piece is given up until its inputs change. An unreachable writer leaves everything as it is.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import chain
from typing import Generic, TypeVar

from localization.sentences import lazy
from memory.derive import progress, refusals
from memory.derive.context import Context
from memory.derive.drafting import WritingTask, compose, wording
from memory.derive.refusals import Target
from memory.derive.wanted import requiring
from memory.derive.work import Due, Still, Work
from memory.errors import SourceGone, WriterRefused
from memory.forget.gone import is_sweeping
from memory.journal import ledger
from memory.places import confidences
from memory.ports import Entry
from memory.store.database import Transaction
from memory.store.lineage import living, texts_of
from memory.store.sealed import DROPPED, GIVEN_UP
from memory.tiers import exchanges
from memory.types import Domain

T = TypeVar("T")
Dropped = Callable[[str], Awaitable[None]]
_NOT_THERE = lazy("What this was written from is not there any more.")


class Outcome(Enum):
    """The outcome of a piece."""

    PUBLISHED = auto()
    BUSY = auto()
    """Another process is making it."""
    OUTDATED = auto()
    """It was made meanwhile, or its sources have changed or may be going."""
    REFUSED = auto()
    """An answer was unusable; it may be asked for again."""
    GIVEN_UP = auto()
    """Two answers were unusable, and there is no fallback."""


@dataclass(frozen=True, slots=True)
class Author(Generic[T]):
    """The author of a piece. `write` is given a callback for rejected sentences; it raises WriterFailed, WriterRefused."""

    name: str
    write: Callable[[Dropped], Awaitable[T]]


@dataclass(frozen=True, slots=True)
class PipelineResult(Generic[T]):
    """What was made, None if the piece was given up, and by whom; `fallback` means not by the piece's own author."""

    product: T | None
    author: str
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Piece(Generic[T]):
    """One piece of work.

    `texts` is what it is made from, by item. `publish` stores it in the caller's transaction and returns whether it did;
    `still` returns whether the work is still wanted as it was found. `author` is None if only the fallback writes. What has
    a `wording`, which returns its text, must pass the regression check. `insists` means that a refused answer is asked for
    again at once. `detail` goes into the log entry.
    """

    target: Target
    texts: Mapping[int, str]
    author: Author[T] | None
    publish: Callable[[Transaction, PipelineResult[T], int], Awaitable[bool]]
    still: Still
    wording: Callable[[T], str] | None = None
    fallback: Author[T] | None = None
    insists: bool = True
    detail: Mapping[str, object] = field(default_factory=dict)

    async def as_read(self, tx: Transaction, domain: Domain) -> bool:
        """Return whether the piece is still wanted and all its sources are unchanged, none told in confidence or corrected since."""
        texts, are_living, confided, corrected, is_wanted = await tx.gather(
            texts_of(tx, self.texts),
            living(tx, list(self.texts)),
            confidences.by_item(tx, self.texts),
            exchanges.amendments(tx, [domain.key], list(self.texts)),
            self.still(tx),
        )
        are_corrections_read = self.texts.keys() >= set(chain.from_iterable(corrected.values()))
        return texts == self.texts and are_living and not confided and are_corrections_read and is_wanted


async def make(context: Context, piece: Piece[T]) -> Outcome:
    """Make one piece. Raises WriterFailed if the writer is unreachable; then nothing has changed."""
    held = await _claim(context, piece)
    if not isinstance(held, ledger.Claim):
        return held
    outcome = None
    try:
        made = await _write(context, piece)
        outcome = await _publish(context, piece, held, made) if made else None
    except SourceGone:
        return Outcome.OUTDATED
    finally:
        if outcome in (None, Outcome.REFUSED):
            async with context.db.transaction(bounds=context.bounds) as tx:
                await ledger.release(tx, held)
    return outcome or Outcome.REFUSED


async def _claim(context: Context, piece: Piece[T]) -> ledger.Claim | Outcome:
    target = piece.target
    await context.holders.join()
    async with context.db.transaction(bounds=context.bounds) as tx:
        held = await ledger.claim(tx, target.tier, target.slot, context.holders, context.clock.now())
        if held is None:
            return Outcome.BUSY
        if not await _is_wanted(context, tx, piece):
            await ledger.settle(tx, held)
            return Outcome.OUTDATED
        return held


async def _is_wanted(context: Context, tx: Transaction, piece: Piece[T]) -> bool:
    """Return whether a writer may read the sources of a piece now: while something is being forgotten, what else goes is not known yet."""
    return not await is_sweeping(tx, [context.domain.key]) and await piece.as_read(tx, context.domain)


async def _write(context: Context, piece: Piece[T]) -> PipelineResult[T] | None:
    """Return a usable answer; None if one was refused and is not asked for again at once. Raises SourceGone."""
    while piece.author and not await refusals.exhausted(context.db, context.domain, piece.target, piece.author.name):
        try:
            return await _by(context, piece, piece.author)
        except WriterRefused as refusal:
            for _ in range(refusal.asked):
                await _keep(context, piece, piece.author.name, str(refusal), refusal.answer)
            if not piece.insists:
                return None
    if piece.fallback:
        return replace(await _by(context, piece, piece.fallback), fallback=True)
    return PipelineResult(None, piece.author.name if piece.author else "")


async def _by(context: Context, piece: Piece[T], author: Author[T]) -> PipelineResult[T]:
    async def dropped(sentences: str) -> None:
        await _keep(context, piece, author.name, DROPPED, sentences)

    async def require() -> None:
        async with context.db.transaction(bounds=context.bounds) as tx:
            if not await _is_wanted(context, tx, piece):
                raise SourceGone(_NOT_THERE)

    with requiring(require):
        return PipelineResult(await author.write(dropped), author.name)


async def _publish(context: Context, piece: Piece[T], held: ledger.Claim, made: PipelineResult[T]) -> Outcome:
    now = context.clock.now()

    async def put(tx: Transaction) -> bool:
        return await piece.as_read(tx, context.domain) and await piece.publish(tx, made, now)

    # What a fallback writes is not checked.
    check = context.regression_check if not made.fallback else None
    if check and piece.wording and made.product is not None and not await check(put):
        await _keep(context, piece, made.author, "regression check", piece.wording(made.product))
        return Outcome.REFUSED
    async with context.db.transaction(bounds=context.bounds) as tx:
        if not await ledger.holds(tx, held):
            return Outcome.BUSY
        kept = await put(tx)
        await ledger.settle(tx, held)
        if kept and made.product is None:
            await refusals.keep(tx, context.domain, piece.target, made.author, GIVEN_UP, "", now)
        if kept and made.product is not None:
            await ledger.note(tx, context.domain.key, piece.target.tier, now, writer=made.author, **piece.detail)
    if not kept:
        return Outcome.OUTDATED
    return Outcome.GIVEN_UP if made.product is None else Outcome.PUBLISHED


async def _keep(context: Context, piece: Piece[T], author: str, reason: str, answer: str) -> None:
    """Store an unusable answer. Raises SourceGone if one of its sources has changed."""
    async with context.db.transaction(bounds=context.bounds) as tx:
        if not await piece.as_read(tx, context.domain):
            raise SourceGone(_NOT_THERE)
        await refusals.keep(tx, context.domain, piece.target, author, reason, answer, context.clock.now())


async def make_all(context: Context, due: Due) -> int:
    """Do due pieces of work for a tier one after another; return how many were published.

    Raises WriterFailed if the writer is unreachable; what was published stays.
    """
    made = 0
    seen: set[tuple[str, str]] = set()
    while (work := await due()) is not None:
        if (work.period, work.progress.inputs) in seen:
            break  # another process is working on it
        seen.add((work.period, work.progress.inputs))
        made += await make_work(context, work)
    return made


async def make_work(context: Context, work: Work) -> bool:
    """Do a piece of work for a tier; return whether it was published. Raises WriterFailed if the writer is unreachable."""
    piece = _piece_of(context, work)
    if work.task.sources:
        return await make(context, piece) is Outcome.PUBLISHED
    async with context.db.transaction(bounds=context.bounds) as tx:
        if await piece.as_read(tx, context.domain):
            await piece.publish(tx, PipelineResult([], ""), context.clock.now())
    return False


def _piece_of(context: Context, work: Work) -> Piece[list[Entry]]:
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
