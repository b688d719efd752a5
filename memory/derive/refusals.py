"""Answers of a writer that could not be used: kept, counted, and gone with whatever they may hold."""

from dataclasses import dataclass

from memory.ports import Clock
from memory.store.database import Database, Transaction
from memory.types import Domain

MOST = 3
"""After so many about the same inputs a writer is not asked again until they change."""
DROPPED = "dropped"
"""Why single sentences of an answer that stands were refused: that counts for nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an answer was about: a tier, the place in it, and what it was to be made from."""

    tier: str
    slot: str
    inputs: str


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals of one domain."""

    db: Database
    domain: Domain
    clock: Clock

    async def count(self, target: Target) -> int:
        """Return how many answers about these inputs were refused."""
        row = await self.db.one(
            "SELECT count(*) AS n FROM refusals "
            "WHERE domain = :domain AND tier = :tier AND slot = :slot AND inputs = :inputs AND reason <> :dropped",
            {**self._of(target), "dropped": DROPPED},
        )
        return int(row["n"]) if row else 0

    async def keep(self, tx: Transaction, target: Target, writer: str, reason: str, answer: str) -> None:
        """Keep an answer, or sentences of one, that cannot be used."""
        await tx.run(
            "INSERT INTO refusals (domain, tier, slot, inputs, writer, reason, answer, refused_at) "
            "VALUES (:domain, :tier, :slot, :inputs, :writer, :reason, :answer, :now)",
            {**self._of(target), "writer": writer, "reason": reason, "answer": answer, "now": self.clock.now()},
        )

    def _of(self, target: Target) -> dict[str, object]:
        return {"domain": self.domain.key, "tier": target.tier, "slot": target.slot, "inputs": target.inputs}


async def drop(tx: Transaction, domain: Domain, tier: str | None = None) -> None:
    """Drop the refusals of a domain, or of one tier of it: each may hold words of anything it was made from."""
    only = "" if tier is None else " AND tier = :tier"
    await tx.run(f"DELETE FROM refusals WHERE domain = :domain{only}", {"domain": domain.key, "tier": tier})
