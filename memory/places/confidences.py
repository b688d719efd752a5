"""Confidences: which items are held back from some of a domain's readers, and from whom.

A confidence is a domain within a domain. The message remains an item of the outer one; its index entries belong to the
inner one, which is read only by views none of whose readers is excluded, and no digest is made of it.
"""

import json
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NamedTuple

from memory.errors import SourceGone
from memory.store import domains
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Reader, Row, Transaction
from memory.store.lineage import bound, paged, pages, placeholders
from memory.types import NOBODY, Confidence, Domain, Identity, WithheldFrom


def common(alias: str) -> str:
    """Return the SQL condition that an item was not told in confidence."""
    return f"NOT EXISTS (SELECT 1 FROM confided WHERE confided.item = {alias}.item)"


def common_talk(alias: str) -> str:
    """Return the SQL condition that an exchange was neither told in confidence nor answers what was.

    Where talk is counted, an answer that was given to a confidence would tell of it.
    """
    return (
        f"{common(alias)} AND NOT EXISTS (SELECT 1 FROM lineage l JOIN confided ON confided.item = l.parent "
        f"WHERE l.child = {alias}.item AND l.answered = 1)"
    )


def read(row: Row, home: Domain) -> Confidence | None:
    """Read the confidence joined to a domain row, or None if there is none."""
    if row["confidence"] is None:
        return None
    ref = replace(home.ref, native_id=f"{home.ref.native_id}\n{row['excepted']}")
    return Confidence(Domain(row["confidence"], ref, home.time_zone), home.key, _excepted(row["excepted"]))


async def within(reader: Reader, home: Domain) -> list[Confidence]:
    """Return the confidences within a domain."""
    rows = await reader.all("SELECT domain AS confidence, excepted FROM confidences WHERE home = :home", {"home": home.key})
    return [one for row in rows if (one := read(row, home))]


async def keys_within(reader: Reader, home: int) -> list[int]:
    """Return the keys of the confidences within a domain."""
    return [row["domain"] for row in await reader.all("SELECT domain FROM confidences WHERE home = :home", {"home": home})]


async def by_item(reader: Reader, items: Collection[int]) -> dict[int, Confidence]:
    """Map those of these items that were told in confidence to their confidences."""
    found: dict[int, Confidence] = {}
    for row in await paged(
        reader,
        "SELECT f.item, c.domain AS confidence, c.excepted, d.* "
        "FROM confided f JOIN confidences c ON c.domain = f.domain JOIN domains d ON d.id = c.home WHERE f.item IN ({within})",
        sorted(items),
    ):
        if one := read(row, domains.read_domain(row)):
            found[row["item"]] = one
    return found


@asynccontextmanager
async def changing(
    db: DatabaseAccess, home: Domain, items: Collection[int], rests_on: Collection[int] = ()
) -> AsyncIterator[Transaction]:
    """Open a transaction for changing items of a domain, which may be indexed in confidences within it."""
    while True:
        inner = {one.domain.key for one in (await by_item(db, items)).values()}
        async with db.transaction(bounds=Bounds.of(home.key, *inner, rests_on=rests_on)) as tx:
            # They may have been told in confidence meanwhile.
            if {one.domain.key for one in (await by_item(tx, items)).values()} <= inner:
                yield tx
                return


async def told_by(reader: Reader, home: Domain, teller: Identity, session: int | None = None) -> list[tuple[int, WithheldFrom]]:
    """Return what an account told in confidence in a domain or one of its sessions, oldest first, and who is excluded."""
    only = "" if session is None else "AND e.session = :session "
    rows = await reader.all(
        "SELECT e.item FROM confided f JOIN exchanges e ON e.item = f.item JOIN identities n ON n.id = e.identity "
        f"WHERE e.domain = :home {only}AND n.platform = :platform AND n.native_id = :account ORDER BY e.item",
        {"home": home.key, "platform": teller.platform, "account": teller.native_id, "session": session},
    )
    confided = await by_item(reader, [row["item"] for row in rows])
    return [(item, one.excepted) for item, one in sorted(confided.items())]


async def put(tx: Transaction, home: Domain, items: Collection[int], excepted: WithheldFrom, now: int) -> None:
    """Record that these items were told in confidence or, if nobody is excluded, that they were not."""
    for some in pages(sorted(items)):
        await tx.run(f"DELETE FROM confided WHERE item IN ({placeholders('i', some)})", bound("i", some))
    if excepted == NOBODY:
        return
    key = await _ensure_domain(tx, home, excepted, now)
    await tx.many("INSERT INTO confided (item, domain) VALUES (:item, :key)", ({"item": item, "key": key} for item in items))


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the record that these items were told in confidence, and what was asked for by or about them."""
    within = f"IN ({placeholders('i', items)})"
    await tx.run(f"DELETE FROM confided WHERE item {within}", bound("i", items))
    await tx.run(f"DELETE FROM heeded WHERE item {within} OR request {within}", bound("i", items))


class Heeded(NamedTuple):
    """What a message asked for about an item, as far as none did later: to keep it from some people or, if it `frees`, to tell them."""

    item: int
    request: int
    whom: WithheldFrom
    frees: bool


async def note(
    tx: Transaction, home: Domain, items: Collection[int], request: int, whom: WithheldFrom, now: int, *, frees: bool
) -> None:
    """Record what a message asked for about these items of a domain, or its teller by a command (then `request` is the item)."""
    key = await _ensure_domain(tx, home, whom, now)
    await tx.many(
        "INSERT INTO heeded (item, confidence, request, frees) VALUES (:item, :key, :request, :frees) ON CONFLICT (item, confidence) "
        "DO UPDATE SET request = excluded.request, frees = excluded.frees",
        [{"item": item, "key": key, "request": request, "frees": int(frees)} for item in items],
    )


async def heeded(reader: Reader, *, requests: Collection[int] = (), items: Collection[int] = ()) -> list[Heeded]:
    """Return what these messages asked for, and what was asked for about these items."""
    rows = await paged(reader, f"{_HEEDED}WHERE h.request IN ({{within}})", sorted(requests))
    rows += await paged(reader, f"{_HEEDED}WHERE h.item IN ({{within}})", sorted(items))
    return [Heeded(row["item"], row["request"], _excepted(row["excepted"]), bool(row["frees"])) for row in rows]


async def unheed(tx: Transaction, requests: Sequence[int]) -> None:
    """Delete the record of what these messages asked for."""
    await tx.run(f"DELETE FROM heeded WHERE request IN ({placeholders('i', requests)})", bound("i", requests))


_HEEDED = "SELECT h.item, h.request, h.frees, c.excepted FROM heeded h JOIN confidences c ON c.domain = h.confidence "


async def tell(tx: Transaction, item: int) -> bool:
    """Mark the teller of an item as notified of the confidence; return whether this was the first time."""
    row = await tx.one("UPDATE confided SET told = 1 WHERE item = :item AND told = 0 RETURNING item", {"item": item})
    return row is not None


async def require_open(reader: Reader, items: Collection[int], domains_read: Collection[int]) -> None:
    """Raise SourceGone if an item was told in a confidence outside these domains."""
    if any(one.domain.key not in domains_read for one in (await by_item(reader, items)).values()):
        raise SourceGone("Something this answer rests on was told in confidence meanwhile.")


async def _ensure_domain(tx: Transaction, home: Domain, excepted: WithheldFrom, now: int) -> int:
    written = json.dumps(
        {"accounts": sorted([one.platform, one.native_id] for one in excepted.accounts), "others": excepted.others},
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip
    parameters = {"home": home.key, "excepted": written}
    row = await tx.one("SELECT domain FROM confidences WHERE home = :home AND excepted = :excepted", parameters)
    if row is None:
        ref = replace(home.ref, native_id=f"{home.ref.native_id}\n{written}")
        await domains.create(tx, ref, home.time_zone, now)
        row = await tx.one(
            "INSERT INTO confidences (domain, home, excepted) SELECT id, :home, :excepted FROM domains WHERE kind = :kind "
            "AND platform = :platform AND native_id = :native_id AND epoch = :epoch RETURNING domain",
            {**parameters, **domains.natural_key(ref)},
        )
    assert row is not None
    return int(row["domain"])


def _excepted(written: str) -> WithheldFrom:
    parsed = json.loads(written)
    return WithheldFrom(frozenset(Identity(*account) for account in parsed["accounts"]), parsed["others"])
