"""Open things: announcements whose day is over, and what has been taken up by a reply.

An announcement is read by rule from a message as it is stored. One reply takes it up: from then on it is closed, unless that
reply is forgotten. A later message of the same person that calls it off, postpones it or tells how it went settles it in the
same way, and one that announces the same thing replaces it.
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from memory.forget.gone import shown
from memory.store.database import Row, Transaction
from memory.store.lineage import run_paged
from memory.text.time.times import instant, local
from memory.text.time.zones import zone
from memory.text.told.announcements import ChangeOfPlan, Plan, definite, plan, thing
from memory.tiers.manners import speaker_key
from memory.types import DAY, MINUTE, Domain, Exchange, Kind

TIER = "announced"
LATELY = 21 * DAY
"""How long after its day an announcement can be taken up."""
_JUST = 60 * MINUTE


def not_raised(alias: str) -> str:
    """Return the SQL condition for a row's item not to have been taken up."""
    return f"NOT EXISTS (SELECT 1 FROM raised WHERE raised.item = {alias}.item)"


ANNOUNCED = (
    "SELECT e.item, i.public_id, 0 AS session, 'announced' AS tier, 0 AS level, 0 AS position, a.whose AS period, '' AS kind, "
    "e.text, e.speaker AS writer, e.said_at AS first_at, a.due_at AS last_at, e.stored_at AS made_at, NULL AS ended_at, '' AS name "
    "FROM announced a JOIN exchanges e ON e.item = a.item JOIN items i ON i.id = a.item WHERE a.domain = :domain "
    f"AND a.due_at <= :now AND a.due_at > :lately AND {shown('e')} AND {not_raised('a')}"
)
"""Announcements of a domain that are over since `lately`, each as a statement whose writer is the speaker."""


async def note(tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
    """Store the announcements in these new or changed messages, and settle earlier ones."""
    await erase(tx, [one.key for one in said])
    for one in sorted(said, key=lambda one: (one.said_at, one.key)):
        at = local(one.said_at, domain.time_zone).date()
        if one.kind is not Kind.SAID or one.role != "user" or not (told := plan(one.text, at)):
            continue
        await settle(tx, domain, _settled(one, told, await _open(tx, domain, one), domain.time_zone), one.key)
        if told.day:
            await tx.run(
                "INSERT INTO announced (item, domain, whose, due_at) VALUES (:item, :domain, :whose, :due)",
                {"item": one.key, "domain": domain.key, "whose": speaker_key(one), "due": _day_end(told.day, domain.time_zone)},
            )


def _day_end(day: date, time_zone: str) -> int:
    """Return the instant at which a day is over."""
    return instant(datetime.combine(day + timedelta(days=1), datetime.min.time(), zone(time_zone)))


async def _open(tx: Transaction, domain: Domain, said: Exchange) -> list[Row]:
    """Return what a speaker announced before a message and is still open, newest first."""
    return await tx.all(
        "SELECT a.item, a.due_at, e.text, e.said_at FROM announced a JOIN exchanges e ON e.item = a.item WHERE a.domain = :domain "
        f"AND a.whose = :whose AND a.due_at > :lately AND e.said_at <= :at AND e.item <> :item AND {not_raised('a')} "
        "ORDER BY e.said_at DESC, a.item DESC",
        {"domain": domain.key, "whose": speaker_key(said), "at": said.said_at, "lately": said.said_at - LATELY, "item": said.key},
    )


def _settled(said: Exchange, told: Plan, there: Sequence[Row], time_zone: str) -> list[int]:
    if told.told is ChangeOfPlan.OVER:
        return [row["item"] for row in there if row["due_at"] <= said.said_at + DAY and told.is_of(thing(row["text"]))]
    there = [row for row in there if row["due_at"] > said.said_at]
    days = {_day_end(day, time_zone) for day in told.named}
    if told.told is ChangeOfPlan.AGAIN:
        return [row["item"] for row in there if _again(said, told, row, days)]
    if not told.thing:
        # "It is cancelled", "Friday is off": what is due that day, or was announced just before.
        meant = [row for row in there if row["due_at"] in days] or [
            row for row in there[:1] if said.said_at - row["said_at"] < _JUST
        ]
    else:
        shared = {row["item"]: len(told.thing & thing(row["text"])) for row in there if told.is_of(thing(row["text"]))}
        best = [row for row in there if shared.get(row["item"]) == max(shared.values(), default=0)]
        meant = [row for row in best if row["due_at"] in days] or best
    return [row["item"] for row in (meant if told.told is ChangeOfPlan.OFF else meant[:1])]


def _again(said: Exchange, told: Plan, row: Row, days: Collection[int]) -> bool:
    """Return whether a message repeats an announcement: for the same day, or about the same definite thing."""
    if row["due_at"] in days:
        return told.is_of(thing(row["text"]))
    return bool(told.thing) and told.thing == thing(row["text"]) and definite(said.text) and definite(row["text"])


async def settle(tx: Transaction, domain: Domain, items: Collection[int], reply: int) -> None:
    """Record that a reply took these items up, or that a message settled them."""
    await tx.many(
        "INSERT INTO raised (item, domain, reply) VALUES (:item, :domain, :reply) ON CONFLICT DO NOTHING",
        ({"item": item, "domain": domain.key, "reply": reply} for item in sorted(items)),
    )


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete these items as announcements, and what they took up or settled."""
    await run_paged(tx, "DELETE FROM announced WHERE item IN ({within})", items)
    await run_paged(tx, "DELETE FROM raised WHERE item IN ({within}) OR reply IN ({within})", items)
