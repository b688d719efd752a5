"""The walk: which replies go along with what is forgotten.

Replies that answer or cite it go; those that had it in view stay only if they hold nothing of it. A reply that goes is
forgotten like the message, so that replies that had it in view are examined in turn; one that stays ends the walk there.
"""

import asyncio
from bisect import bisect_left
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from memory.forget.gone import Gone
from memory.forget.shared_content import content, holding, retelling
from memory.forget.sparing import COMPARED, Nearness, is_comparable
from memory.store.database import DatabaseAccess
from memory.store.domains import domains_of
from memory.store.lineage import bound, paged, pages, placeholders, texts_of
from memory.text.acknowledgements import only_acknowledges
from memory.text.display_names import LYRA
from memory.tiers.messages import seen
from memory.types import Domain, Kind

_EXPLAINING = 200
"""The number of newest items in view whose words count as known without what is forgotten."""

LostTexts = Mapping[int, Sequence[str] | None]
"""What is lost of each item; None if that is unknown, so that no reply can be shown to hold none of it."""


class LostOfReply(NamedTuple):
    """What is lost of something: its words, and the texts with which a reply that says them otherwise is compared."""

    words: Sequence[str]
    meanings: Sequence[str]


_Lost = Mapping[int, LostOfReply | None]


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
    before: frozenset[int]
    """What was said last before it in its conversation, where nothing else is known of its view."""
    cites: frozenset[int]
    answers: frozenset[int]
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
        self._items_of: dict[int, list[int]] = {}
        self._said: set[int] = set()

    async def along(self, domain: Domain, gone: LostTexts) -> set[int]:
        """Return the replies, and the notices, that go along with these items of a domain."""
        going: set[int] = set()
        compared: set[int] = set()
        frontier: Collection[int] = gone
        lost = {item: _alike(texts) for item, texts in (await self._with_digests(gone)).items()}
        while frontier:
            dropped = {*gone, *going, *lost}
            keys = await self._keys_seeing(domain, sorted(lost), {*gone, *going})
            # The text of a notice is not kept: it counts as holding all that it shows, also for replies that had it in view.
            going |= await self._notices(keys)
            found: dict[int, LostOfReply] = {}
            async for reply in self._replies(keys):
                along = await self._goes(
                    reply, gone, lost, {*dropped, *found}, is_new=reply.key not in compared, had_it=frontier is gone
                )
                if along is not None:
                    found[reply.key] = along
                compared.add(reply.key)
            going |= found.keys()
            frontier, lost = found, {**found, **await self._above(found)}
        return going

    async def _goes(
        self, reply: SeenReply, gone: Collection[int], lost: _Lost, dropped: Collection[int], *, is_new: bool, had_it: bool
    ) -> LostOfReply | None:
        """Return what goes on to replies that had this one in view, if it goes with what is lost; None if it stays.

        It cannot have from elsewhere in its view what is `dropped`. Meaning is compared with what is forgotten alone, and once
        (where it `is_new`): each comparison takes a fifth of the innocent along, so that in the end, reply by reply, one
        message would take nearly every answer of a conversation. Likewise, what cannot be compared counts only where a reply
        `had_it` in view itself, or is short and had one that did.
        """
        if await self._only_acknowledges(reply):
            # It goes with what it answers alone, and then passes nothing on.
            return None if reply.answers.isdisjoint(dropped) else LostOfReply([], [])
        had = reply.had(lost)
        known = [of_item for item in had if (of_item := lost[item]) is not None]
        if len(known) < len(had):
            return LostOfReply([reply.text], [reply.text])
        words, meanings = [text for one in known for text in one.words], [text for one in known for text in one.meanings]
        view = sorted(((reply.view or reply.before) | reply.rests).difference(dropped))
        left = [self.edited.text] if self.edited and self.edited.item in had else []
        parts = await asyncio.to_thread(holding, reply.text, words, [*await self._texts(view[-_EXPLAINING:]), *left])
        # What answers or cites a message that stays is spared like any other.
        is_answer = not self.edited and not reply.cites.isdisjoint(gone)
        near = not parts and not is_answer and is_new and await self._is_near(reply.text, meanings, view, left)
        if (is_answer and self.nearness.embedder is None) or (near is None and had_it):
            # What says it in other words may be repeated where it was no longer in view itself.
            parts = parts or await asyncio.to_thread(retelling, reply.text, [*await self._texts(view[-COMPARED:]), *left])
            parts = parts or ([reply.text] if self.edited and self.edited.item in reply.cites else [])
        if parts or is_answer or near:
            return LostOfReply(parts, meanings if parts or had_it or is_comparable(reply.text) else [])
        return None

    async def _only_acknowledges(self, reply: SeenReply) -> bool:
        """Return whether a reply only takes note of statements; what an edited one was before is not known here."""
        if not reply.answers or (self.edited and self.edited.item in reply.answers):
            return False
        asked = await paged(self.db, "SELECT text, speaker FROM exchanges WHERE item IN ({within})", reply.answers)
        texts, speakers = [row["text"] for row in asked], {row["speaker"] for row in asked}
        return len(texts) == len(reply.answers) and only_acknowledges(reply.text, texts, speakers)

    async def _is_near(self, reply: str, texts: Sequence[str], view: Sequence[int], left: Sequence[str]) -> bool | None:
        """Return whether a reply may say in other words what is lost, None if that cannot be measured.

        What is `left` of it after an edit is none of it.
        """
        if not self.edited:
            return await self.nearness.near(reply, texts, await self._texts(view[-COMPARED:]))
        # Mere rewording is as near to the new words as to the old ones.
        taken_out = await asyncio.to_thread(lambda: content("\n".join(texts)) - content("\n".join(left)))
        return bool(taken_out) and await self.nearness.older(reply, texts, left)

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
        found: dict[int, Sequence[str] | None] = {}
        for digest, sources in (await self._sources(_ERASED, frontier)).items():
            known = [texts for source in sources if (texts := frontier[source]) is not None]
            found[digest] = [text for texts in known for text in texts] if len(known) == len(sources) else None
        return found

    async def _above(self, replies: Mapping[int, LostOfReply]) -> dict[int, LostOfReply]:
        """Return the digests and statements above replies that go. What is lost of these stands in for their texts."""
        return {
            digest: LostOfReply(
                [text for source in sources for text in replies[source].words],
                [text for source in sources for text in replies[source].meanings],
            )
            for digest, sources in (await self._sources(_MADE, replies)).items()
        }

    async def _sources(self, statement: str, items: Collection[int]) -> dict[int, list[int]]:
        """Return what a statement finds above these items, with those of them that it is made from."""
        found: dict[int, list[int]] = {}
        for row in await paged(self.db, statement, items):
            found.setdefault(row["id"], []).append(row["root"])
        return found

    async def _keys_seeing(self, domain: Domain, items: Sequence[int], known: Collection[int]) -> list[int]:
        """Return the keys of replies and notices that may have had one of these items in view, but the known, oldest first."""
        found: set[int] = set()
        for there in await domains_of(self.db, items) or [domain]:
            found.update([reply async for reply in seen.replies_that_saw(self.db, there, items)])
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

    async def _replies(self, keys: Sequence[int]) -> AsyncIterator[SeenReply]:
        """Yield the replies with these keys but those that are erased anyway, oldest first."""
        besides = f"AND ({self.besides.where}) IS NOT TRUE " if self.besides else ""
        for some in pages(keys):
            rows = await self.db.all(
                f"SELECT e.item, e.text, e.session, e.speaker FROM exchanges e WHERE e.item IN ({placeholders('k', some)}) AND e.kind <> 'said' {besides}"
                "ORDER BY e.item",
                {**bound("k", some), **(self.besides.parameters if self.besides else {})},
            )
            views = await seen.seen_by(self.db, [row["item"] for row in rows])
            unrecorded = {row["item"] for row in rows if row["item"] not in views and row["speaker"] == LYRA}
            cites, answers, rests = (defaultdict[int, set[int]](set) for _ in range(3))
            for edge in await self.db.all(
                f"SELECT child, parent, cited, answered FROM lineage WHERE child IN ({placeholders('k', some)})", bound("k", some)
            ):
                rests[edge["child"]].add(edge["parent"])
                if edge["answered"]:
                    answers[edge["child"]].add(edge["parent"])
                # Before views were recorded, everything that a reply rested on was cited.
                if edge["cited"] or edge["answered"] or edge["child"] in unrecorded:
                    cites[edge["child"]].add(edge["parent"])
            for row in rows:
                key, view = row["item"], views.get(row["item"])
                earlier = await self._earlier(row["session"], key) if view is None else []
                if view is None and key not in unrecorded:
                    # An imported reply of another assistant had only its own conversation in view, and answers the end of it.
                    view = frozenset(earlier)
                    answers[key] = set(takewhile(self._said.__contains__, reversed(earlier)))
                before = frozenset(earlier[-_EXPLAINING:])
                yield SeenReply(
                    key, row["text"], view, before, frozenset(cites[key]), frozenset(answers[key]), frozenset(rests[key])
                )

    async def _earlier(self, session: int, item: int) -> list[int]:
        """Return the items of a session before an item, oldest first."""
        if session not in self._items_of:
            statement = "SELECT item, kind FROM exchanges WHERE session = :session ORDER BY item"
            rows = await self.db.all(statement, {"session": session})
            self._items_of[session] = [row["item"] for row in rows]
            self._said.update(row["item"] for row in rows if row["kind"] == Kind.SAID)
        items = self._items_of[session]
        return items[: bisect_left(items, item)]

    async def _texts(self, keys: Iterable[int]) -> list[str]:
        """Return the texts of the messages, digests and statements that exist, oldest first."""
        wanted = set(keys)
        for some in pages(sorted(wanted - self._read_before)):
            self._texts_read.update(await texts_of(self.db, some))
        self._read_before |= wanted
        return [self._texts_read[key] for key in sorted(wanted) if key in self._texts_read]


def _alike(texts: Sequence[str] | None) -> LostOfReply | None:
    return None if texts is None else LostOfReply(texts, texts)


_ABOVE = (
    "WITH RECURSIVE above (id) AS (SELECT id FROM items WHERE id IN ({within}) UNION SELECT l.child FROM lineage l "
    "JOIN above ON l.parent = above.id JOIN items i ON i.id = l.child AND i.kind <> 'exchange') "
    "SELECT d.item, d.text FROM digests d JOIN above ON above.id = d.item "
    "UNION ALL SELECT s.item, s.text FROM statements s JOIN above ON above.id = s.item"
)
_MADE = (
    "WITH RECURSIVE above (root, id) AS (SELECT id, id FROM items WHERE id IN ({within}) UNION "
    "SELECT above.root, l.child FROM lineage l JOIN above ON l.parent = above.id "
    "JOIN items i ON i.id = l.child AND i.kind <> 'exchange') "
    "SELECT above.root, above.id FROM above JOIN items i ON i.id = above.id WHERE i.kind <> 'exchange'"
)
_ERASED = _MADE + " AND i.dead_at IS NOT NULL"
_CITING = (
    "SELECT l.child AS item FROM lineage l JOIN exchanges e ON e.item = l.child WHERE e.kind <> 'said' AND l.parent IN ({within})"
)
_UNRECORDED = (
    "SELECT e.item FROM exchanges e WHERE e.domain = :domain AND e.item > :first AND e.kind = 'reply' "
    "AND (e.speaker = :lyra OR e.session IN ({sessions})) AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.reply = e.item)"
)
