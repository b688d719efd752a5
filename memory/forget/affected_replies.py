"""The walk: which replies go along with what is forgotten.

Replies that answer or cite it go; those that had it in view stay only if they hold nothing of it. A reply that goes is
forgotten like the message, so that replies that had it in view are examined in turn; one that stays ends the walk there.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.forget.gone import Gone
from memory.forget.sparing import Nearness, content, holding, shares
from memory.store.database import DatabaseAccess
from memory.store.domains import domains_of
from memory.store.lineage import bound, pages, placeholders, texts_of
from memory.text.display_names import LYRA
from memory.tiers.messages import seen
from memory.types import Domain

_BESIDE = 9
"""The number of newest items in view whose meaning is compared: the bound was set with a question and at most eight others."""
_EXPLAINING = 200
"""The number of newest items in view whose words count as known without what is forgotten."""


@dataclass(frozen=True, slots=True)
class SeenReply:
    """A reply that may go: what it had in view (None: not recorded), what it answers or cites, and what it rests on.

    It also rests on the messages of cited digests that no longer exist. A notice has no stored text: it counts as holding all
    that it shows.
    """

    key: int
    text: str
    saw: frozenset[int] | None
    cites: frozenset[int]
    rests: frozenset[int]
    is_notice: bool = False

    def had(self, items: Collection[int]) -> list[int]:
        """Return which of these items it had in view; one of Lyra's from before views were recorded had all earlier ones."""
        if self.saw is None:
            return [item for item in items if item < self.key or item in self.rests]
        return [item for item in items if item in self.saw or item in self.rests]


@dataclass
class AffectedReplies:
    """One walk. `stays` are remaining texts by item: what an edit left of a message. `besides` is what is erased anyway."""

    db: DatabaseAccess
    nearness: Nearness
    stays: Mapping[int, str] = field(default_factory=dict)
    besides: Gone | None = None

    def __post_init__(self) -> None:
        self._known: dict[int, str] = {}
        self._read_before: set[int] = set()
        self._said_in: dict[int, list[int]] = {}

    async def along(self, domain: Domain, gone: Mapping[int, Sequence[str]]) -> dict[int, str]:
        """Return the replies that go along with these items of a domain, given the lost texts of each ([]: unknown)."""
        going: dict[int, str] = {}
        edge: Mapping[int, Sequence[str]] = gone
        while edge:
            held = await self._with_digests(edge)
            dropped = {*gone, *going, *held}
            named = [] if self.stays else [item for item in edge if item not in going] + [key for key in edge if key in going]
            found: dict[int, str] = {}
            for reply in await self._replies(domain, held, {*gone, *going}):
                if await self._goes(reply, held, named, {*dropped, *found}):
                    # A reply that had a notice in view had in view what the notice shows.
                    (going if reply.is_notice else found)[reply.key] = reply.text
            going |= found
            lost = [text for texts in held.values() for text in texts]
            # The parts of a reply that hold nothing of what is forgotten take no others along.
            edge = {key: await asyncio.to_thread(holding, text, lost) for key, text in found.items()}
        return going

    async def _goes(
        self, reply: SeenReply, held: Mapping[int, Sequence[str]], named: Collection[int], dropped: Collection[int]
    ) -> bool:
        had = reply.had(held)
        if reply.is_notice:
            return bool(had)
        if any(item in reply.cites for item in named) or any(not held[item] for item in had):
            return True
        lost = [text for item in had for text in held[item]]
        view = ((reply.saw or frozenset()) | reply.rests).difference(dropped)
        stays = [self.stays[item] for item in had if item in self.stays]
        if await asyncio.to_thread(shares, reply.text, lost, [*await self._texts(sorted(view)[-_EXPLAINING:]), *stays]):
            return True
        if not self.stays:
            return await self.nearness.near(reply.text, lost, await self._texts(sorted(view)[-_BESIDE:]))
        # Mere rewording is as near to the new words as to the old ones.
        taken_out = await asyncio.to_thread(lambda: content("\n".join(lost)) - content("\n".join(stays)))
        return bool(taken_out) and await self.nearness.older(reply.text, lost, stays)

    async def _with_digests(self, edge: Mapping[int, Sequence[str]]) -> dict[int, Sequence[str]]:
        """Return the edge with the digests and statements above it, each with those of its lines that rest on the edge.

        The text of erased ones is unknown: the texts of their sources stand in.
        """
        found: dict[int, Sequence[str]] = {**edge, **await self._erased_above(edge)}
        for some in pages(list(edge)):
            above = await self.db.all(_ABOVE.format(within=placeholders("e", some)), bound("e", some))
            below = {*some, *(row["item"] for row in above)}
            lines: dict[int, set[int]] = {}
            for row in await self.db.all(
                f"SELECT digest, line, item FROM cites WHERE digest IN ({placeholders('a', above)})",
                bound("a", (row["item"] for row in above)),
            ):
                if row["item"] in below:
                    lines.setdefault(row["digest"], set()).add(row["line"])
            for row in above:
                said, cited = str(row["text"]).split("\n"), lines.get(row["item"])
                found[row["item"]] = [line for at, line in enumerate(said) if cited is None or at in cited]
        return found

    async def _erased_above(self, edge: Mapping[int, Sequence[str]]) -> dict[int, Sequence[str]]:
        roots: dict[int, list[int]] = {}
        for some in pages(list(edge)):
            for row in await self.db.all(_ERASED.format(within=placeholders("e", some)), bound("e", some)):
                roots.setdefault(row["id"], []).append(row["root"])
        return {
            digest: [text for root in those for text in edge[root]] if all(edge[root] for root in those) else []
            for digest, those in roots.items()
        }

    async def _replies(self, domain: Domain, items: Mapping[int, object], known: Collection[int]) -> list[SeenReply]:
        """Return the replies that had one of these items in view, oldest first."""
        keys = sorted(items)
        found: set[int] = set()
        for there in await domains_of(self.db, keys) or [domain]:
            found.update([reply async for reply in seen.by(self.db, there, keys)])
        for some in pages(keys):
            rows = await self.db.all(_CITING.format(within=placeholders("k", some)), bound("k", some))
            found.update(row["item"] for row in rows)
        sessions = await self._sessions(keys)
        rows = await self.db.all(
            _UNRECORDED.format(sessions=placeholders("s", sessions)),
            {"domain": domain.key, "first": keys[0], "lyra": LYRA, **bound("s", sessions)},
        )
        found.update(row["item"] for row in rows)
        return await self._read(sorted(found.difference(known)))

    async def _sessions(self, keys: Sequence[int]) -> list[int]:
        """Return the sessions in which these items were said."""
        found: set[int] = set()
        for some in pages(keys):
            rows = await self.db.all(
                f"SELECT DISTINCT session FROM exchanges WHERE item IN ({placeholders('k', some)})", bound("k", some)
            )
            found.update(row["session"] for row in rows)
        return sorted(found)

    async def _read(self, keys: Sequence[int]) -> list[SeenReply]:
        found: list[SeenReply] = []
        besides = f"AND ({self.besides.where}) IS NOT TRUE " if self.besides else ""
        for some in pages(keys):
            which = {**bound("k", some), **(self.besides.parameters if self.besides else {})}
            rows = await self.db.all(
                f"SELECT e.item, e.text, e.session, e.speaker FROM exchanges e WHERE e.item IN ({placeholders('k', some)}) AND e.kind <> 'said' {besides}"
                "ORDER BY e.item",
                which,
            )
            saw = await seen.of(self.db, [row["item"] for row in rows])
            for row in rows:
                # An imported reply of another assistant had only its own conversation in view.
                if row["item"] not in saw and row["speaker"] != LYRA:
                    saw[row["item"]] = await self._earlier(row["session"], row["item"])
            cites, rests = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
            for edge in await self.db.all(
                f"SELECT child, parent, cited, answered FROM lineage WHERE child IN ({placeholders('k', some)})", bound("k", some)
            ):
                rests[edge["child"]].add(edge["parent"])
                # Before views were recorded, everything that a reply rested on was cited.
                if edge["cited"] or edge["answered"] or edge["child"] not in saw:
                    cites[edge["child"]].add(edge["parent"])
            notices = await self.db.all(
                f"SELECT id FROM items WHERE id IN ({placeholders('k', some)}) AND kind = 'notice' AND dead_at IS NULL",
                bound("k", some),
            )
            shows = await seen.of(self.db, [row["id"] for row in notices])
            found += [SeenReply(key, "", items, frozenset(), frozenset(), is_notice=True) for key, items in shows.items()]
            found += [
                SeenReply(
                    row["item"], row["text"], saw.get(row["item"]), frozenset(cites[row["item"]]), frozenset(rests[row["item"]])
                )
                for row in rows
            ]
        return found

    async def _earlier(self, session: int, item: int) -> frozenset[int]:
        """Return the items of a session before an item."""
        if session not in self._said_in:
            rows = await self.db.all("SELECT item FROM exchanges WHERE session = :session", {"session": session})
            self._said_in[session] = [row["item"] for row in rows]
        return frozenset(key for key in self._said_in[session] if key < item)

    async def _texts(self, keys: Iterable[int]) -> list[str]:
        """Return the texts of the messages, digests and statements that exist, oldest first."""
        wanted = set(keys)
        for some in pages(sorted(wanted - self._read_before)):
            self._known.update(await texts_of(self.db, some))
        self._read_before |= wanted
        return [self._known[key] for key in sorted(wanted) if key in self._known]


_ABOVE = (
    "WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({within}) UNION SELECT l.child FROM lineage l "
    "JOIN above ON l.parent = above.id JOIN items i ON i.id = l.child AND i.kind <> 'exchange') "
    "SELECT d.item, d.text FROM digests d JOIN above ON above.id = d.item "
    "UNION ALL SELECT s.item, s.text FROM statements s JOIN above ON above.id = s.item"
)
_ERASED = (
    "WITH RECURSIVE above (root, id) AS (SELECT id, id FROM items WHERE id IN ({within}) UNION "
    "SELECT above.root, l.child FROM lineage l JOIN above ON l.parent = above.id "
    "JOIN items i ON i.id = l.child AND i.kind <> 'exchange') "
    "SELECT above.root, above.id FROM above JOIN items i ON i.id = above.id WHERE i.kind <> 'exchange' AND i.dead_at IS NOT NULL"
)
_CITING = (
    "SELECT l.child AS item FROM lineage l JOIN exchanges e ON e.item = l.child WHERE e.kind <> 'said' AND l.parent IN ({within})"
)
_UNRECORDED = (
    "SELECT e.item FROM exchanges e WHERE e.domain = :domain AND e.item > :first AND e.kind = 'reply' "
    "AND (e.speaker = :lyra OR e.session IN ({sessions})) AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.reply = e.item)"
)
