"""Statements: everything above gists, each sentence or paragraph a row of its own with its citations.

A fact of the profile, a paragraph of an era, an arc, a sentence of Lyra's about herself, a bullet of the bank. A statement
derives from digests or other statements, and cites what people said: citations lead to the messages themselves, past every
digest between. When something it rests on is forgotten, this statement goes and no other; its other sources are then scanned
again.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.derive import progress
from memory.forget.gone import shown
from memory.index.indexing import BANK, ERAS, IndexEntry, index_entries, unindex
from memory.index.when.question_times import parse_question
from memory.store.database import DatabaseAccess, Reader, Row, Transaction
from memory.store.domains import next_source
from memory.store.lineage import Seal, add_items, bound, derive, paged, placeholders, run_paged
from memory.text.time.times import month, month_start
from memory.tiers import entities, episodes, summaries
from memory.tiers.exchanges import SELECT as MESSAGES
from memory.tiers.exchanges import exchange
from memory.types import MINUTE, Domain, Exchange, Statement

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY, _MONTH = 26 * 60 * MINUTE, 32 * 24 * 60 * MINUTE


def _holding(text: str, told_at: int, time_zone: str) -> dict[str, object]:
    """Return the time that a fact tells ("Ada moved to Graz in October 2025": that month) and its precision, if it tells any.

    Facts have absolute dates. A date without a year counts as none; several times are combined into one interval.
    """
    window = parse_question(text, told_at, time_zone).window if _YEAR.search(text) else None
    if window is None:
        return {}
    length = window.end - window.start
    to = "day" if length <= _DAY else "month" if length <= _MONTH else "year"
    return {"holds_from": window.start, "holds_until": window.end, "holds_to": to}


_DATED = "profile"
INDEXED = {"era": ERAS, "bank": BANK}
"""The tiers that recall searches, and the kind they are indexed as; all others are in view as a whole."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """The basis of a statement: items it derives from, messages of people, and the span of time in which these were said."""

    items: tuple[int, ...]
    said: tuple[int, ...]
    first_at: int
    last_at: int

    @staticmethod
    def of(said: Exchange) -> "Grounds":
        """Return the basis of what a message says itself."""
        return Grounds((said.key,), (said.key,), said.said_at, said.said_at)


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement to be stored."""

    tier: str
    period: str
    kind: str
    text: str
    writer: str
    rests: Grounds


async def publish(tx: Transaction, seal: Seal, domain: Domain, new: NewStatement, now: int) -> int:
    """Store a statement and return its key. The caller has checked that what it rests on is alive."""
    pid = seal.id(domain.ref, new.tier, await next_source(tx, domain))
    (key,) = await add_items(tx, domain, new.tier, [pid])
    holds = _holding(new.text, new.rests.last_at, domain.time_zone) if new.tier == _DATED else {}
    await tx.run(
        "INSERT INTO statements (item, domain, tier, period, kind, text, writer, first_at, last_at, made_at, holds_from, "
        "holds_until, holds_to) VALUES (:item, :domain, :tier, :period, :kind, :text, :writer, :first_at, :last_at, :now, "
        ":holds_from, :holds_until, :holds_to)",
        {"item": key, "domain": domain.key, "tier": new.tier, "period": new.period, "kind": new.kind, "text": new.text,
         "writer": new.writer, "first_at": new.rests.first_at, "last_at": new.rests.last_at, "now": now,
         **dict.fromkeys(("holds_from", "holds_until", "holds_to")), **holds},
    )  # fmt: skip
    await derive(tx, key, {*new.rests.items, *new.rests.said}, new.rests.said)
    if new.tier in entities.TIERS:
        await entities.queue(tx, domain, [key])
    if new.tier in INDEXED:
        at = month_start(new.period, domain.time_zone) if new.tier == "era" else new.rests.first_at
        await index_entries(tx, domain, [IndexEntry(key, INDEXED[new.tier], new.text, at)])
    return key


async def end(tx: Transaction, domain: Domain, keys: Sequence[int], now: int, successor: int | None = None) -> None:
    """End statements: they stay as history that recall does not find."""
    ended = "UPDATE statements SET ended_at = :now, successor = :successor WHERE item IN ({within}) AND ended_at IS NULL"
    await run_paged(tx, ended, keys, {"now": now, "successor": successor})
    if keys:
        await unindex(tx, domain, keys)


async def overtaken(reader: Reader, domain: Domain, tier: str, since: int) -> list[tuple[str, Statement]]:
    """Return the texts of a tier that were replaced by what was said after an instant, each with its successor."""
    rows = await reader.all(
        "SELECT n.*, i.public_id, s.text AS before FROM statements s JOIN statements n ON n.item = s.successor "
        "JOIN items i ON i.id = n.item WHERE s.domain = :domain AND s.tier = :tier AND s.ended_at IS NOT NULL "
        "AND n.last_at > :since ORDER BY s.item",
        {"domain": domain.key, "tier": tier, "since": since},
    )
    return [(row["before"], statement(row)) for row in rows]


async def any_replaced(reader: Reader, items: Collection[int], since: int) -> bool:
    """Return whether one of these statements was replaced since an instant."""
    replaced = "SELECT 1 AS yes FROM statements WHERE item IN ({within}) AND successor IS NOT NULL AND ended_at >= :since LIMIT 1"
    return bool(await paged(reader, replaced, sorted(items), {"since": since}))


async def remove_from_block(tx: Transaction, keys: Sequence[int], now: int) -> None:
    """Remove bullets from the block; recall still finds them."""
    await run_paged(tx, "UPDATE statements SET ended_at = :now WHERE item IN ({within}) AND ended_at IS NULL", keys, {"now": now})


async def return_to_block(tx: Transaction, keys: Sequence[int]) -> None:
    """Put bullets back into the block."""
    await run_paged(tx, "UPDATE statements SET ended_at = NULL WHERE item IN ({within})", keys)


async def seen_again(tx: Transaction, key: int, rests: Grounds) -> None:
    """Record that a standing statement was said again."""
    await derive(tx, key, {*rests.items, *rests.said}, rests.said)
    await tx.run("UPDATE statements SET last_at = :at WHERE item = :item AND last_at < :at", {"at": rests.last_at, "item": key})


async def standing(
    db: Reader, domain: Domain, tier: str, period: str | None = None, *, shown_only: bool = False
) -> list[Statement]:
    """Return the standing statements of a tier in a domain, as they were written; with `shown_only`, showable ones."""
    settled = f"AND {shown('s')} " if shown_only else ""
    only = "" if period is None else "AND s.period = :period "
    return await _in_tier(db, domain, tier, f"s.ended_at IS NULL {only}{settled}ORDER BY s.period, s.item", {"period": period})


async def _in_tier(
    db: Reader, domain: Domain, tier: str, condition: str, parameters: Mapping[str, object] = {}
) -> list[Statement]:
    rows = await db.all(
        f"{SELECT}WHERE s.domain = :domain AND s.tier = :tier AND {condition}", {"domain": domain.key, "tier": tier, **parameters}
    )
    return [statement(row) for row in rows]


async def told_later(db: DatabaseAccess, domain: Domain, tier: str) -> dict[str, list[Statement]]:
    """Return the standing statements of a tier that hold in a month other than those in which they were said, by that month."""
    dated = "s.holds_from IS NOT NULL AND s.ended_at IS NULL AND s.holds_to IN ('day', 'month') ORDER BY s.item"
    rows = await db.all(f"{SELECT}WHERE s.domain = :domain AND s.tier = :tier AND {dated}", {"domain": domain.key, "tier": tier})
    found: dict[str, list[Statement]] = {}
    for row in rows:
        of, one = month(row["holds_from"], domain.time_zone), statement(row)
        if of not in (month(one.first_at, domain.time_zone), month(one.last_at, domain.time_zone)):
            found.setdefault(of, []).append(one)
    return found


async def of_periods(db: DatabaseAccess, domain: Domain, tier: str, periods: Sequence[str]) -> list[Statement]:
    """Return the standing, showable statements of a tier for some periods, by period and in the order they were written."""
    condition = f"s.period IN ({placeholders('p', periods)}) AND s.ended_at IS NULL AND {shown('s')} ORDER BY s.period, s.item"
    return await _in_tier(db, domain, tier, condition, bound("p", periods))


async def history(db: DatabaseAccess, domain: Domain, tier: str) -> list[Statement]:
    """Return the ended statements of a tier, last ended first."""
    condition = f"s.ended_at IS NOT NULL AND {shown('s')} ORDER BY s.ended_at DESC, s.item DESC"
    return await _in_tier(db, domain, tier, condition)


async def by_id(kept: Reader, domain: Domain, tiers: Sequence[str], public_id: str) -> Statement | None:
    """Return a standing statement of some tiers of a domain by its public id."""
    row = await kept.one(
        f"{SELECT}WHERE i.public_id = :id AND s.domain = :domain AND s.tier IN ({placeholders('t', tiers)}) AND s.ended_at IS NULL",
        {"id": public_id.strip().lower(), "domain": domain.key, **bound("t", tiers)},
    )
    return statement(row) if row else None


async def cited(db: DatabaseAccess, keys: Sequence[int]) -> dict[int, list[Exchange]]:
    """Return the messages that statements rest on, oldest first, by the statement's key."""
    found: dict[int, list[Exchange]] = {key: [] for key in keys}
    cited = (
        MESSAGES.replace("e.edited_at FROM", "e.edited_at, l.child FROM")
        + "JOIN lineage l ON l.parent = e.item WHERE l.cited = 1 "
    )
    for row in await paged(db, cited + "AND l.child IN ({within}) ORDER BY e.said_at, e.item", keys):
        found[row["child"]].append(exchange(row))
    return found


async def resting_on_ended(db: DatabaseAccess, keys: Sequence[int], tier: str) -> list[int]:
    """Return which of these statements rest on an ended statement of a tier."""
    rows = await paged(
        db,
        "SELECT DISTINCT l.child FROM lineage l JOIN statements s ON s.item = l.parent "
        "WHERE s.tier = :tier AND s.ended_at IS NOT NULL AND l.child IN ({within}) ORDER BY l.child",
        keys,
        {"tier": tier},
    )
    return [row["child"] for row in rows]


async def uncover(tx: Transaction, gone: Sequence[int]) -> None:
    """Mark the sources of the statements among these items to be scanned again; to be called before the items are removed."""
    await summaries.look_again(tx, gone)
    await progress.outdate_those_of(tx, gone)
    await episodes.unbank_bullets(tx, gone)
    within = f"IN ({placeholders('g', gone)})"
    rows = await tx.all(
        f"SELECT item, successor FROM statements WHERE item {within} OR successor {within} ORDER BY item", bound("g", gone)
    )
    places = {row["item"]: row["successor"] for row in rows}
    for item in places.keys() - set(gone):
        newest = places[item]
        while newest in gone:
            newest = places.get(newest)
        # A replacement is gone: its own successor takes its place, or else the older statement stands again.
        again = "ended_at = NULL, successor = NULL" if newest is None else "successor = :newest"
        await tx.run(f"UPDATE statements SET {again} WHERE item = :item", {"item": item, "newest": newest})


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the statements among these items."""
    await run_paged(tx, "DELETE FROM statements WHERE item IN ({within})", items)


SELECT = "SELECT s.*, i.public_id FROM statements s JOIN items i ON i.id = s.item "


def statement(row: Row) -> Statement:
    """Read one row."""
    return Statement(
        row["item"], row["public_id"], row["tier"], row["period"], row["kind"], row["text"], row["writer"],
        row["first_at"], row["last_at"], row["made_at"], row["ended_at"],
    )  # fmt: skip
