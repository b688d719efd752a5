"""The walk: which replies go along with what is forgotten.

Replies that answer or cite it go; those that had it in view stay only if they hold nothing of it. A reply that goes is
forgotten like the message, so that replies that had it in view are examined in turn; one that stays ends the walk there.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.forget.gone import Gone
from memory.forget.sparing import COMPARED, Nearness, content, holding, shares
from memory.store.database import DatabaseAccess, Row
from memory.store.domains import domains_of
from memory.store.lineage import bound, paged, pages, placeholders, texts_of
from memory.text.display_names import LYRA
from memory.tiers.messages import seen
from memory.types import Domain

_EXPLAINING = 200
"""The number of newest items in view whose words count as known without what is forgotten."""

LostTexts = Mapping[int, Sequence[str] | None]
"""What is lost of each item; None if that is unknown, so that no reply can be shown to hold none of it."""


class EditedMessage(NamedTuple):
    """A message that stays, and its text since the edit."""

    item: int
    text: str


@dataclass(frozen=True, slots=True)
class SeenReply:
    """A reply that may go: what it had in view (None: not recorded), what it answers or cites, and what it rests on.

    It also rests on the messages of cited digests that no longer exist.
    """

    key: int
    text: str
    view: frozenset[int] | None
    cites: frozenset[int]
    rests: frozenset[int]

    def had(self, items: Collection[int]) -> list[int]:
        """Return which of these items it had in view; one of Lyra's from before views were recorded had all earlier ones."""
        if self.view is None:
            return [item for item in items if item < self.key or item in self.rests]
        return [item for item in items if item in self.view or item in self.rests]


@dataclass
class AffectedReplies:
    """One walk: from a message that was `edited`, or from messages that go, `besides` which all of that is erased anyway."""

    db: DatabaseAccess
    nearness: Nearness
    edited: EditedMessage | None = None
    besides: Gone | None = None

    def __post_init__(self) -> None:
        self._texts_read: dict[int, str] = {}
        self._read_before: set[int] = set()
        self._said_in: dict[int, list[int]] = {}

    async def along(self, domain: Domain, gone: LostTexts) -> set[int]:
        """Return the replies, and the notices, that go along with these items of a domain."""
        going: set[int] = set()
        frontier = gone
        while frontier:
            lost = await self._with_digests(frontier)
            dropped = {*gone, *going, *lost}
            keys = await self._keys_seeing(domain, sorted(lost), {*gone, *going})
            # The text of a notice is not kept: it counts as holding all that it shows, for replies that had it in view as well.
            going |= await self._notices(keys)
            found: dict[int, str] = {}
            for reply in await self._replies(keys):
                if await self._goes(reply, frontier, lost, {*dropped, *found}):
                    found[reply.key] = reply.text
            going |= found.keys()
            # The parts of a reply that hold nothing of what is forgotten take no others along.
            texts = [text for of_item in lost.values() for text in of_item or ()]
            frontier = {key: await asyncio.to_thread(holding, text, texts) for key, text in found.items()}
        return going

    async def _goes(self, reply: SeenReply, frontier: Collection[int], lost: LostTexts, dropped: Collection[int]) -> bool:
        """Return whether a reply goes with what is lost, given all that it can no longer have from elsewhere in its view."""
        # What answers or cites a message that stays is spared like any other.
        if not self.edited and not reply.cites.isdisjoint(frontier):
            return True
        had = reply.had(lost)
        texts: list[str] = []
        for item in had:
            if (of_item := lost[item]) is None:
                return True
            texts += of_item
        view = sorted(((reply.view or frozenset()) | reply.rests).difference(dropped))
        left = [self.edited.text] if self.edited and self.edited.item in had else []
        if await asyncio.to_thread(shares, reply.text, texts, [*await self._texts(view[-_EXPLAINING:]), *left]):
            return True
        if not self.edited:
            return await self.nearness.near(reply.text, texts, await self._texts(view[-COMPARED:]))
        # Mere rewording is as near to the new words as to the old ones.
        taken_out = await asyncio.to_thread(lambda: content("\n".join(texts)) - content("\n".join(left)))
        return bool(taken_out) and await self.nearness.older(reply.text, texts, left)

    async def _with_digests(self, frontier: LostTexts) -> dict[int, Sequence[str] | None]:
        """Return the frontier with the digests and statements above it, each with those of its lines that rest on the frontier.

        The text of erased ones is unknown: the texts of their sources stand in.
        """
        found = {**frontier, **await self._erased_above(frontier)}
        above = await paged(self.db, _ABOVE, frontier)
        below = {*frontier, *(row["item"] for row in above)}
        lines: dict[int, set[int]] = {}
        for row in await paged(
            self.db, "SELECT digest, line, item FROM cites WHERE digest IN ({within})", [row["item"] for row in above]
        ):
            if row["item"] in below:
                lines.setdefault(row["digest"], set()).add(row["line"])
        for row in above:
            text, cited = str(row["text"]).split("\n"), lines.get(row["item"])
            found[row["item"]] = [line for at, line in enumerate(text) if cited is None or at in cited] or None
        return found

    async def _erased_above(self, frontier: LostTexts) -> dict[int, Sequence[str] | None]:
        roots: dict[int, list[int]] = {}
        for row in await paged(self.db, _ERASED, frontier):
            roots.setdefault(row["id"], []).append(row["root"])
        found: dict[int, Sequence[str] | None] = {}
        for digest, sources in roots.items():
            known = [texts for source in sources if (texts := frontier[source]) is not None]
            found[digest] = [text for texts in known for text in texts] if len(known) == len(sources) else None
        return found

    async def _keys_seeing(self, domain: Domain, items: Sequence[int], known: Collection[int]) -> list[int]:
        """Return the keys of replies and notices that may have had one of these items in view, but the known, oldest first."""
        found: set[int] = set()
        for there in await domains_of(self.db, items) or [domain]:
            found.update([reply async for reply in seen.by(self.db, there, items)])
        said = await paged(self.db, "SELECT DISTINCT session FROM exchanges WHERE item IN ({within})", items)
        sessions = sorted({row["session"] for row in said})
        unrecorded = await self.db.all(
            _UNRECORDED.format(sessions=placeholders("s", sessions)),
            {"domain": domain.key, "first": items[0], "lyra": LYRA, **bound("s", sessions)},
        )
        found.update(row["item"] for row in (*await paged(self.db, _CITING, items), *unrecorded))
        return sorted(found.difference(known))

    async def _notices(self, keys: Sequence[int]) -> set[int]:
        """Return which of these keys are those of notices."""
        notices = "SELECT id FROM items WHERE id IN ({within}) AND kind = 'notice' AND dead_at IS NULL"
        return {row["id"] for row in await paged(self.db, notices, keys)}

    async def _replies(self, keys: Sequence[int]) -> list[SeenReply]:
        """Return the replies with these keys but those that are erased anyway, oldest first."""
        besides = f"AND ({self.besides.where}) IS NOT TRUE " if self.besides else ""
        rows = await paged(
            self.db,
            f"SELECT e.item, e.text, e.session, e.speaker FROM exchanges e WHERE e.item IN ({{within}}) AND e.kind <> 'said' {besides}"
            "ORDER BY e.item",
            keys,
            self.besides.parameters if self.besides else {},
        )
        views = await self._views(rows)
        cites, rests = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for edge in await paged(self.db, "SELECT child, parent, cited, answered FROM lineage WHERE child IN ({within})", keys):
            rests[edge["child"]].add(edge["parent"])
            # Before views were recorded, everything that a reply rested on was cited.
            if edge["cited"] or edge["answered"] or edge["child"] not in views:
                cites[edge["child"]].add(edge["parent"])
        return [
            SeenReply(at, row["text"], views.get(at), frozenset(cites[at]), frozenset(rests[at]))
            for at, row in ((row["item"], row) for row in rows)
        ]

    async def _views(self, replies: Sequence[Row]) -> dict[int, frozenset[int]]:
        """Return what each reply had in view; those of Lyra's from before that was recorded are missing."""
        found = await seen.of(self.db, [row["item"] for row in replies])
        for row in replies:
            # An imported reply of another assistant had only its own conversation in view.
            if row["item"] not in found and row["speaker"] != LYRA:
                found[row["item"]] = await self._earlier(row["session"], row["item"])
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
            self._texts_read.update(await texts_of(self.db, some))
        self._read_before |= wanted
        return [self._texts_read[key] for key in sorted(wanted) if key in self._texts_read]


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
