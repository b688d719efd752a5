"""The progress of derivation for each tier of a domain."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import run_paged
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a tier: what it was made from, up to which item, how many sources, from how many sessions."""

    inputs: str
    mark: int
    size: int
    sessions: int
    stale: bool


async def read(kept: Reader, domain: Domain, tier: str, period: str = "") -> Progress | None:
    """Return the progress of a tier, None if nothing was derived yet."""
    row = await kept.one(
        "SELECT * FROM derivations WHERE domain = :domain AND tier = :tier AND period = :period",
        {"domain": domain.key, "tier": tier, "period": period},
    )
    return _progress(row) if row else None


async def read_all(kept: Reader, domain: Domain, tier: str, *, stale: bool = False) -> dict[str, Progress]:
    """Return the progress of a tier's periods, or only of stale ones, by period."""
    only = " AND stale = 1" if stale else ""
    rows = await kept.all(
        f"SELECT * FROM derivations WHERE domain = :domain AND tier = :tier{only} ORDER BY period",
        {"domain": domain.key, "tier": tier},
    )
    return {row["period"]: _progress(row) for row in rows}


async def reach(tx: Transaction, domain: Domain, tier: str, period: str, now_at: Progress, now: int) -> None:
    """Record the progress of a tier."""
    await tx.run(
        "INSERT INTO derivations (domain, tier, period, inputs, mark, size, sessions, stale, made_at) "
        "VALUES (:domain, :tier, :period, :inputs, :mark, :size, :sessions, :stale, :now) "
        "ON CONFLICT (domain, tier, period) DO UPDATE SET inputs = :inputs, mark = :mark, size = :size, "
        "sessions = :sessions, stale = :stale, made_at = :now",
        {"domain": domain.key, "tier": tier, "period": period, "inputs": now_at.inputs, "mark": now_at.mark,
         "size": now_at.size, "sessions": now_at.sessions, "stale": int(now_at.stale), "now": now},
    )  # fmt: skip


async def drop(tx: Transaction, domain: Domain, tier: str, period: str | None = None) -> None:
    """Delete the progress of a period of a tier, or of all periods (None)."""
    only = "" if period is None else " AND period = :period"
    await tx.run(
        f"DELETE FROM derivations WHERE domain = :domain AND tier = :tier{only}",
        {"domain": domain.key, "tier": tier, "period": period},
    )


async def outdate(tx: Transaction, domain: Domain, tier: str, period: str | None = None, *, stale: bool = True) -> None:
    """Mark a period of a tier, or all periods (None), as stale or not."""
    only = "" if period is None else " AND period = :period"
    await tx.run(
        f"UPDATE derivations SET stale = :stale WHERE domain = :domain AND tier = :tier{only}",
        {"domain": domain.key, "tier": tier, "period": period, "stale": int(stale)},
    )


async def outdate_those_of(tx: Transaction, gone: Sequence[int]) -> None:
    """Mark as stale what the statements and gists among these items are part of; to be called before the items are removed."""
    await run_paged(
        tx,
        "UPDATE derivations SET stale = 1 WHERE EXISTS (SELECT 1 FROM statements s WHERE s.domain = derivations.domain "
        "AND s.tier = derivations.tier AND s.period = derivations.period AND s.item IN ({within})) OR (tier = 'era' AND EXISTS ("
        "SELECT 1 FROM digests d JOIN episodes p ON p.session = d.session AND p.position = d.position WHERE d.tier = 'gist' "
        "AND d.aged = 1 AND d.domain = derivations.domain AND p.month = derivations.period AND d.item IN ({within})))",
        gone,
    )


def _progress(row: Row) -> Progress:
    return Progress(row["inputs"], row["mark"], row["size"], row["sessions"], bool(row["stale"]))
