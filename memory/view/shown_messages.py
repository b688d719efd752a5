"""Messages as a platform shows them: which are forgotten, and which are kept."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.journal.inbox import around
from memory.store.database import Database
from memory.store.domains import read_domain
from memory.store.lineage import Seal, bound, paged, pages, placeholders
from memory.tiers.messages import known
from memory.types import Domain, SessionRef

Talks = Mapping[str, Sequence[tuple[Domain, SessionRef]]]


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as the platform shows it.

    Its id, the keys of the places where it may be kept, whether it is Lyra's, and when it was sent.
    """

    id: str
    places: Sequence[str]
    own: bool
    said_at: int


@dataclass(frozen=True, slots=True)
class ShownMessages:
    """Looks up what is known of the messages that a platform shows."""

    db: Database
    seal: Seal

    async def withheld(self, platform: str, shown: Collection[ShownMessage]) -> set[str]:
        """Return the ids of shown messages that Lyra forgot or withholds, and of her own posts that rested on such.

        A post of hers that is no reply (a notice, or an early post) is withheld if anything was forgotten after it.
        """
        names, talks = await self._names(platform, shown)
        found = {names[row["id"]] for row in await paged(self.db, _BURIED, names)}
        own = [one for one in shown if one.own]
        return found | await self._posts_withheld(platform, own, talks) if own else found

    async def unstored_ids(self, platform: str, place: str, above: str, shown: Collection[ShownMessage]) -> set[str]:
        """Return the ids of those messages of one place that are neither kept nor forgotten, and may be shown as context.

        A thread begins with a message that is kept in the place `above` it; for what is no thread both are the same.
        """
        ids = {one.id for one in shown}
        names, _ = await self._names(platform, shown)
        rows = await paged(self.db, _BESIDE, sorted({*names, *ids}), {"platform": platform, "place": place, "above": above})
        return ids - {names.get(row["id"], row["id"]) for row in rows}

    async def kept_around(self, platform: str, place: str, ids: Sequence[str]) -> list[str]:
        """Return the keys of a channel's places, its threads included, where messages with these ids are kept, wait, or were sent."""
        rows = await paged(self.db, _KEPT_AROUND, ids, {"platform": platform, **around(place)})
        return sorted({row["place"] for row in rows})

    async def _names(self, platform: str, shown: Collection[ShownMessage]) -> tuple[dict[str, str], Talks]:
        """Map public ids, of stored messages and of asides, to platform ids; return the possible conversations as well."""
        names: dict[str, str] = {}
        talks: dict[str, Sequence[tuple[Domain, SessionRef]]] = {}
        for some in _by_channel(shown):
            there = await conversations(
                self.db, platform, sorted({place for one in some for place in one.places}), some[0].places[0]
            )
            talks |= there.at
            for one in some:
                kept = [pair for place in one.places for pair in there.at.get(place, ())]
                names |= {known.public_id(self.seal, domain.ref, ref, one.id): one.id for domain, ref in kept}
                seen = [known.seen_as(self.seal, domain.ref, platform, one.places[0], one.id) for domain in there.domains]
                names |= dict.fromkeys(seen, one.id)
        return names, talks

    async def _posts_withheld(self, platform: str, own: Sequence[ShownMessage], talks: Talks) -> set[str]:
        rows = await paged(self.db, _POSTS, [one.id for one in own], {"platform": platform})
        dead = {row["remote_id"]: bool(row["dead"]) for row in rows}
        domains = sorted({domain.key for there in talks.values() for domain, _ in there})
        row = await self.db.one(
            f"SELECT max(forgotten_at) AS at FROM domains WHERE id IN ({placeholders('d', domains)})", bound("d", domains)
        )
        since = int(row["at"] or 0) if row else 0
        return {one.id for one in own if dead.get(one.id, one.said_at <= since)}


class Conversed(NamedTuple):
    """All conversations at some places, past or present, by place, and the domains of a whole channel, its threads included."""

    at: Talks
    domains: list[Domain]


async def conversations(db: Database, platform: str, places: Sequence[str], within: str) -> Conversed:
    """Return the conversations at these places, and the domains of the channel of the place `within`."""
    found: dict[str, list[tuple[Domain, SessionRef]]] = {}
    domains: list[Domain] = []
    channel = known.channel(within)
    bounds = {"platform": platform, "within": within, "from": channel + ", ", "to": channel + "-"}
    for some in pages(places):
        rows = await db.all(_CONVERSATIONS.format(within=placeholders("p", some)), {**bounds, **bound("p", some)})
        domains = [read_domain(row) for row in rows if not row["at_place"]]
        for row in rows:
            if row["at_place"]:
                there = SessionRef(platform, row["at_place"], row["at_epoch"])
                found.setdefault(there.place, []).append((read_domain(row), there))
    return Conversed(found, domains)


def _by_channel(shown: Collection[ShownMessage]) -> list[list[ShownMessage]]:
    found: dict[str, list[ShownMessage]] = {}
    for one in shown:
        for place in one.places[:1]:
            found.setdefault(known.channel(place), []).append(one)
    return list(found.values())


_BURIED = (
    "SELECT public_id AS id FROM tombstones WHERE public_id IN ({within}) "
    "UNION SELECT public_id AS id FROM items WHERE public_id IN ({within}) AND dead_at IS NOT NULL "
    "UNION SELECT i.public_id AS id FROM items i JOIN withheld w ON w.item = i.id WHERE i.public_id IN ({within})"
)
_BESIDE = _BURIED + (
    " UNION SELECT e.source_id AS id FROM sessions s JOIN exchanges e ON e.session = s.id JOIN items i ON i.id = e.item "
    "WHERE s.platform = :platform AND s.place IN (:place, :above) AND e.source_id IN ({within}) "
    "UNION SELECT remote_id AS id FROM outbox "
    "WHERE platform = :platform AND place IN (:place, :above) AND remote_id IN ({within}) AND remote_id <> '' "
    "UNION SELECT event_id AS id FROM inbox "
    "WHERE platform = :platform AND place IN (:place, :above) AND state <> 'done' AND event_id IN ({within})"
)
_KEPT_AROUND = (
    "SELECT s.place FROM exchanges e JOIN sessions s ON s.id = e.session WHERE e.source_id IN ({within}) "
    "AND s.platform = :platform AND s.place >= :from AND s.place < :to UNION "
    "SELECT place FROM inbox WHERE event_id IN ({within}) AND platform = :platform AND place >= :from AND place < :to AND state <> 'done' "
    "UNION SELECT place FROM outbox WHERE remote_id IN ({within}) AND remote_id <> '' AND platform = :platform "
    "AND place >= :from AND place < :to"
)
_POSTS = (
    "SELECT o.remote_id, i.dead_at IS NOT NULL AS dead FROM outbox o JOIN items i ON i.id = o.item "
    "WHERE o.platform = :platform AND o.remote_id IN ({within}) AND o.remote_id <> ''"
)
_CONVERSATIONS = (
    "SELECT d.*, k.place AS at_place, k.epoch AS at_epoch FROM (SELECT domain, place, epoch FROM sessions WHERE platform = :platform "
    "AND place IN ({within}) UNION SELECT domain, place, epoch FROM active_sessions WHERE platform = :platform AND place IN ({within})) AS k "
    "JOIN domains d ON d.id = k.domain UNION ALL SELECT d.*, '' AS at_place, 0 AS at_epoch FROM domains d WHERE d.id IN ("
    "SELECT domain FROM sessions WHERE platform = :platform AND (place = :within OR (place >= :from AND place < :to)) UNION "
    "SELECT domain FROM active_sessions WHERE platform = :platform AND (place = :within OR (place >= :from AND place < :to)))"
)
