"""The inbox: every event as heard, until it is answered, and the cursor of each stream."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.journal.outbox import PREVIEW_OF
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import Database, Parameters, Transaction
from memory.store.lineage import bound, pages, placeholders


@dataclass(frozen=True, slots=True)
class Event:
    """A platform's event as heard. `place` names the session's place, `payload` is the adapter's own JSON."""

    event_id: str
    place: str
    payload: str


@dataclass(frozen=True, slots=True)
class InboxEvent:
    """An inbox event that is not done yet."""

    key: int
    event: Event
    received_at: int
    tries: int
    why: str = ""
    """Why it is held for another try, '' if it was not tried yet."""


@dataclass(frozen=True, slots=True)
class OpenEvents:
    """Waiting events: payloads, and the keys of previews left by a kill, by event; and the platform ids of those held for
    another try."""

    payloads: dict[int, str]
    previews: dict[int, str]
    held: dict[int, str]


def around(place: str) -> Parameters:
    """Return the bounds `from` and `to` of the keys of all threads in a place's channel."""
    channel = json.dumps(json.loads(place)[:-1], ensure_ascii=False).removesuffix("]")
    return {"from": f"{channel}, ", "to": f"{channel}-"}


_AT_ONCE = 100
"""Events per INSERT: with one statement each, a burst would block the writer for as many turns."""

_PLACES_BESIDE = 8
"""Places and streams of one commit that are locked one by one."""


class Inbox:
    """The events and cursors of one database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def accept(self, platform: str, events: Sequence[Event], cursors: Mapping[str, str] = {}) -> list[InboxEvent]:
        """T1: commit events and cursors (by stream) together; return the events not heard before."""
        now = self._clock.now()
        # Other writers can wait; a platform whose events are not taken does not.
        async with self._db.transaction(first=True, bounds=in_commit_order(platform, events, cursors)) as tx:
            return await tx.finish(lambda: _accept(tx, platform, events, cursors, now))

    async def cursors(self, platform: str) -> dict[str, str]:
        """Return the cursor of each stream of a platform."""
        rows = await self._db.all("SELECT stream, value FROM cursors WHERE platform = :platform", {"platform": platform})
        return {row["stream"]: row["value"] for row in rows}

    async def move(self, platform: str, cursors: Mapping[str, str]) -> None:
        """Move cursors without events, for streams that brought nothing to keep."""
        async with self._db.transaction(bounds=in_commit_order(platform, (), cursors)) as tx:
            await _move(tx, platform, cursors, self._clock.now())

    async def unfinished(self, platform: str, place: str | None = None) -> list[InboxEvent]:
        """Return the events still waiting for an answer, oldest first."""
        return await self._waiting("(CAST(:place AS TEXT) IS NULL OR place = :place)", {"platform": platform, "place": place})

    async def unfinished_around(self, platform: str, place: str) -> list[InboxEvent]:
        """Return the events still waiting for an answer in any thread of a place's channel, oldest first."""
        return await self._waiting("place >= :from AND place < :to", {"platform": platform, **around(place)})

    async def _waiting(self, where: str, parameters: Parameters) -> list[InboxEvent]:
        rows = await self._db.all(
            "SELECT id, event_id, place, payload, received_at, tries, note FROM inbox WHERE platform = :platform "
            f"AND {where} AND state IN ('new', 'held') ORDER BY id",
            parameters,
        )
        return [
            InboxEvent(
                row["id"], Event(row["event_id"], row["place"], row["payload"]), row["received_at"], row["tries"], row["note"]
            )
            for row in rows
        ]

    async def open_payloads(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the current payloads of those events that still wait for an answer."""
        return (await self.open_events(keys)).payloads

    async def open_events(self, keys: Sequence[int], platform: str = "", place: str = "") -> OpenEvents:
        """Return the current state of those events that still wait for an answer; with a place, also its held events.

        Both in one read, as every turn begins with it.
        """
        rows = await self._db.all(
            f"SELECT 1 AS is_asked_for, i.id, i.event_id, i.payload, {PREVIEW_OF} AS preview FROM inbox i "
            f"WHERE i.id IN ({placeholders('k', keys)}) AND i.state IN ('new', 'held') UNION ALL "
            "SELECT 0 AS is_asked_for, id, event_id, '' AS payload, NULL AS preview FROM inbox "
            "WHERE platform = :platform AND place = :place AND state = 'held' ORDER BY id",
            {"platform": platform, "place": place, **bound("k", keys)},
        )
        waiting = [row for row in rows if row["is_asked_for"]]
        return OpenEvents(
            {row["id"]: row["payload"] for row in waiting if row["payload"]},
            {row["id"]: row["preview"] for row in waiting if row["preview"]},
            {row["id"]: row["event_id"] for row in rows if not row["is_asked_for"]},
        )

    async def replace(self, platform: str, event_id: str, payload: str) -> bool:
        """Replace the payload of an event that is not done; return whether there is one."""
        event = {"platform": platform, "event_id": event_id}
        if not await self._db.one(f"SELECT id FROM inbox {_NOT_DONE}", event):
            return False
        async with self._db.transaction(bounds=Bounds()) as tx:
            row = await tx.one(f"UPDATE inbox SET payload = :payload {_NOT_DONE} RETURNING id", {**event, "payload": payload})
        return row is not None

    async def waiting_platforms(self) -> list[str]:
        """Return the platforms with events still waiting for an answer."""
        rows = await self._db.all("SELECT DISTINCT platform FROM inbox WHERE state IN ('new', 'held') ORDER BY platform")
        return [row["platform"] for row in rows]

    async def held_places(self, platform: str) -> dict[str, set[str]]:
        """Return the places with held events, longest waiting first, each with why its events are held."""
        rows = await self._db.all(
            "SELECT place, note FROM inbox WHERE platform = :platform AND state = 'held' ORDER BY id", {"platform": platform}
        )
        places: dict[str, set[str]] = {}
        for row in rows:
            places.setdefault(row["place"], set()).add(row["note"])
        return places

    async def hold(self, keys: Sequence[int], why: str, most: int | None = None) -> None:
        """Hold events for another try; after `most` tries, if given, park them, to be shown in status.

        Tries without a limit count as one together: an outage of hours uses up nothing of a limit that is met later. Parked
        events are never answered, so their payloads are blanked.
        """
        async with self._db.transaction(bounds=Bounds()) as tx:
            counted = "CASE WHEN tries > 0 THEN tries ELSE 1 END" if most is None else "tries + 1"
            await tx.run(
                f"UPDATE inbox SET tries = {counted}, note = :why, "
                "state = CASE WHEN tries + 1 >= :most THEN 'parked' ELSE 'held' END, "
                "payload = CASE WHEN tries + 1 >= :most THEN '' ELSE payload END "
                f"WHERE id IN ({placeholders('k', keys)}) AND state IN ('new', 'held')",
                {"why": why, "most": most, **bound("k", keys)},
            )

    async def drop(self, keys: Sequence[int]) -> None:
        """Finish events that need no answer."""
        if not keys:
            return
        async with self._db.transaction(bounds=Bounds()) as tx:
            await finish(tx, keys)

    async def parked(self) -> int:
        """Count the parked events, which were given up after their last try."""
        row = await self._db.one("SELECT count(*) AS n FROM inbox WHERE state = 'parked'")
        return int(row["n"]) if row else 0

    async def open_counts(self) -> dict[str, int]:
        """Count the unanswered events by state, new or held."""
        rows = await self._db.all("SELECT state, count(*) AS n FROM inbox WHERE state IN ('new', 'held') GROUP BY state")
        return {"new": 0, "held": 0} | {row["state"]: row["n"] for row in rows}


async def finish(tx: Transaction, keys: Sequence[int]) -> None:
    """Mark events done and blank their payloads, in the caller's transaction."""
    await tx.run(
        f"UPDATE inbox SET state = 'done', payload = '', note = '' WHERE id IN ({placeholders('k', keys)})", bound("k", keys)
    )


async def rekey(tx: Transaction, platform: str, places: Mapping[str, str]) -> None:
    """Rename the keys of a platform's places, from old to new."""
    await tx.many(
        "UPDATE inbox SET place = :now WHERE platform = :platform AND place = :before",
        ({"platform": platform, "before": before, "now": now} for before, now in places.items()),
    )


async def blank(tx: Transaction, keys: Sequence[int]) -> None:
    """Blank the payloads of events that will never be answered."""
    await tx.run(f"UPDATE inbox SET payload = '' WHERE id IN ({placeholders('k', keys)})", bound("k", keys))


async def finish_kept(tx: Transaction, items: Sequence[int]) -> None:
    """Finish and blank the events in which these messages were heard."""
    await tx.run(
        "UPDATE inbox SET state = 'done', payload = '' WHERE state <> 'done' AND id IN (SELECT heard.id FROM exchanges e "
        "JOIN sessions s ON s.id = e.session JOIN inbox heard ON heard.platform = s.platform AND heard.event_id = e.source_id "
        f"WHERE e.item IN ({placeholders('i', items)}))",
        bound("i", items),
    )


async def _move(tx: Transaction, platform: str, cursors: Mapping[str, str], now: int) -> None:
    await tx.many(
        "INSERT INTO cursors (platform, stream, value, moved_at) VALUES (:platform, :stream, :value, :now) "
        "ON CONFLICT (platform, stream) DO UPDATE SET value = excluded.value, moved_at = excluded.moved_at",
        ({"platform": platform, "stream": stream, "value": value, "now": now} for stream, value in cursors.items()),
    )


def in_commit_order(platform: str, events: Sequence[Event], cursors: Mapping[str, str]) -> Bounds:
    """Return the bounds under which the event numbers of a place, and the cursors of a stream, follow the order of commits.

    A transaction with events of many places runs alone.
    """
    names = {f"inbox {platform} {event.place}" for event in events} | {f"cursor {platform} {stream}" for stream in cursors}
    everywhere = f"inbox {platform}"
    return Bounds.of(*names, rests_on=[everywhere]) if len(names) <= _PLACES_BESIDE else Bounds.of(everywhere)


_NOT_DONE = "WHERE platform = :platform AND event_id = :event_id AND state <> 'done'"


async def _accept(
    tx: Transaction, platform: str, events: Sequence[Event], cursors: Mapping[str, str], now: int
) -> list[InboxEvent]:
    """Move cursors and insert events in order; return those not heard before."""
    await _move(tx, platform, cursors, now)
    return [one for some in pages(events, _AT_ONCE) for one in await _insert(tx, platform, some, now)]


async def _insert(tx: Transaction, platform: str, events: Sequence[Event], now: int) -> list[InboxEvent]:
    values = ", ".join(f"(:platform,:p{at},:e{at},:b{at},:now)" for at in range(len(events)))
    rows = await tx.all(
        f"INSERT INTO inbox (platform, place, event_id, payload, received_at) VALUES {values} "
        "ON CONFLICT (platform, event_id) DO NOTHING RETURNING id, event_id",
        {
            "platform": platform,
            "now": now,
            **bound("p", [one.place for one in events]),
            **bound("e", [one.event_id for one in events]),
            **bound("b", [one.payload for one in events]),
        },
    )
    by_id = {one.event_id: one for one in reversed(events)}
    return [InboxEvent(row["id"], by_id[row["event_id"]], now, 0) for row in sorted(rows, key=lambda row: int(row["id"]))]
