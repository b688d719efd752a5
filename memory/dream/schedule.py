"""The schedule and ledger of dreams: which are due, each dreamt once.

A pass is claimed before it begins and recorded when it has ended. The night of a date is done once; a failed one is retried
after a while. A claim that its holder did not survive counts as a try: after three, the domain is parked until somebody asks.

There is one night for each date of a place's own calendar, whatever its clocks do. It begins at a time of day. If the clocks
skip that time, it begins as much later as they skip; if they show it twice, at the first. A date that a place skipped has none.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from memory.journal import ledger
from memory.journal.ledger import Claim
from memory.places.confidences import common
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import ClaimHolders, DatabaseAccess, Row, Transaction
from memory.store.domains import read_domain
from memory.text.time.times import instant, local
from memory.text.time.zones import zone
from memory.types import DAY, MINUTE, Domain

_FAR_ENOUGH = 4


def night_begins(day: date, time_zone: str, at: time) -> int:
    """Return the instant at which the night of a date begins."""
    return instant(datetime.combine(day, at, zone(time_zone)))


def newest_night(now: int, time_zone: str, at: time) -> date:
    """Return the date of the newest night that has begun."""
    tomorrow = local(now, time_zone).date() + timedelta(days=1)
    # If the date moved back across midnight, tomorrow's night may have begun.
    days = (tomorrow - timedelta(days=back) for back in range(_FAR_ENOUGH + 1))
    return next(day for day in days if night_begins(day, time_zone, at) <= now)


def due_night(now: int, time_zone: str, at: time, done: str, since: int) -> str:
    """Return the date, as 2026-11-20, of the night to be dreamt, '' if there is none.

    `done` is the newest one dreamt, '' for none; nights that began before `since` do not count. Of several missed nights, only
    the newest is dreamt.
    """
    night = newest_night(now, time_zone, at)
    if night_begins(night, time_zone, at) < since:
        return ""
    return night.isoformat() if night.isoformat() > done else ""


NIGHT, INTERVAL, ASKED = "night", "interval", "asked"
MOST_TRIES = 3
AGAIN = 60 * MINUTE
"""How long to wait after a failed pass, for example with an unreachable model."""
_AHEAD = 60 * MINUTE
"""How far ahead of the clock an instant may be noted: beyond it the clock was wrong then, and it says nothing now."""
_CLAIM = "dream"
_KEPT = 90 * DAY
"""How long passes are kept, and what the activity log of their domain says: every domain adds to both each night, whoever talks."""


@dataclass(frozen=True, slots=True)
class DreamHours:
    """When to dream: at a time of night, and every `every` microseconds if there is anything to do (0: never)."""

    night: time | None = time(3, 30)
    every: int = 240 * MINUTE


@dataclass(frozen=True, slots=True)
class Slot:
    """A pass to be dreamt: the date of a night, or the instant at which it was due or requested."""

    domain: Domain
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class PastDream:
    """A pass that ended. `report` holds counts and reasons, never anybody's words."""

    kind: str
    slot: str
    at: int
    ended_at: int
    done: bool
    report: Mapping[str, Any]


class Schedule:
    """The passes of all domains."""

    def __init__(self, db: DatabaseAccess, holders: ClaimHolders, clock: Clock, hours: DreamHours) -> None:
        self._db = db
        self._holders = holders
        self._clock = clock
        self._hours = hours

    async def due(self) -> list[Slot]:
        """Return the passes to be dreamt now, one per domain, longest-waiting first."""
        rows = await self._standing("ORDER BY coalesce(p.at, 0), d.id")
        slots = [self._due(row) for row in rows if not await self._parked(row)]
        return [slot for slot in slots if slot]

    async def parked(self) -> list[Domain]:
        """Return the domains that are parked after three failed tries."""
        rows = await self._standing("ORDER BY d.id")
        return [read_domain(row) for row in rows if await self._parked(row)]

    async def requested(self, domain: Domain) -> Slot:
        """Return a slot for a pass requested now."""
        return Slot(domain, ASKED, str(self._clock.now()))

    async def claim(self, slot: Slot) -> Claim | None:
        """Claim a domain's dream; None if another living process is dreaming it or has done so by now."""
        await self._holders.join()
        async with self._db.transaction(bounds=Bounds.of(slot.domain.key)) as tx:
            held = await ledger.claim(tx, _CLAIM, str(slot.domain.key), self._holders, self._clock.now())
            if held and await self._dreamt(tx, slot):
                await ledger.settle(tx, held)
                return None
        return held

    async def renew(self, held: Claim) -> bool:
        """Renew the lease; False if another process holds it by now."""
        async with self._db.transaction(bounds=_bounds(held)) as tx:
            return await ledger.renew(tx, held, self._clock.now())

    async def finish(
        self, held: Claim, slot: Slot, at: int, report: Mapping[str, Any], *, done: bool, rested: bool, heard: int
    ) -> bool:
        """Record a finished pass and release the lease; False, with nothing recorded, if another process holds it by now.

        `rested` means that nothing was left to do; `heard` is the last message there was when it began.
        """
        async with self._db.transaction(bounds=_bounds(held)) as tx:
            if not await ledger.holds(tx, held):
                return False
            await tx.run(
                "INSERT INTO dreams (domain, kind, slot, at, ended_at, outcome, heard, rested, report) VALUES "
                "(:domain, :kind, :slot, :at, :now, :outcome, :heard, :rested, :report) ON CONFLICT DO NOTHING",
                {"domain": slot.domain.key, "kind": slot.kind, "slot": slot.name, "at": at, "now": self._clock.now(),
                 "outcome": "done" if done else "failed", "heard": heard, "rested": int(rested),
                 "report": json.dumps(report)},
            )  # fmt: skip
            horizon = self._clock.now() - _KEPT
            await tx.run("DELETE FROM dreams WHERE domain = :d AND at < :then", {"d": slot.domain.key, "then": horizon})
            await ledger.prune(tx, slot.domain.key, horizon)
            await ledger.settle(tx, held)
            counts = {"pass": slot.kind, "done": done, "calls": report.get("calls", 0), "tokens": report.get("tokens", 0)}
            await ledger.note(tx, slot.domain.key, "dream", self._clock.now(), **counts)
        return True

    async def abandon(self, held: Claim) -> None:
        """Release a pass that broke; it counts as a try."""
        async with self._db.transaction(bounds=_bounds(held)) as tx:
            await ledger.release(tx, held, "broke")

    async def last_passes(self, domain: Domain, n: int) -> list[PastDream]:
        """Return the last passes of a domain, newest first."""
        rows = await self._db.all(
            "SELECT * FROM dreams WHERE domain = :d ORDER BY at DESC, id DESC LIMIT :n", {"d": domain.key, "n": n}
        )
        return [
            PastDream(row["kind"], row["slot"], row["at"], row["ended_at"], row["outcome"] == "done", json.loads(row["report"]))
            for row in rows
        ]

    async def _standing(self, order: str) -> list[Row]:
        # Ignore what was recorded while the clock was set far ahead.
        latest = local(self._clock.now(), "UTC").date() + timedelta(days=2)
        return await self._db.all(f"{_STANDING}{order}", {"latest": latest.isoformat(), "ahead": self._clock.now() + _AHEAD})

    async def _parked(self, row: Row) -> bool:
        if (row["tries"] or 0) < MOST_TRIES:
            return False
        return (row["until"] or 0) <= self._clock.now() or not await self._holders.living(self._db, row["holder"])

    def _due(self, row: Row) -> Slot | None:
        domain, now = read_domain(row), self._clock.now()
        created_at = row["created_at"] if row["created_at"] < now + _AHEAD else 0
        if row["failed"] and -_AHEAD <= now - row["ended"] < AGAIN:
            return None
        if self._hours.night is not None:
            night = due_night(now, domain.time_zone, self._hours.night, row["night"] or "", created_at)
            if night:
                return Slot(domain, NIGHT, night)
        every = self._hours.every
        news = (row["said"] or 0) > (row["heard"] or 0) or row["rested"] == 0
        since = row["last"] if row["last"] is not None else created_at
        if every and news and now - since >= every:
            return Slot(domain, INTERVAL, str(now))
        return None

    async def _dreamt(self, tx: Transaction, slot: Slot) -> bool:
        """Return whether another process has dreamt the slot meanwhile."""
        now = self._clock.now()
        parameters = {"domain": slot.domain.key, "slot": slot.name, "then": now - self._hours.every, "ahead": now + _AHEAD}
        already = {
            NIGHT: "kind = 'night' AND slot = :slot AND outcome = 'done'",
            INTERVAL: "at > :then AND at < :ahead",
            ASKED: "1 = 0",
        }[slot.kind]
        return await tx.one(f"SELECT 1 AS yes FROM dreams WHERE domain = :domain AND {already} LIMIT 1", parameters) is not None


def _bounds(held: Claim) -> Bounds:
    return Bounds.of(int(held.slot))


_STANDING = (
    "SELECT d.*, c.tries, c.holder, c.until, p.at AS last, p.ended_at AS ended, p.outcome = 'failed' AS failed, p.heard, p.rested, "
    "(SELECT max(n.slot) FROM dreams n WHERE n.domain = d.id AND n.kind = 'night' AND n.outcome = 'done' "
    "AND n.slot <= :latest) AS night, "
    f"(SELECT e.item FROM exchanges e WHERE e.domain = d.id AND e.kind = 'said' AND {common('e')} ORDER BY e.item DESC LIMIT 1) AS said "
    "FROM (SELECT * FROM domains WHERE id NOT IN (SELECT domain FROM confidences) "
    "AND EXISTS (SELECT 1 FROM exchanges WHERE domain = domains.id)) AS d "
    "LEFT JOIN claims c ON c.name = 'dream' AND c.slot = CAST(d.id AS TEXT) "
    "LEFT JOIN dreams p ON p.id = (SELECT l.id FROM dreams l WHERE l.domain = d.id AND l.at < :ahead ORDER BY l.at DESC, l.id DESC LIMIT 1) "
)
