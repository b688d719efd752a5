"""The narrative: arcs that go on, trends, and what was left open, told from the profile and the last eras.

A line that is told again in the same words stands on; the others end and stay as history.
"""

from collections.abc import Sequence

from memory.derive.derivation import Derivation, Work
from memory.derive.progress import Progress
from memory.ports import Entry, TaskKind
from memory.store.database import Transaction
from memory.tiers import eras, profile, statements
from memory.tiers.lines import Line, grounds, of_statements, prefixed, stated

TIER = "narrative"
MONTHS = 3
KINDS = ("arc", "trend", "callback")
_MOST_FACTS = 60
_MOST_LINES = 8


async def due(derivation: Derivation, *, asked: bool) -> Work | None:
    """Return the work there is: none where profile and eras are what they were."""
    w = derivation.context
    newest = sorted(await statements.standing(w.db, w.domain, profile.TIER), key=lambda one: (-one.last_at, one.key))
    facts = sorted(newest[:_MOST_FACTS], key=lambda one: one.key)
    told = await statements.standing(w.db, w.domain, eras.TIER)
    months = sorted({one.period for one in told})[-MONTHS:]
    recent = [one for one in told if one.period in months]
    keys = [one.key for one in (*facts, *recent)]
    progress = Progress("/".join(map(str, keys)), max(keys, default=0), len(keys), 0, stale=False)
    before = await derivation.progress(TIER)
    if (before.inputs == progress.inputs and not before.stale) if before else not keys:
        return None
    lines = [*await of_statements(w.db, w.domain, facts, "f"), *await of_statements(w.db, w.domain, recent, "e")]
    return await retold(derivation, TIER, "narrative", _MOST_LINES, KINDS, lines, progress, before)


async def retold(
    derivation: Derivation,
    tier: str,
    kind: TaskKind,
    most: int,
    kinds: Sequence[str],
    lines: Sequence[Line],
    progress: Progress,
    before: Progress | None,
) -> Work:
    """Return the work of telling a whole tier anew from statements; `kinds` are what its lines may begin with."""
    w = derivation.context
    # Reflections are hers to post, not a telling: they stand on.
    standing = {one.text: one for one in await statements.standing(w.db, w.domain, tier) if one.kind != "reflection"}

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        if entries is None:
            return
        ending = dict(standing)
        told: set[str] = set()
        for entry in entries:
            which, text = prefixed(entry.text, kinds)
            rests = grounds(entry, lines)
            if rests is None or text in told:
                continue
            told.add(text)
            if text in ending:
                del ending[text]
                continue
            new = stated(tier, "", which or (kinds[0] if kinds else ""), text, writer, rests)
            await statements.publish(tx, w.seal, w.domain, new, now)
        await statements.end(tx, w.domain, [one.key for one in ending.values()], now)

    texts = {line.item: line.source.text for line in lines}
    still = derivation.as_found(tier, "", before)
    return Work(tier, "", kind, kind, most, [line.source for line in lines], texts, progress, publish, still=still)
