"""Retention: what was kept for as long as it may be goes by itself, tier by tier, and is not made again.

A message that goes is forgotten like any other, with all that rests on it. What was made of messages goes by itself where its own
time is shorter; the messages stay, and it is not made of them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memory.forget.erase import expire
from memory.forget.forgetting import STEP, Forgetting
from memory.forget.gone import Scope
from memory.ports import Clock
from memory.store.database import Database
from memory.store.domains import read_domain
from memory.types import DAY, Domain

MESSAGES = "messages"
_STATED = {"facts": "profile", "months": "era", "narrative": "narrative", "thoughts": "self", "notes": "bank"}
TIERS = (MESSAGES, "gists", *_STATED)
"""What a time can be set for. Gists stand for the summaries above them as well."""
_OFTEN = DAY // 24
_STEPS = 20


@dataclass
class Retention:
    """Sweeps one database. `days` is how long each tier is kept, counted from when it was kept or made; without one for ever."""

    db: Database
    forgetting: Forgetting
    clock: Clock
    days: Mapping[str, float] = field(default_factory=dict)
    _due: int = 0

    async def sweep(self) -> int:
        """Let go of what is over, at most once an hour; return how many messages and other items that were."""
        now = self.clock.now()
        if not any(self.days.values()) or now < self._due:
            return 0
        swept = 0
        for domain in [read_domain(row) for row in await self.db.all("SELECT * FROM domains ORDER BY id")]:
            for tier in TIERS:
                if days := self.days.get(tier):
                    swept += await self._sweep(domain, tier, now - int(days * DAY))
        self._due = now + _OFTEN
        return swept

    async def _sweep(self, domain: Domain, tier: str, before: int) -> int:
        swept = 0
        for _ in range(_STEPS):
            items = await self._over(domain, tier, before)
            if not items:
                break
            swept += len(items)
            if tier == MESSAGES:
                await self.forgetting.forget(domain, Scope(items))
                continue
            async with self.db.transaction() as tx:
                await expire(tx, domain, items, self.clock.now())
        return swept

    async def _over(self, domain: Domain, tier: str, before: int) -> list[int]:
        """Return the next items of a tier that were kept or made before an instant, the oldest first."""
        if tier == MESSAGES:
            # Items are numbered in the order in which they are kept.
            rows = await self.db.all(
                "SELECT item, stored_at AS at FROM exchanges WHERE domain = :domain ORDER BY item LIMIT :n",
                {"domain": domain.key, "n": STEP},
            )
        elif tier in _STATED:
            rows = await self.db.all(
                "SELECT item, made_at AS at FROM statements WHERE domain = :domain AND tier = :tier ORDER BY made_at, item LIMIT :n",
                {"domain": domain.key, "tier": _STATED[tier], "n": STEP},
            )
        else:
            rows = await self.db.all(
                "SELECT item, made_at AS at FROM digests WHERE domain = :domain ORDER BY made_at, item LIMIT :n",
                {"domain": domain.key, "n": STEP},
            )
        return [row["item"] for row in rows if row["at"] < before]
