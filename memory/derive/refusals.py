"""Unusable answers of a writer: stored, counted, and dropped together with what they may contain."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memory.store.database import Reader, Transaction
from memory.store.lineage import bound, placeholders
from memory.store.sealed import DROPPED, GIVEN_UP
from memory.types import Domain

MOST = 2
"""After this many refusals with the same inputs, a writer is not asked again until they change."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an answer was about: a tier, the slot in it, and its inputs."""

    tier: str
    slot: str
    inputs: str


async def exhausted(reader: Reader, domain: Domain, target: Target, writer: str) -> bool:
    """Return whether a writer has used up its tries with these inputs."""
    row = await reader.one(
        "SELECT count(*) AS n FROM refusals WHERE domain = :domain AND tier = :tier "
        "AND slot = :slot AND inputs = :inputs AND writer = :writer AND reason NOT IN (:dropped, :given_up)",
        {**asdict(target), "domain": domain.key, "writer": writer, "dropped": DROPPED, "given_up": GIVEN_UP},
    )
    return row is not None and row["n"] >= MOST


async def keep(tx: Transaction, domain: Domain, target: Target, writer: str, reason: str, answer: str, now: int) -> None:
    """Store an unusable answer, or rejected sentences of one."""
    await tx.run(
        "INSERT INTO refusals (domain, tier, slot, inputs, writer, reason, answer, refused_at) "
        "VALUES (:domain, :tier, :slot, :inputs, :writer, :reason, :answer, :now)",
        {**asdict(target), "domain": domain.key, "writer": writer, "reason": reason, "answer": answer, "now": now},
    )


async def take_given_up(tx: Transaction, domain: Domain, tier: str, writer: str) -> list[Target]:
    """Delete and return what other writers gave up in a tier and this one has not tried: it is to be asked."""
    rows = await tx.all(
        "DELETE FROM refusals WHERE domain = :domain AND tier = :tier AND reason = :given_up AND NOT EXISTS (SELECT 1 "
        "FROM refusals r WHERE r.domain = refusals.domain AND r.tier = refusals.tier AND r.slot = refusals.slot "
        "AND r.inputs = refusals.inputs AND r.writer = :writer) RETURNING slot, inputs",
        {"domain": domain.key, "tier": tier, "given_up": GIVEN_UP, "writer": writer},
    )
    return [Target(tier, row["slot"], row["inputs"]) for row in rows]


async def reopen(tx: Transaction, writer: str) -> None:
    """Count what a writer refused or gave up as another's, so that it is asked again: it is set up otherwise now."""
    await tx.run("UPDATE refusals SET writer = '' WHERE writer = :writer", {"writer": writer})


async def stale(reader: Reader, domain: Domain, writer: str, before: int, most: int) -> list[int]:
    """Return the keys of at most this many answers of a writer about what it last refused before an instant, oldest first.

    A thought is about what was new then, and is not asked for again.
    """
    rows = await reader.all(
        "SELECT r.id FROM refusals r WHERE r.domain = :domain AND r.writer = :writer AND r.tier <> 'reflection' AND r.refused_at < :before AND NOT EXISTS "
        "(SELECT 1 FROM refusals n WHERE n.domain = r.domain AND n.tier = r.tier AND n.slot = r.slot AND n.inputs = r.inputs "
        "AND n.writer = r.writer AND n.refused_at >= :before) ORDER BY r.refused_at, r.id LIMIT :most",
        {"domain": domain.key, "writer": writer, "before": before, "most": most},
    )
    return [row["id"] for row in rows]


async def discount(tx: Transaction, keys: Sequence[int]) -> None:
    """Delete these answers, so that their writer is asked again; what it gave up counts as given up by another.

    Gists and their merges are found by being extracts, and not by having been given up.
    """
    within, known = placeholders("r", keys), bound("r", keys)
    await tx.run(
        f"DELETE FROM refusals WHERE id IN ({within}) AND (reason <> :given_up OR tier IN ('gist', 'merge'))",
        {**known, "given_up": GIVEN_UP},
    )
    await tx.run(f"UPDATE refusals SET writer = '' WHERE id IN ({within})", known)


async def drop(tx: Transaction, domain: Domain, tier: str | None = None) -> None:
    """Drop the refusals of a domain, or of one tier of it: each may contain words of any of its sources."""
    only = "" if tier is None else " AND tier = :tier"
    await tx.run(f"DELETE FROM refusals WHERE domain = :domain{only}", {"domain": domain.key, "tier": tier})
