"""Exchanges: every message as it was said, and the queries that read them. Raw text is kept until its owner forgets it."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from memory.forget.gone import shown
from memory.places import titles
from memory.store.database import DatabaseAccess, Reader, Row
from memory.store.lineage import bound, paged, pages, placeholders
from memory.tiers.entities import MentionedNames, telling
from memory.tiers.messages.seen import readable
from memory.types import Domain, Exchange, Kind

PAGE = 500
_KINDS: Mapping[str, Kind] = {kind.value: kind for kind in Kind}
DISLIKED = 2
"""Added to `echo` of a disliked reply, so that whatever filters echoes filters it as well."""


def recallable(exchange: Exchange) -> bool:
    """Return whether a message enters recall and digests: what was said, and replies that do not merely repeat memory."""
    return exchange.kind in (Kind.SAID, Kind.REPLY) and not exchange.echo


async def among(reader: Reader, items: Sequence[int]) -> dict[int, Exchange]:
    """Return the messages among these items by key, in the order they were stored."""
    rows = await paged(reader, SELECT + "WHERE e.item IN ({within}) ORDER BY e.item", items)
    return {row["item"]: exchange(row) for row in rows}


async def item(db: DatabaseAccess, domains: Sequence[int], public_id: str) -> int | None:
    """Return the key of a message of these domains by its public id, None if there is none."""
    row = await db.one(
        f"SELECT id FROM items WHERE public_id = :id AND domain IN ({placeholders('d', domains)}) AND kind = 'exchange' AND dead_at IS NULL",
        {"id": public_id, **bound("d", domains)},
    )
    return int(row["id"]) if row else None


async def at_place(db: DatabaseAccess, domain: Domain, platform: str, place: str | None, source_id: str) -> Exchange | None:
    """Return a message at a place (None: any) by its platform id: a person's, or a reply by the id it was sent under."""
    parameters = {"domain": domain.key, "platform": platform, "place": place, "id": source_id}
    row = await db.one(
        SELECT + "JOIN sessions s ON s.id = e.session WHERE s.domain = :domain AND s.platform = :platform "
        f"AND (CAST(:place AS TEXT) IS NULL OR s.place = :place) AND e.source_id = :id AND {shown('e')} ORDER BY s.epoch DESC",
        parameters,
    ) or await db.one(
        SELECT + "JOIN outbox o ON o.item = e.item WHERE o.platform = :platform "
        f"AND (CAST(:place AS TEXT) IS NULL OR o.place = :place) AND o.remote_id = :id AND o.remote_id <> '' AND e.domain = :domain AND {shown('e')}",
        parameters,
    )
    return exchange(row) if row else None


class PlacedMessage(NamedTuple):
    """A message with its session's name, platform and place.

    `corrected` is the message behind the fact that superseded one told by this message, None if there is none; `amended` are those
    that only put this one right ("no wait, at 6") and hold still, the last one first.
    """

    exchange: Exchange
    session: str
    platform: str
    place: str
    corrected: int | None = None
    amended: tuple[int, ...] = ()


async def at_their_places(
    db: DatabaseAccess,
    domains: Sequence[int],
    keys: Sequence[int],
    told: MentionedNames | None = None,
    *,
    amending: Collection[int] = (),
) -> dict[int, PlacedMessage]:
    """Return those of these messages that may be read in these domains, by key.

    With `told`, also those that tell most of its names; also those that correct one of `amending`.
    """
    found: dict[int, PlacedMessage] = {}
    is_corrected = "EXISTS (SELECT 1 FROM corrections c WHERE c.corrects = e.item)" if amending else "0"
    corrected_keys: list[int] = []
    for at, some in enumerate(list(pages(keys)) or ([[]] if told else [])):
        named = f"OR e.item IN ({telling(told.names, told.aliases, domains)})" if told and not at else ""
        # With a plus, the domain is no index to search by: each message would be searched for in every domain in view.
        rows = await db.all(
            f"SELECT {_COLUMNS}, s.name, s.public_id, s.platform, s.place, ({_CORRECTED}), {is_corrected} "
            "FROM exchanges e JOIN items i ON i.id = e.item JOIN sessions s ON s.id = e.session "
            f"WHERE (e.item IN ({placeholders('k', some)}) {named}) AND +e.domain IN ({placeholders('d', domains)}) "
            f"AND {shown('e')} AND {readable('e', domains)}",
            {**bound("k", some), **bound("d", domains), **(told.parameters if told and not at else {})},
        )
        for row in rows:
            message = exchange(row)
            *_, name, public_id, platform, place, corrected, right = row
            key = message.key
            found[key] = PlacedMessage(message, titles.display_title(name, public_id), platform, place, corrected)
            corrected_keys += [key] if right and key in amending else []
    if corrected_keys:
        amended = await amendments(db, domains, corrected_keys)
        further = sorted({key for some in amended.values() for key in some}.difference(amending))
        found |= await at_their_places(db, domains, further, amending=further)
        found |= {key: found[key]._replace(amended=tuple(some)) for key, some in amended.items()}
    return found


async def amendments(db: Reader, domains: Sequence[int], keys: Sequence[int]) -> dict[int, list[int]]:
    """Map each of these messages to the readable ones that put it right and hold still, the last one first."""
    rows = await paged(
        db,
        "SELECT c.corrects, c.item FROM corrections c JOIN exchanges n ON n.item = c.item AND n.domain = c.domain "
        f"WHERE c.corrects IN ({{within}}) AND c.domain IN ({placeholders('d', domains)}) AND {shown('n')} AND {readable('n', domains)} "
        "AND NOT EXISTS (SELECT 1 FROM corrections l JOIN exchanges m ON m.item = l.item AND m.domain = l.domain "
        f"WHERE l.corrects = c.item AND l.in_part = 0 AND {shown('m')} AND {readable('m', domains)}) "
        "ORDER BY n.said_at DESC, n.item DESC",
        keys,
        bound("d", domains),
    )
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(row["corrects"], []).append(row["item"])
    return found


async def texts(db: Reader, keys: Collection[int]) -> list[str]:
    """Return the texts of those messages that exist."""
    return [row["text"] for row in await paged(db, "SELECT text FROM exchanges WHERE item IN ({within})", sorted(keys))]


async def page(db: DatabaseAccess, domain: Domain, domains: Sequence[int], after: int) -> list[Exchange]:
    """Return the next page of a domain's messages in the order they were stored, after the key `after`, without reflections
    and what was edited to nothing.

    Replies that hold something of other domains are left out.
    """
    rows = await db.all(
        SELECT + "WHERE e.domain = :domain AND e.item > :after AND e.kind NOT IN ('reflection', 'command') "
        f"AND {shown('e')} AND {readable('e', domains)} ORDER BY e.item LIMIT :limit",
        {"domain": domain.key, "after": after, "limit": PAGE, **bound("d", domains)},
    )
    return [exchange(row) for row in rows]


async def span(db: DatabaseAccess, domain: Domain) -> tuple[int, int]:
    """Return the first and last message of a domain, 0 if there is none."""
    row = await db.one(
        "SELECT coalesce(min(item), 0) AS first, coalesce(max(item), 0) AS last FROM exchanges WHERE domain = :domain",
        {"domain": domain.key},
    )
    assert row is not None
    return row["first"], row["last"]


_COLUMNS = (
    "e.item, i.public_id, e.domain, e.session, e.kind, e.role, e.speaker, e.text, e.source_id, e.said_at, e.stored_at, e.echo, "
    "e.episode, e.identity, e.edited_at"
)
SELECT = f"SELECT {_COLUMNS} FROM exchanges e JOIN items i ON i.id = e.item "
SELECT_PLACED = (
    f"SELECT {_COLUMNS}, s.platform, s.place, s.epoch FROM exchanges e JOIN items i ON i.id = e.item "
    "JOIN sessions s ON s.id = e.session "
)
_CORRECTED = (
    "SELECT max(newer.parent) FROM lineage older JOIN statements f ON f.item = older.child AND f.ended_at IS NOT NULL "
    "JOIN lineage newer ON newer.child = f.successor AND newer.cited = 1 WHERE older.parent = e.item AND older.cited = 1 "
    "AND f.tier = 'profile' AND newer.parent <> e.item AND NOT EXISTS "
    "(SELECT 1 FROM lineage l WHERE l.child = f.item AND l.parent = newer.parent)"
)


def exchange(row: Row) -> Exchange:
    """Read one row that begins with the columns of a message."""
    # By position: access by name takes as long as the query itself.
    key, pid, domain, session, kind, role, speaker, text, source_id, said_at, stored_at, echo, episode, identity, *_ = row
    return Exchange(
        key, pid, domain, session, _KINDS[kind], role, speaker, text, source_id, said_at, stored_at, bool(echo), episode, identity,
        echo >= DISLIKED,
    )  # fmt: skip
