"""Eras: what was happening in a calendar month, in paragraphs that are separate statements.

An episode never crosses a month boundary of its domain's time zone, so every gist belongs to one month, in imported years as
well. A past month is written once all of its episodes have gists, and again when one arrives late; any month is rewritten when
one of its sources was forgotten. The current month is written when as many gists are new as it was written from before, so that
the cost stays proportional to what was said. Paragraphs with which it begins in the same words as before stay. What was told in
one month about another belongs to the latter: a fact that holds then is among its sources, and a new one reopens it.
"""

from collections.abc import AsyncIterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from memory.derive import progress as reached
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.places import opted_out
from memory.ports import Entry, Task
from memory.store.database import Transaction
from memory.text.time.times import month
from memory.tiers import profile, statements, summaries
from memory.tiers.episodes import HAS_TALK
from memory.tiers.source_lines import grounds, of_gists, of_statements
from memory.tiers.statements import NewStatement
from memory.types import Statement

if TYPE_CHECKING:
    from memory.derive.context import Context

TIER = "era"
FIRST_GISTS = 32
_MOST_PARAGRAPHS = 6
_AND = "+"


async def due(context: "Context", *, asked: bool) -> Work | None:
    """Return the next month to be written, oldest first; if `asked`, the current one as well."""
    async for period, before in _ripe(context, asked=asked):
        return await _work(context, period, before)
    return None


async def count_due(context: "Context") -> int:
    """Return how many months are due."""
    return len([period async for period, _ in _ripe(context, asked=False)])


async def _ripe(context: "Context", *, asked: bool) -> AsyncIterator[tuple[str, Progress | None]]:
    now = month(context.clock.now(), context.domain.time_zone)
    # Before its inputs: else what another process publishes between them would count as found here, and be made twice.
    progress = await reached.read_all(context.db, context.domain, TIER)
    fresh = await summaries.unaged(context.db, context.domain)
    stale = [period for period, before in progress.items() if before.stale]
    later = await statements.told_later(context.db, context.domain, profile.TIER)
    late = {
        period
        for period in {*progress, *later}
        if period <= now and _of_facts(progress.get(period)) != _joined(later.get(period, ()))
    }
    for period, n in sorted({**dict.fromkeys([*late, *stale], 0), **fresh}.items()):
        before = progress.get(period)
        over = period < now or (before is not None and before.stale)
        if asked or (over and not await _waits(context, period)) or n >= max(FIRST_GISTS, before.size if before else 0):
            yield period, before


def _joined(facts: Sequence[Statement]) -> str:
    return "/".join(str(one.key) for one in facts)


def _of_facts(before: Progress | None) -> str:
    """Return the facts told in other months that a month was written from."""
    return before.inputs.partition(_AND)[2] if before else ""


async def _waits(context: "Context", period: str) -> bool:
    row = await context.db.one(
        f"SELECT 1 AS yes FROM episodes p WHERE p.domain = :domain AND p.month = :month AND p.digested = 0 AND {HAS_TALK}",
        {"domain": context.domain.key, "month": period},
    )
    return row is not None


async def _work(context: "Context", period: str, before: Progress | None) -> Work:
    gists = await summaries.of_month(context.db, context.domain, period)
    lines = await of_gists(context.db, context.domain, gists)
    facts = (await statements.told_later(context.db, context.domain, profile.TIER)).get(period, [])
    lines += await of_statements(context.db, context.domain, facts, "f")
    keys = [row["item"] for row in gists]
    old = await statements.standing(context.db, context.domain, TIER, period)

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        told = [
            (entry.text, rests)
            for entry in entries or ()
            if (rests := grounds(entry, lines)) and not await opted_out.is_named(tx, context.seal, context.domain, entry.text)
        ]
        # What stands is read in the order in which it was stored.
        same = len(list(takewhile(lambda pair: pair[0].text == pair[1][0], zip(old, told, strict=False))))
        for one, (_, rests) in zip(old[:same], told, strict=False):
            await statements.seen_again(tx, one.key, rests)
        if entries is not None:
            await statements.end(tx, context.domain, [one.key for one in old[same:]], now)
        for text, rests in told[same:]:
            await statements.publish(tx, context.seal, context.domain, NewStatement(TIER, period, "", text, writer, rests), now)
        await summaries.mark_aged(tx, keys)

    sessions = len({row["session"] for row in gists})
    inputs = "/".join(map(str, keys)) + (f"{_AND}{_joined(facts)}" if facts else "")
    progress = Progress(inputs, max(keys, default=0), len(keys), sessions, stale=False)
    texts = {row["item"]: row["text"] for row in gists} | {one.key: one.text for one in facts}
    task = Task("era", tuple(line.source for line in lines), _MOST_PARAGRAPHS)
    return Work(TIER, period, task, texts, progress, publish, before)
