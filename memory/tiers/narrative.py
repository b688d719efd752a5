"""The narrative: ongoing arcs, trends, and what was left open, written from the profile and the latest eras.

A line stands until an answer says that it changed or is over, until a fact it rests on no longer stands, or until so many newer
lines stand that it is shown to no writer. Ended lines stay as history.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memory.derive import progress as reached
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.places import opted_out
from memory.ports import Entry, Task, TaskKind
from memory.store.database import Transaction
from memory.text.time.times import local
from memory.tiers import eras, profile, statements
from memory.tiers.source_lines import SourceLine, grounds, of_statements, replaced, split_prefix
from memory.tiers.statements import NewStatement

if TYPE_CHECKING:
    from memory.derive.context import Context

TIER: Final = "narrative"
MONTHS = 3
KINDS = ("arc", "trend", "callback")
_MOST_FACTS = 60
_MOST_LINES = 8
_MOST_STANDING = 16
_MOST_ENDED = 200
OVER = "over"


async def due(context: "Context", *, asked: bool) -> Work | None:
    """Return the pending work; None if profile and eras are unchanged."""
    before = await reached.read(context.db, context.domain, TIER)
    newest = sorted(await statements.standing(context.db, context.domain, profile.TIER), key=lambda one: (-one.last_at, one.key))
    facts = sorted(newest[:_MOST_FACTS], key=lambda one: one.key)
    paragraphs = await statements.standing(context.db, context.domain, eras.TIER)
    months = sorted({one.period for one in paragraphs})[-MONTHS:]
    recent = sorted((one for one in paragraphs if one.period in months), key=lambda one: (one.period, one.first_at, one.key))
    keys = [one.key for one in (*facts, *recent)]
    progress = Progress("/".join(map(str, keys)), max(keys, default=0), len(keys), 0, stale=False)
    if (before.inputs == progress.inputs and not before.stale) if before else not keys:
        return None
    lines = [
        *await of_statements(context.db, context.domain, facts, "f"),
        *await of_statements(context.db, context.domain, recent, "e"),
    ]
    return await rewrite(context, TIER, _MOST_LINES, lines, progress, before, KINDS)


async def rewrite(
    context: "Context",
    tier: TaskKind,
    most: int,
    lines: Sequence[SourceLine],
    progress: Progress,
    before: Progress | None,
    kinds: Sequence[str] = (),
) -> Work:
    """Return the work of rewriting a tier, in at most so many entries, from statements; `kinds` are the prefixes they may have."""
    # Reflections are meant to be posted and are not part of the narrative: they stand.
    old = [one for one in await statements.standing(context.db, context.domain, tier) if one.kind != "reflection"]
    ranked = sorted(old, key=lambda one: (one.last_at, one.key))
    shown = await of_statements(context.db, context.domain, ranked[-_MOST_STANDING:], "s")
    # No answer could ever change what the writer does not see any more: it becomes history.
    unseen = [one.key for one in ranked[:-_MOST_STANDING]][:_MOST_ENDED]
    unfounded = await statements.resting_on_ended(context.db, [one.key for one in old], profile.TIER)

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        if entries is None:
            return
        standing = {one.text: one.key for one in old}
        again: set[int] = set()
        for entry in entries:
            which, text = split_prefix(entry.text, (*kinds, OVER))
            rests = grounds(entry, lines)
            if rests is None or await opted_out.is_named(tx, context.seal, context.domain, text):
                continue
            key = standing.get(text) if which != OVER else None
            if key is None and which != OVER:
                new = NewStatement(tier, "", which or (kinds[0] if kinds else ""), text, writer, rests)
                key = standing[text] = await statements.publish(tx, context.seal, context.domain, new, now)
            again |= {key} if key is not None else set()
            cited = [line for line in shown if line.source.label in entry.cites and line.item != key]
            await statements.end(tx, context.domain, [line.item for line in replaced(text, cited)], now, key)
        await statements.end(tx, context.domain, [key for key in (*unfounded, *unseen) if key not in again], now)

    texts = {line.item: line.source.text for line in (*lines, *shown)}
    today = f"{local(context.clock.now(), context.domain.time_zone):%A, %Y-%m-%d}"
    task = Task(tier, tuple(line.source for line in (*lines, *shown)), most, today=today)
    return Work(tier, "", task, texts, progress, publish, before)
