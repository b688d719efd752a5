"""What was compared with the platforms' own histories, and since when it is in doubt.

While a platform is connected without a gap, deletes and edits arrive by themselves. After a gap some may be missing: from then
on every message stored before is in doubt, until it has been compared with its place's history. A doubt covers the places whose
key has its prefix: a whole platform, a server, a channel. A mark says how far back the messages of a place were compared, and
when. Asides are compared like stored messages.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memory.ports import Clock
from memory.store.database import Database, Row
from memory.store.lineage import paged
from memory.tiers.messages import asides, seen
from memory.tiers.messages.asides import Aside
from memory.types import BY_COMMAND

Prefix = tuple[str, ...]
"""The prefix of a place's key: (), (server,), (server, channel) or (server, channel, thread)."""
Position = tuple[int, int]
"""The position of a message in its place: when it was said, and its key."""


@dataclass(frozen=True, slots=True)
class PlaceComparison:
    """A comparison of a place's messages at an instant, from the newest back to the one at `through`, by so many requests."""

    at: int
    through: Position
    requests: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A stored message as its platform knows it: `ids` are those of all its parts, none if it does not stand there.

    `own` means that Lyra said it, `aside` that it was only shown and has no text.
    """

    key: int
    text: str
    said_at: int
    stored_at: int
    edited_at: int
    ids: tuple[str, ...]
    own: bool
    aside: bool = False

    @property
    def position(self) -> Position:
        """The position of the message in its place."""
        return self.said_at, self.key


@dataclass(frozen=True, slots=True)
class Support:
    """What a reply, digest or statement rests on, and where that was said.

    `stored` is None for an aside without a recorded position.
    """

    stored: StoredMessage | None
    platform: str = ""
    place: str = ""


def as_seen(aside: Aside) -> StoredMessage:
    """Return an aside that is not stored yet as the message it will become; it has no key."""
    return StoredMessage(0, "", aside.said_at, aside.seen_at, aside.edited_at, (aside.id,), own=False, aside=True)


class ComparisonState:
    """The doubts and marks of one database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def doubt(self, platform: str, prefix: Prefix) -> int:
        """Doubt everything stored at these places by now; return the instant of the doubt."""
        now = self._clock.now()
        async with self._db.transaction() as tx:
            if not prefix:
                await tx.run("DELETE FROM doubts WHERE platform = :platform", {"platform": platform})
            await tx.run(
                "INSERT INTO doubts (platform, prefix, at) VALUES (:platform, :prefix, :at) "
                "ON CONFLICT (platform, prefix) DO UPDATE SET at = excluded.at",
                {"platform": platform, "prefix": json.dumps(prefix), "at": now},
            )
        return now

    async def doubts(self, platform: str) -> dict[Prefix, int]:
        """Return the doubts of a platform, each with its instant."""
        rows = await self._db.all("SELECT prefix, at FROM doubts WHERE platform = :platform", {"platform": platform})
        return {tuple(json.loads(row["prefix"])): row["at"] for row in rows}

    async def mark(self, platform: str, place: str, mark: PlaceComparison) -> None:
        """Record how far back the messages of a place were compared."""
        async with self._db.transaction() as tx:
            await tx.run(
                "INSERT INTO verified (platform, place, at, through_at, through_item, compared) "
                "VALUES (:platform, :place, :at, :through_at, :through_item, :compared) "
                "ON CONFLICT (platform, place) DO UPDATE SET at = excluded.at, through_at = excluded.through_at, "
                "through_item = excluded.through_item, compared = excluded.compared",
                {"platform": platform, "place": place, "at": mark.at, "through_at": mark.through[0],
                 "through_item": mark.through[1], "compared": mark.requests},
            )  # fmt: skip

    async def marks(self, platform: str) -> dict[str, PlaceComparison]:
        """Return the marks of a platform's places, by place."""
        rows = await self._db.all("SELECT * FROM verified WHERE platform = :platform", {"platform": platform})
        return {
            row["place"]: PlaceComparison(row["at"], (row["through_at"], row["through_item"]), row["compared"]) for row in rows
        }  # fmt: skip

    async def places(self, platform: str) -> dict[str, int]:
        """Return the places of a platform that have messages, with the time of the last one, most recent first."""
        rows = await self._db.all(
            "SELECT s.place, max(s.last_at) AS last_at FROM sessions s WHERE s.platform = :platform "
            "AND EXISTS (SELECT 1 FROM exchanges e WHERE e.session = s.id) GROUP BY s.place ORDER BY max(s.last_at) DESC",
            {"platform": platform},
        )
        return {row["place"]: row["last_at"] for row in rows}

    async def before(
        self, platform: str, place: str, position: Position | None, stored_before: int, n: int
    ) -> list[StoredMessage]:
        """Return the last n messages of a place before a position (None: the end), stored before an instant, newest first."""
        sessions = await self._db.all(
            "SELECT id FROM sessions WHERE platform = :platform AND place = :place", {"platform": platform, "place": place}
        )
        at = position or (1 << 62, 0)
        found = await asides.before(self._db, platform, place, at, stored_before, n)
        for session in sessions:
            found += await self._db.all(_BEFORE, {
                "session": session["id"], "stored_before": stored_before, "limit": n, "said_at": at[0], "item": at[1],
            })  # fmt: skip
        found.sort(key=lambda row: (row["said_at"], row["item"]), reverse=True)
        return await self._with_ids(found[:n])

    async def stored(self, items: Sequence[int]) -> list[StoredMessage]:
        """Return those of these messages that are stored, newest first."""
        sql = f"SELECT {_COLUMNS} FROM exchanges WHERE item IN ({{within}}) ORDER BY said_at DESC, item DESC"
        return await self._with_ids(await paged(self._db, sql, items))

    async def supports(self, replies: Sequence[int]) -> dict[int, list[Support]]:
        """Return what these replies rest on that comparing their own place does not cover.

        That is what was shown with the question and not kept, and what they cite from other places.
        """
        found: dict[int, list[Support]] = defaultdict(list)
        shown = await self._asides_of(replies)
        rows = await asides.placed(self._db, frozenset[int]().union(*shown.values()))
        placed = {
            one.key: Support(one, row["platform"], row["place"])
            for row, one in zip(rows, await self._with_ids(rows), strict=True)
        }
        for reply, items in shown.items():
            found[reply] += [placed.get(item, Support(None)) for item in sorted(items, reverse=True)]
        rows = await paged(self._db, _CITED, replies)
        for row, one in zip(rows, await self._with_ids(rows), strict=True):
            found[row["reply"]].append(Support(one, row["platform"], row["place"]))
        return dict(found)

    async def sources(self, derived: Sequence[int]) -> dict[int, list[Support]]:
        """Return the messages that digests and statements were made from directly, newest first; none for messages."""
        rows = await paged(self._db, _SOURCES, derived)
        found: dict[int, list[Support]] = {key: [] for key in derived}
        for row, one in zip(rows, await self._with_ids(rows), strict=True):
            found[row["child"]].append(Support(one, row["platform"], row["place"]))
        return found

    async def _asides_of(self, replies: Sequence[int]) -> dict[int, frozenset[int]]:
        recorded = await seen.asides_of(self._db, replies)
        earlier = await seen.seen_by(self._db, [reply for reply, items in recorded.items() if items is None])
        among = set(await asides.among(self._db, sorted(frozenset[int]().union(*earlier.values())))) if earlier else set()
        return {reply: earlier.get(reply, frozenset()) & among if items is None else items for reply, items in recorded.items()}

    async def _with_ids(self, rows: Sequence[Row]) -> list[StoredMessage]:
        heard = ("said", "aside")
        posted = [row for row in rows if not row["source_id"].endswith(BY_COMMAND)]
        ids: dict[int, list[str]] = {row["item"]: [] for row in rows}
        ids |= {row["item"]: [row["source_id"]] for row in posted if row["kind"] in heard}
        for row in await paged(
            self._db,
            "SELECT DISTINCT item, remote_id FROM outbox WHERE item IN ({within}) AND remote_id <> '' "
            "AND operation <> 'delete' ORDER BY item, remote_id",
            [row["item"] for row in posted if row["kind"] not in heard],
        ):
            ids[row["item"]].append(row["remote_id"])
        return [
            StoredMessage(
                row["item"], row["text"], row["said_at"], row["stored_at"], row["edited_at"], tuple(ids[row["item"]]),
                row["kind"] not in heard, row["kind"] == "aside",
            )
            for row in rows
        ]  # fmt: skip


_COLUMNS = "item, kind, text, source_id, said_at, stored_at, edited_at"
_CITED = (
    "SELECT l.child AS reply, p.item, p.kind, p.text, p.source_id, p.said_at, p.stored_at, p.edited_at, s.platform, s.place "
    "FROM lineage l JOIN exchanges p ON p.item = l.parent JOIN sessions s ON s.id = p.session "
    "JOIN exchanges c ON c.item = l.child JOIN sessions t ON t.id = c.session "
    "WHERE l.child IN ({within}) AND l.cited = 1 AND (s.platform <> t.platform OR s.place <> t.place) ORDER BY l.child, l.parent DESC"
)
_SOURCES = (
    "SELECT l.child, p.item, p.kind, p.text, p.source_id, p.said_at, p.stored_at, p.edited_at, s.platform, s.place "
    "FROM lineage l JOIN items i ON i.id = l.child AND i.kind <> 'exchange' JOIN exchanges p ON p.item = l.parent "
    "JOIN sessions s ON s.id = p.session WHERE l.child IN ({within}) ORDER BY p.said_at DESC, p.item DESC"
)
_BEFORE = (
    f"SELECT {_COLUMNS} FROM exchanges WHERE session = :session "
    "AND (said_at < :said_at OR (said_at = :said_at AND item < :item)) AND stored_at < :stored_before "
    "AND kind IN ('said', 'reply', 'reflection') ORDER BY said_at DESC, item DESC LIMIT :limit"
)
