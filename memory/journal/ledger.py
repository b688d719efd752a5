"""Claims, so that work is done once however many processes and restarts there are, and the log of what was done."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.store.counters import take
from memory.store.database import Access, Holders, Transaction
from memory.types import MINUTE, Domain

LEASE = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease on one piece of work. Whoever publishes checks that the fence is still his."""

    name: str
    slot: str
    fence: int


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of the log: what was done when; it never holds message text."""

    seq: int
    at: int
    kind: str
    detail: dict[str, object]


async def claim(tx: Transaction, name: str, slot: str, holders: Holders, now: int) -> Claim | None:
    """Take the lease on (name, slot) for ten minutes, or return None while another living process holds it, or is taking it.

    `holders.join()` was awaited before.
    """
    held = await tx.free("SELECT holder, until FROM claims WHERE name = :name AND slot = :slot", {"name": name, "slot": slot})
    if not held:
        return await _begin(tx, name, slot, holders, now)
    if held[0]["until"] > now and await holders.living(tx, held[0]["holder"]):
        return None
    return await _take(tx, name, slot, holders, now)


async def _begin(tx: Transaction, name: str, slot: str, holders: Holders, now: int) -> Claim | None:
    (fence,) = await tx.numbers("fence")
    # Where it is there after all, somebody is at it just now.
    row = await tx.one(
        "INSERT INTO claims (name, slot, holder, fence, until, tries) VALUES (:name, :slot, :holder, :fence, :until, 1) "
        "ON CONFLICT (name, slot) DO NOTHING RETURNING fence",
        {"name": name, "slot": slot, "holder": holders.own, "fence": fence, "until": now + LEASE},
    )
    return Claim(name, slot, row["fence"]) if row else None


async def _take(tx: Transaction, name: str, slot: str, holders: Holders, now: int) -> Claim:
    # A number that was never given before: a claim that was settled may come again, and its old holder as well.
    (fence,) = await tx.numbers("fence")
    await tx.run(
        "UPDATE claims SET holder = :holder, fence = :fence, until = :until, tries = tries + 1, note = '' "
        "WHERE name = :name AND slot = :slot",
        {"name": name, "slot": slot, "holder": holders.own, "fence": fence, "until": now + LEASE},
    )
    return Claim(name, slot, fence)


async def holds(tx: Transaction, held: Claim) -> bool:
    """Say whether the lease is still this claim's."""
    row = await tx.one(
        "SELECT 1 AS yes FROM claims WHERE name = :name AND slot = :slot AND fence = :fence",
        {"name": held.name, "slot": held.slot, "fence": held.fence},
    )
    return row is not None


async def renew(tx: Transaction, held: Claim, now: int) -> bool:
    """Hold a lease for another ten minutes; False where it is another's by now."""
    row = await tx.one(
        "UPDATE claims SET until = :until WHERE name = :name AND slot = :slot AND fence = :fence RETURNING fence",
        {"name": held.name, "slot": held.slot, "fence": held.fence, "until": now + LEASE},
    )
    return row is not None


async def release(tx: Transaction, held: Claim, note: str = "") -> None:
    """Let the lease go, so that the work may be claimed again at once."""
    await tx.run(
        "UPDATE claims SET until = 0, note = :note WHERE name = :name AND slot = :slot AND fence = :fence",
        {"name": held.name, "slot": held.slot, "fence": held.fence, "note": note},
    )


async def settle(tx: Transaction, held: Claim) -> None:
    """Drop the claim: its work is done and cannot come again."""
    await tx.run(
        "DELETE FROM claims WHERE name = :name AND slot = :slot AND fence = :fence",
        {"name": held.name, "slot": held.slot, "fence": held.fence},
    )


async def want(tx: Transaction, name: str, slots: Sequence[str]) -> None:
    """Leave work for whoever has the time; what somebody is at already counts as never tried, and is done once more after that."""
    await tx.many(
        "INSERT INTO claims (name, slot, holder, fence, until) VALUES (:name, :slot, '', 0, 0) "
        "ON CONFLICT (name, slot) DO UPDATE SET tries = 0",
        ({"name": name, "slot": slot} for slot in slots),
    )


async def want_everywhere(tx: Transaction, name: str) -> None:
    """Leave work of a kind in every domain, by whose key it is known."""
    await tx.run(
        "INSERT INTO claims (name, slot, holder, fence, until) SELECT :name, CAST(id AS TEXT), '', 0, 0 FROM domains "
        "WHERE 1 = 1 ORDER BY id ON CONFLICT (name, slot) DO UPDATE SET tries = 0",
        {"name": name},
    )


async def take_wanted(tx: Transaction, name: str, holders: Holders, now: int) -> Claim | None:
    """Take the lease on work that was left, what waits longest first; None where there is none that nobody is at.

    What a holder did not outlive is left again. `holders.join()` was awaited before.
    """
    rows = await tx.all(
        "SELECT DISTINCT holder FROM claims WHERE name = :name AND until > :now AND holder <> ''", {"name": name, "now": now}
    )
    for row in rows:
        if not await holders.living(tx, row["holder"]):
            await tx.run(
                "UPDATE claims SET until = 0, holder = '' WHERE name = :name AND holder = :holder",
                {"name": name, "holder": row["holder"]},
            )
    found = await tx.free(
        "SELECT slot FROM claims WHERE name = :name AND until <= :now ORDER BY until, fence, slot LIMIT 1",
        {"name": name, "now": now},
    )
    return await _take(tx, name, found[0]["slot"], holders, now) if found else None


async def finish_wanted(tx: Transaction, held: Claim, until: int = 0) -> None:
    """Let go of work that is done, or, where it was wanted again or is to wait until an instant, leave it for the next."""
    which = {"name": held.name, "slot": held.slot, "fence": held.fence}
    if not until:
        await tx.run("DELETE FROM claims WHERE name = :name AND slot = :slot AND fence = :fence AND tries > 0", which)
    await tx.run(
        "UPDATE claims SET holder = '', until = :until WHERE name = :name AND slot = :slot AND fence = :fence",
        {**which, "until": until},
    )


async def note(tx: Transaction, domain: int, kind: str, at: int, **detail: object) -> None:
    """Append to the log of what was done."""
    await tx.run(
        "INSERT INTO activity (seq, at, domain, kind, detail) VALUES (:seq, :at, :domain, :kind, :detail)",
        {"seq": await take(tx, "activity"), "at": at, "domain": domain, "kind": kind, "detail": json.dumps(detail)},
    )


async def happenings(db: Access, after: int, limit: int = 500) -> list[Happening]:
    """Return what was done since the given line of the log, oldest first."""
    rows = await db.all(
        "SELECT seq, at, kind, detail FROM activity WHERE seq > :after ORDER BY seq LIMIT :limit",
        {"after": after, "limit": limit},
    )
    return [Happening(row["seq"], row["at"], row["kind"], json.loads(row["detail"])) for row in rows]


async def happenings_in(db: Access, domain: Domain, after: int, limit: int) -> list[Happening]:
    """Return what was done in a domain since the given line of the log: the newest of it, oldest first."""
    rows = await db.all(
        "SELECT seq, at, kind, detail FROM activity WHERE seq > :after AND domain = :domain ORDER BY seq DESC LIMIT :limit",
        {"after": after, "domain": domain.key, "limit": limit},
    )
    return [Happening(row["seq"], row["at"], row["kind"], json.loads(row["detail"])) for row in reversed(rows)]


async def last_happening(db: Access) -> int:
    """Return the number of the newest line of the log, 0 where there is none."""
    row = await db.one("SELECT coalesce(max(seq), 0) AS seq FROM activity")
    assert row is not None
    return int(row["seq"])
