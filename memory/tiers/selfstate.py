"""The self-state of Lyra in one domain: mood, energy, drives, and what she says of herself. It changes in dreams only.

The state is versioned JSON; past states are kept. Her self-narrative consists of statements written from the narrative.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from memory.derive import progress as reached
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.forget import erase
from memory.store.database import DatabaseAccess, Transaction
from memory.tiers import narrative, statements, summaries
from memory.tiers.drives import Drives
from memory.tiers.source_lines import of_statements
from memory.types import DAY, Domain, Statement

if TYPE_CHECKING:
    from memory.derive.context import Context

TIER: Final = "self"
VERSION = 2
_GISTS = 40
_MOST_SENTENCES = 5
_THINNED = ((30 * DAY, DAY), (365 * DAY, 30 * DAY))
"""Beyond each age, one state of mind in each span of time is kept."""


@dataclass(frozen=True, slots=True)
class StateOfMind:
    """A state of mind: `mood` from -1 (low) to 1 (high), `energy` from 0 to 1, and the drives.

    `heard` is the last message there was at the latest dream.
    """

    mood: float = 0.0
    energy: float = 0.5
    drives: Drives = Drives()
    heard: int = 0
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class DatedState:
    """A state of mind and the instant since which it holds."""

    at: int
    mind: StateOfMind


@dataclass(frozen=True, slots=True)
class SelfState:
    """The current state of mind, since when it holds (0: always), and what she says of herself."""

    mind: StateOfMind
    since: int
    narrative: Sequence[Statement]
    reflections: Sequence[Statement]


async def due(context: "Context", *, asked: bool) -> Work | None:
    """Return the pending work: the narrative changed, and forty gists are new or it was `asked` for."""
    before = await reached.read(context.db, context.domain, TIER)
    narrated = await statements.standing(context.db, context.domain, narrative.TIER)
    keys = [one.key for one in narrated]
    inputs = "/".join(map(str, keys))
    if (before.inputs == inputs and not before.stale) if before else not narrated:
        return None
    gists = await summaries.count(context.db, context.domain)
    if before and not (before.stale or asked or gists - before.size >= _GISTS):
        return None
    progress = Progress(inputs, max(keys, default=0), gists, 0, stale=False)
    lines = await of_statements(context.db, context.domain, narrated, "n")
    return await narrative.rewrite(context, TIER, _MOST_SENTENCES, lines, progress, before)


async def state(db: DatabaseAccess, domain: Domain) -> SelfState:
    """Return the current self-state in a domain."""
    row = await db.one("SELECT at, state FROM selves WHERE domain = :d ORDER BY at DESC LIMIT 1", {"d": domain.key})
    return assemble((row["at"], row["state"]) if row else None, await statements.standing(db, domain, TIER, shown_only=True))


def assemble(kept: tuple[int, str] | None, told: Sequence[Statement]) -> SelfState:
    """Return the self-state made of a stored state of mind and the standing statements."""
    since, mind = (kept[0], parse_state(kept[1])) if kept else (0, StateOfMind())
    return SelfState(
        mind, since, [one for one in told if one.kind != "reflection"], [one for one in told if one.kind == "reflection"]
    )


async def keep(tx: Transaction, domain: Domain, mind: StateOfMind, now: int) -> None:
    """Persist the state of mind. Beyond the last thirty days, only the last state of each day is kept, beyond a year of thirty days.

    Later states are deleted: the clock was ahead when they were written, and they would count as the current one until then.
    """
    await tx.run("DELETE FROM selves WHERE domain = :domain AND at > :now", {"domain": domain.key, "now": now})
    await tx.run(
        "INSERT INTO selves (domain, at, state) VALUES (:domain, :now, :state) ON CONFLICT (domain, at) DO UPDATE SET state = :state",
        {"domain": domain.key, "now": now, "state": json.dumps(asdict(mind))},
    )
    for age, span in _THINNED:
        await tx.run(
            "DELETE FROM selves WHERE domain = :domain AND at < :then AND at NOT IN "
            "(SELECT max(at) FROM selves WHERE domain = :domain AND at < :then GROUP BY at / :span)",
            {"domain": domain.key, "then": now - age, "span": span},
        )


async def history(db: DatabaseAccess, domain: Domain, most: int = 500) -> list[DatedState]:
    """Return the states of mind in a domain, newest first."""
    rows = await db.all(
        "SELECT at, state FROM selves WHERE domain = :d ORDER BY at DESC LIMIT :most", {"d": domain.key, "most": most}
    )
    return [DatedState(row["at"], parse_state(row["state"])) for row in rows]


async def newest(db: DatabaseAccess) -> list[StateOfMind]:
    """Return the current state of mind in each domain that has one."""
    rows = await db.all(
        "SELECT s.state FROM selves s JOIN (SELECT domain, max(at) AS at FROM selves GROUP BY domain) AS last "
        "ON last.domain = s.domain AND last.at = s.at ORDER BY s.domain"
    )
    return [parse_state(row["state"]) for row in rows]


async def reset(tx: Transaction, domain: Domain, now: int) -> None:
    """Reset the self-state: no mood, no drives, nothing said of herself.

    `heard` is kept, so that nothing is thought about twice.
    """
    row = await tx.one("SELECT state FROM selves WHERE domain = :d ORDER BY at DESC LIMIT 1", {"d": domain.key})
    before = parse_state(row["state"]) if row else StateOfMind()
    rows = await tx.all(
        "SELECT item FROM statements WHERE domain = :d AND tier = :tier AND ended_at IS NULL", {"d": domain.key, "tier": TIER}
    )
    await erase.retire(tx, domain, [one["item"] for one in rows], now)
    await tx.run("DELETE FROM selves WHERE domain = :d", {"d": domain.key})
    await keep(tx, domain, StateOfMind(heard=before.heard), now)


def parse_state(text: str) -> StateOfMind:
    """Parse a stored state; fields unknown to an older version get their defaults."""
    stored = json.loads(text)
    known = {name: stored[name] for name in ("mood", "energy", "heard") if name in stored}
    return StateOfMind(**known, drives=Drives(**stored.get("drives", {})))
