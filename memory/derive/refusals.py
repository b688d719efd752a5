"""Unusable answers of a writer: stored, counted, and dropped together with what they may contain."""

from dataclasses import dataclass

from memory.ports import Clock
from memory.store.database import DatabaseAccess, Transaction
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


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals of one domain."""

    db: DatabaseAccess
    domain: Domain
    clock: Clock

    async def exhausted(self, target: Target, writer: str) -> bool:
        """Return whether a writer has used up its tries with these inputs."""
        row = await self.db.one(
            "SELECT count(*) AS n FROM refusals WHERE domain = :domain AND tier = :tier "
            "AND slot = :slot AND inputs = :inputs AND writer = :writer AND reason NOT IN (:dropped, :given_up)",
            {**self._parameters(target), "writer": writer, "dropped": DROPPED, "given_up": GIVEN_UP},
        )
        return row is not None and row["n"] >= MOST

    async def keep(self, tx: Transaction, target: Target, writer: str, reason: str, answer: str) -> None:
        """Store an unusable answer, or rejected sentences of one."""
        await tx.run(
            "INSERT INTO refusals (domain, tier, slot, inputs, writer, reason, answer, refused_at) "
            "VALUES (:domain, :tier, :slot, :inputs, :writer, :reason, :answer, :now)",
            {**self._parameters(target), "writer": writer, "reason": reason, "answer": answer, "now": self.clock.now()},
        )

    def _parameters(self, target: Target) -> dict[str, object]:
        return {"domain": self.domain.key, "tier": target.tier, "slot": target.slot, "inputs": target.inputs}


async def take_up(tx: Transaction, domain: Domain, tier: str, writer: str) -> list[Target]:
    """Delete and return what other writers gave up in a tier and this one has not tried: it is to be asked."""
    rows = await tx.all(
        "DELETE FROM refusals WHERE domain = :domain AND tier = :tier AND reason = :given_up AND NOT EXISTS (SELECT 1 "
        "FROM refusals r WHERE r.domain = refusals.domain AND r.tier = refusals.tier AND r.slot = refusals.slot "
        "AND r.inputs = refusals.inputs AND r.writer = :writer) RETURNING slot, inputs",
        {"domain": domain.key, "tier": tier, "given_up": GIVEN_UP, "writer": writer},
    )
    return [Target(tier, row["slot"], row["inputs"]) for row in rows]


async def reopen(tx: Transaction, writer: str) -> None:
    """Have what a writer refused or gave up count as another's: it is not what it was, and is to be asked again."""
    await tx.run("UPDATE refusals SET writer = '' WHERE writer = :writer", {"writer": writer})


async def drop(tx: Transaction, domain: Domain, tier: str | None = None) -> None:
    """Drop the refusals of a domain, or of one tier of it: each may contain words of any of its sources."""
    only = "" if tier is None else " AND tier = :tier"
    await tx.run(f"DELETE FROM refusals WHERE domain = :domain{only}", {"domain": domain.key, "tier": tier})
