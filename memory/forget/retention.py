"""Retention: what has been kept for its time goes by itself, tier by tier, and is not made again.

A place may set a shorter time for its messages. A message that expires is forgotten like any other, with all that rests on it.
A digest or statement with a shorter time of its own expires alone; its messages stay, and it is not rewritten from them.

What goes for good because its time is over would go too early by a clock that is wrong for some minutes, as after a start
without a battery or before the time is set. So it goes only once the clock has stayed ahead for an hour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory.forget.erase import remove_for_good
from memory.forget.forgetting import STEP, Forgetting
from memory.forget.gone import ForgottenScope
from memory.places.scope_settings import KeptSettings
from memory.ports import Clock
from memory.store.database import Database
from memory.store.domains import by_domain, read_domain
from memory.types import DAY, Domain

MESSAGES = "messages"
SETTING = "retention"
"""The setting of a place: for how many days its messages are kept."""
_STATED = {"facts": "profile", "months": "era", "narrative": "narrative", "thoughts": "self", "notes": "bank"}
TIERS = (MESSAGES, "gists", *_STATED)
"""What a time can be set for. "gists" covers the summaries above them as well."""
_FAR = 30 * DAY
_SCOPE, _KEY = "install", "clock"
_OFTEN = DAY // 24
_STEPS = 8
"""The number of steps per sweep, so that nobody waits long for it; the next one takes up the rest."""


@dataclass(frozen=True, slots=True)
class ClockJumps:
    """Compares the clock with the instant at which it was last looked at, in this process or an earlier one."""

    db: Database
    clock: Clock

    async def is_settled(self) -> bool:
        """Return whether nothing speaks against the clock: it was here an hour ago, or less than thirty days back, or never before."""
        now, settings = self.clock.now(), KeptSettings(self.db)
        seen, since = _read(await settings.get(_SCOPE, _KEY))
        if not seen or now <= seen + _FAR or (since and now >= since + _OFTEN):
            # Noted once an hour: everything else that happens here is rarer.
            if since or abs(now - seen) >= _OFTEN:
                await settings.set(_SCOPE, _KEY, [now, 0])
            return True
        if not since or now < since:
            await settings.set(_SCOPE, _KEY, [seen, now])
        return False


def _read(kept: object) -> tuple[int, int]:
    """Return when the clock was last believed, and since when it is doubted, 0 each if that is not known."""
    return (int(kept[0]), int(kept[1])) if isinstance(kept, list) else (0, 0)


@dataclass
class Retention:
    """The retention sweep of one database.

    `days` is how long each tier is kept after being stored or made; a tier without a time is kept for ever.
    """

    db: Database
    forgetting: Forgetting
    clock: Clock
    days: Mapping[str, float] = field(default_factory=dict)
    _due: int = 0

    async def sweep(self) -> int:
        """Let go of what has expired, in limited steps; pause for an hour once nothing is left. Return how many items went."""
        now = self.clock.now()
        # A later one was set by a clock that was ahead.
        if now < self._due <= now + _OFTEN:
            return 0
        swept, steps = await self._sweep_places(now)
        for tier in TIERS:
            before = now - int(self.days.get(tier, 0) * DAY)
            for domain in await self._domains(tier, before) if self.days.get(tier) else ():
                while steps < _STEPS and (items := await self._over(domain, tier, before)):
                    await self._remove(domain, tier, items)
                    swept, steps = swept + len(items), steps + 1
        self._due = now + _OFTEN if steps < _STEPS else now
        return swept

    async def _sweep_places(self, now: int) -> tuple[int, int]:
        """Let go of expired messages at places with a time of their own; return how many items, and in how many steps."""
        swept, steps = 0, 0
        for scope, days in await KeptSettings(self.db).everywhere(SETTING):
            _, platform, place = scope.split(":", 2)
            before = now - int(str(days)) * DAY
            while steps < _STEPS and (items := await self._over_at(platform, place, before)):
                for domain, some in await by_domain(self.db, items):
                    await self._remove(domain, MESSAGES, some)
                swept, steps = swept + len(items), steps + 1
        return swept, steps

    async def _over_at(self, platform: str, place: str, before: int) -> list[int]:
        """Return the next messages of a place and its threads that were stored before an instant, oldest first."""
        # A key ends with the thread; the part before it is shared by the whole place.
        begins = place.rpartition(", ")[0] + ", "
        rows = await self.db.all(
            "SELECT e.item FROM exchanges e JOIN sessions s ON s.id = e.session WHERE s.platform = :platform "
            "AND substr(s.place, 1, CAST(:length AS INTEGER)) = :begins AND e.stored_at < :before ORDER BY e.item LIMIT :n",
            {"platform": platform, "length": len(begins), "begins": begins, "before": before, "n": STEP},
        )
        return [row["item"] for row in rows]

    async def _remove(self, domain: Domain, tier: str, items: Sequence[int]) -> None:
        if tier == MESSAGES:
            await self.forgetting.forget(domain, ForgottenScope(items))
            return
        async with self.db.transaction() as tx:
            await remove_for_good(tx, domain, items, self.clock.now())

    async def _domains(self, tier: str, before: int) -> list[Domain]:
        """Return the domains where something of a tier has expired."""
        if tier == MESSAGES:
            # Items are numbered in the order they are stored.
            over = (
                "SELECT e.domain FROM exchanges e JOIN (SELECT domain, min(item) AS item FROM exchanges GROUP BY domain) oldest "
                "ON oldest.item = e.item WHERE e.stored_at < :before"
            )
        elif tier in _STATED:
            over = "SELECT domain FROM statements WHERE tier = :tier AND made_at < :before"
        else:
            over = "SELECT domain FROM digests WHERE made_at < :before"
        parameters = {"before": before, "tier": _STATED.get(tier, "")}
        return [
            read_domain(row) for row in await self.db.all(f"SELECT * FROM domains WHERE id IN ({over}) ORDER BY id", parameters)
        ]

    async def _over(self, domain: Domain, tier: str, before: int) -> list[int]:
        """Return the next items of a tier that were stored or made before an instant, oldest first."""
        which = "made_at AS at FROM digests WHERE domain = :domain ORDER BY made_at, item"
        if tier == MESSAGES:
            which = "stored_at AS at FROM exchanges WHERE domain = :domain ORDER BY item"
        elif tier in _STATED:
            which = "made_at AS at FROM statements WHERE domain = :domain AND tier = :tier ORDER BY made_at, item"
        rows = await self.db.all(
            f"SELECT item, {which} LIMIT :n", {"domain": domain.key, "tier": _STATED.get(tier, ""), "n": STEP}
        )
        return [row["item"] for row in rows if row["at"] < before]
