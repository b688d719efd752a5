"""Open things: what somebody announced and whose day is over, and what was taken up again by a reply.

An announcement is read by rule from a message as it is kept. One thing is taken up in one reply: from then on it is not open,
unless that reply is forgotten.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from memory.forget.gone import shown
from memory.store.database import Transaction
from memory.store.lineage import bound, pages, placeholders
from memory.text.times import instant, local, zone
from memory.text.told.coming import coming
from memory.tiers.manners import whose
from memory.types import MINUTE, Domain, Exchange, Kind

TIER = "announced"
LATELY = 21 * 24 * 60 * MINUTE
"""How long after its day something is taken up."""


def not_raised(alias: str) -> str:
    """Return the condition under which a row with an item was not taken up."""
    return f"NOT EXISTS (SELECT 1 FROM raised WHERE raised.item = {alias}.item)"


ANNOUNCED = (
    "SELECT e.item, i.public_id, 0 AS session, 'announced' AS tier, 0 AS level, 0 AS position, a.whose AS period, '' AS kind, "
    "e.text, e.speaker AS writer, e.said_at AS first_at, a.due_at AS last_at, e.stored_at AS made_at, NULL AS ended_at, '' AS name "
    "FROM announced a JOIN exchanges e ON e.item = a.item JOIN items i ON i.id = a.item WHERE a.domain = :domain "
    f"AND a.due_at <= :now AND a.due_at > :lately AND {shown('e')} AND {not_raised('a')}"
)
"""What was announced at home and is over since `lately`, each as a statement whose writer is who said it."""


async def note(tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
    """Keep until when it is that these messages, just stored or changed, look forward to something."""
    await erase(tx, [one.key for one in said])
    for one in said:
        at = local(one.said_at, domain.time_zone).date()
        if one.kind is Kind.SAID and one.role == "user" and (day := coming(one.text, at)):
            end = datetime.combine(day + timedelta(days=1), datetime.min.time(), zone(domain.time_zone))
            await tx.run(
                "INSERT INTO announced (item, domain, whose, due_at) VALUES (:item, :domain, :whose, :due)",
                {"item": one.key, "domain": domain.key, "whose": whose(one), "due": instant(end)},
            )


async def take_up(tx: Transaction, domain: Domain, items: Collection[int], reply: int) -> None:
    """Note that a reply took these up."""
    await tx.many(
        "INSERT INTO raised (item, domain, reply) VALUES (:item, :domain, :reply) ON CONFLICT DO NOTHING",
        ({"item": item, "domain": domain.key, "reply": reply} for item in sorted(items)),
    )


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Remove what is known of these items as open things, and what these replies took up."""
    for some in pages(items):
        within = f"IN ({placeholders('i', some)})"
        await tx.run(f"DELETE FROM announced WHERE item {within}", bound("i", some))
        await tx.run(f"DELETE FROM raised WHERE item {within} OR reply {within}", bound("i", some))
