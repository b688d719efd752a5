"""What models were asked for, by day (UTC): all usage by purpose and backend, and the spending of each domain.

Usage is told to whoever pays; by spending, unprompted work keeps to its budget.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.ports import Clock
from memory.store.database import Database, Reader, Transaction
from memory.types import DAY, Domain


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Model calls, and the tokens sent and received."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, more: "UsageTotals") -> "UsageTotals":
        return UsageTotals(self.calls + more.calls, self.tokens_in + more.tokens_in, self.tokens_out + more.tokens_out)


class Usage:
    """The ledger of all model usage, prompted or not, for all domains together."""

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
                        "day": _today(self._clock), "purpose": purpose, "backend": backend,
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
            {"since": _today(self._clock) - days},
        )
        return {
            (row["purpose"], row["backend"]): UsageTotals(int(row["calls"]), int(row["tokens_in"]), int(row["tokens_out"]))
            for row in rows
        }


@dataclass(frozen=True, slots=True)
class Spent:
    """Model calls, and the tokens sent and received."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The daily limits per domain, and for all domains."""

    domain: Spent
    all: Spent


class Spending:
    """The ledger of model spending."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def note(self, domain: Domain, spent: Spent) -> None:
        """Add to a domain's spending of today."""
        async with self._db.transaction() as tx:
            await self._add(tx, domain, spent)

    async def take(self, domain: Domain, spent: Spent, limits: CallLimits) -> bool:
        """Reserve spending for a domain unless a limit of the day is reached; return whether it is allowed."""
        async with self._db.transaction() as tx:
            spent_here, spent_by_all = await tx.gather(self._spent(tx, domain), self._spent(tx))
            for limit, so_far in ((limits.domain, spent_here), (limits.all, spent_by_all)):
                if so_far.calls >= limit.calls or so_far.tokens >= limit.tokens:
                    return False
            await self._add(tx, domain, spent)
        return True

    async def today(self, domain: Domain | None = None) -> Spent:
        """Return today's spending of a domain, or of all domains."""
        return await self._spent(self._db, domain)

    async def days(self, domain: Domain, since: int) -> list[tuple[int, Spent]]:
        """Return a domain's spending per day from an instant on, oldest first, each with the instant the day begins."""
        rows = await self._db.all(
            "SELECT day, calls, tokens FROM spent WHERE domain = :domain AND day >= :since ORDER BY day",
            {"domain": domain.key, "since": since // DAY},
        )
        return [(row["day"] * DAY, Spent(row["calls"], row["tokens"])) for row in rows]

    async def _add(self, tx: Transaction, domain: Domain, spent: Spent) -> None:
        await tx.run(
            "INSERT INTO spent (domain, day, calls, tokens) VALUES (:domain, :day, :calls, :tokens) "
            "ON CONFLICT (domain, day) DO UPDATE SET calls = spent.calls + :calls, tokens = spent.tokens + :tokens",
            {"domain": domain.key, "day": _today(self._clock), "calls": spent.calls, "tokens": spent.tokens},
        )

    async def _spent(self, kept: Reader, domain: Domain | None = None) -> Spent:
        row = await kept.one(
            "SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(tokens), 0) AS tokens FROM spent "
            "WHERE day = :day AND (CAST(:domain AS BIGINT) IS NULL OR domain = :domain)",
            {"day": _today(self._clock), "domain": domain.key if domain else None},
        )
        return Spent(row["calls"], row["tokens"]) if row else Spent()


def _today(clock: Clock) -> int:
    return clock.now() // DAY
