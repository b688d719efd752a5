"""Model usage, prompted or not, by day (UTC), purpose and backend, for all domains together."""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.ports import Clock
from memory.store.database import Database
from memory.types import DAY


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Model calls, and the tokens sent and received."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, more: "UsageTotals") -> "UsageTotals":
        return UsageTotals(self.calls + more.calls, self.tokens_in + more.tokens_in, self.tokens_out + more.tokens_out)


class Usage:
    """The ledger of model usage."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def add(self, used: Mapping[tuple[str, str], UsageTotals]) -> None:
        """Add to today's usage, by purpose and backend."""
        if not used:
            return
        async with self._db.transaction() as tx:
            await tx.many(
                "INSERT INTO usage (day, purpose, backend, calls, tokens_in, tokens_out) "
                "VALUES (:day, :purpose, :backend, :calls, :tokens_in, :tokens_out) ON CONFLICT (day, purpose, backend) DO UPDATE "
                "SET calls = usage.calls + :calls, tokens_in = usage.tokens_in + :tokens_in, tokens_out = usage.tokens_out + :tokens_out",
                (
                    {
                        "day": self._today(), "purpose": purpose, "backend": backend,
                        "calls": one.calls, "tokens_in": one.tokens_in, "tokens_out": one.tokens_out,
                    }
                    for (purpose, backend), one in used.items()
                ),
            )  # fmt: skip

    async def since(self, days: int) -> dict[tuple[str, str], UsageTotals]:
        """Return usage by purpose and backend over the last `days` days, including today."""
        rows = await self._db.all(
            "SELECT purpose, backend, sum(calls) AS calls, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out "
            "FROM usage WHERE day > :since GROUP BY purpose, backend ORDER BY purpose, backend",
            {"since": self._today() - days},
        )
        return {
            (row["purpose"], row["backend"]): UsageTotals(int(row["calls"]), int(row["tokens_in"]), int(row["tokens_out"]))
            for row in rows
        }

    def _today(self) -> int:
        return self._clock.now() // DAY
