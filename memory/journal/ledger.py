"""Claims, so that work is done once whatever the number of processes and restarts, and the activity log."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.store.database import ClaimHolders, DatabaseAccess, Parameters, Transaction
from memory.store.domains import reserve_numbers
from memory.types import MINUTE, Domain

LEASE = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease on one piece of work. Whoever publishes checks that the fence still holds."""

    name: str
    slot: str
    fence: int

    @property
    def parameters(self) -> Parameters:
        """The parameters of the condition that the lease still belongs to it."""
        return {"name": self.name, "slot": self.slot, "fence": self.fence}


@dataclass(frozen=True, slots=True)
class Activity:
    """One line of the activity log; it never holds message text."""

    seq: int
    at: int
    kind: str
    detail: dict[str, object]


async def claim(tx: Transaction, name: str, slot: str, holders: ClaimHolders, now: int) -> Claim | None:
    """Lease (name, slot) for ten minutes; return None while another living process holds or is taking it.

    `holders.join()` must have been awaited before.
    """
    held = await tx.free("SELECT holder, until FROM claims WHERE name = :name AND slot = :slot", {"name": name, "slot": slot})
    if not held:
        return await _begin(tx, name, slot, holders, now)
    if held[0]["until"] > now and await holders.living(tx, held[0]["holder"]):
        return None
    return await _take(tx, name, slot, holders, now)


async def _begin(tx: Transaction, name: str, slot: str, holders: ClaimHolders, now: int) -> Claim | None:
    (fence,) = await tx.numbers("fence")
    # If the row exists after all, another process took it just now.
    row = await tx.one(
        "INSERT INTO claims (name, slot, holder, fence, until, tries) VALUES (:name, :slot, :holder, :fence, :until, 1) "
        "ON CONFLICT (name, slot) DO NOTHING RETURNING fence",
        {"name": name, "slot": slot, "holder": holders.own, "fence": fence, "until": now + LEASE},
    )
    return Claim(name, slot, row["fence"]) if row else None


async def _take(tx: Transaction, name: str, slot: str, holders: ClaimHolders, now: int) -> Claim:
    # A new fence: a settled claim may come again, and its former holder as well.
    (fence,) = await tx.numbers("fence")
    await tx.run(
        "UPDATE claims SET holder = :holder, fence = :fence, until = :until, tries = tries + 1, note = '' "
        "WHERE name = :name AND slot = :slot",
        {"name": name, "slot": slot, "holder": holders.own, "fence": fence, "until": now + LEASE},
    )
    return Claim(name, slot, fence)


async def holds(tx: Transaction, held: Claim) -> bool:
    """Return whether the lease still belongs to this claim."""
    row = await tx.one(
        "SELECT 1 AS yes FROM claims WHERE name = :name AND slot = :slot AND fence = :fence",
        held.parameters,
    )
    return row is not None


async def renew(tx: Transaction, held: Claim, now: int) -> bool:
    """Renew a lease for another ten minutes; False if another process has it by now."""
    row = await tx.one(
        "UPDATE claims SET until = :until WHERE name = :name AND slot = :slot AND fence = :fence RETURNING fence",
        {**held.parameters, "until": now + LEASE},
    )
    return row is not None


async def release(tx: Transaction, held: Claim, note: str = "") -> None:
    """Release the lease, so that the work may be claimed again at once."""
    await tx.run(
        "UPDATE claims SET until = 0, note = :note WHERE name = :name AND slot = :slot AND fence = :fence",
        {**held.parameters, "note": note},
    )


async def settle(tx: Transaction, held: Claim) -> None:
    """Delete the claim: its work is done and cannot come again."""
    await tx.run("DELETE FROM claims WHERE name = :name AND slot = :slot AND fence = :fence", held.parameters)


async def queue_work(tx: Transaction, name: str, slots: Sequence[str]) -> None:
    """Queue work for any process; work in progress is done once more afterwards, with its tries reset."""
    await tx.many(
        "INSERT INTO claims (name, slot, holder, fence, until) VALUES (:name, :slot, '', 0, 0) "
        "ON CONFLICT (name, slot) DO UPDATE SET tries = 0",
        ({"name": name, "slot": slot} for slot in slots),
    )


async def take_wanted(tx: Transaction, name: str, holders: ClaimHolders, now: int) -> Claim | None:
    """Lease the queued work that has waited longest; None if nothing is free.

    Work whose holder died is queued again. `holders.join()` must have been awaited before.
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
    """Finish queued work; leave it queued if it was wanted again meanwhile, or until `until` if given."""
    if not until:
        await tx.run("DELETE FROM claims WHERE name = :name AND slot = :slot AND fence = :fence AND tries > 0", held.parameters)
    await tx.run(
        "UPDATE claims SET holder = '', until = :until WHERE name = :name AND slot = :slot AND fence = :fence",
        {**held.parameters, "until": until},
    )


async def note(tx: Transaction, domain: int, kind: str, at: int, **detail: object) -> None:
    """Append a line to the activity log."""
    await tx.run(
        "INSERT INTO activity (seq, at, domain, kind, detail) VALUES (:seq, :at, :domain, :kind, :detail)",
        {"seq": await reserve_numbers(tx, "activity"), "at": at, "domain": domain, "kind": kind, "detail": json.dumps(detail)},
    )


async def prune(tx: Transaction, domain: int, then: int) -> None:
    """Delete a domain's lines of the activity log from before an instant."""
    await tx.run("DELETE FROM activity WHERE domain = :domain AND at < :then", {"domain": domain, "then": then})


async def happenings(db: DatabaseAccess, after: int) -> list[Activity]:
    """Return the first 500 lines of the activity log after a given one, oldest first."""
    rows = await db.all("SELECT seq, at, kind, detail FROM activity WHERE seq > :after ORDER BY seq LIMIT 500", {"after": after})
    return [Activity(row["seq"], row["at"], row["kind"], json.loads(row["detail"])) for row in rows]


async def happenings_in(db: DatabaseAccess, domain: Domain, after: int, limit: int) -> list[Activity]:
    """Return the newest lines of a domain's activity log after a given line, oldest first."""
    rows = await db.all(
        "SELECT seq, at, kind, detail FROM activity WHERE seq > :after AND domain = :domain ORDER BY seq DESC LIMIT :limit",
        {"after": after, "domain": domain.key, "limit": limit},
    )
    return [Activity(row["seq"], row["at"], row["kind"], json.loads(row["detail"])) for row in reversed(rows)]


async def last_happening(db: DatabaseAccess) -> int:
    """Return the number of the activity log's newest line, 0 if it is empty."""
    row = await db.one("SELECT coalesce(max(seq), 0) AS seq FROM activity")
    assert row is not None
    return int(row["seq"])
