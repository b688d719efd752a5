"""What was heard and what is to be said: the inbox, the cursors and the outbox.

T1 commits events and cursor together; an event is finished only in the transaction that stores its answer (T3), which also
queues every part of that answer. A part found "attempting" at start may or may not have arrived: the adapter looks before
it sends again under the same key. The journal is not memory: texts are blanked when an event is done, and a day after a
part was sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.db import Database, Row, Transaction
from memory.lineage import fill, holes
from memory.ports import Clock
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class Event:
    """A platform's event as heard. `place` names the session's place, `payload` is the adapter's own JSON."""

    event_id: str
    place: str
    payload: str


@dataclass(frozen=True, slots=True)
class Heard:
    """An event of the inbox that is not done yet."""

    key: int
    event: Event
    received_at: int
    tries: int


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer, as it goes out: the key makes sending it twice harmless where the platform allows."""

    key: str
    text: str
    operation: str = "send"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A part in the outbox. `unsure` says that an earlier attempt may have arrived."""

    row: int
    part: Part
    place: str
    domain: int
    answers: str
    unsure: bool


class Journal:
    """The inbox, cursors and outbox of one database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def accept(self, platform: str, events: Sequence[Event], stream: str = "", cursor: str = "") -> list[Heard]:
        """T1: commit events and cursor together; return those not heard before."""
        now = self._clock.now()
        fresh: list[Heard] = []
        async with self._db.transaction() as tx:
            for event in events:
                row = await tx.one(
                    "INSERT INTO inbox (platform, place, event_id, payload, received_at) "
                    "VALUES (:platform, :place, :event_id, :payload, :now) "
                    "ON CONFLICT (platform, event_id) DO NOTHING RETURNING id",
                    {"platform": platform, "place": event.place, "event_id": event.event_id,
                     "payload": event.payload, "now": now},
                )  # fmt: skip
                if row:
                    fresh.append(Heard(row["id"], event, now, 0))
            if stream:
                await tx.run(
                    "INSERT INTO cursors (platform, stream, value, moved_at) VALUES (:platform, :stream, :value, :now) "
                    "ON CONFLICT (platform, stream) DO UPDATE SET value = excluded.value, moved_at = excluded.moved_at",
                    {"platform": platform, "stream": stream, "value": cursor, "now": now},
                )
        return fresh

    async def cursor(self, platform: str, stream: str) -> str | None:
        """Return how far a stream was heard, None where it never was."""
        row = await self._db.one(
            "SELECT value FROM cursors WHERE platform = :platform AND stream = :stream",
            {"platform": platform, "stream": stream},
        )
        return row["value"] if row else None

    async def unfinished(self, platform: str, place: str | None = None) -> list[Heard]:
        """Return the events that still wait for their answer, oldest first."""
        rows = await self._db.all(
            "SELECT id, event_id, place, payload, received_at, tries FROM inbox WHERE platform = :platform "
            "AND (:place IS NULL OR place = :place) AND state IN ('new', 'held') ORDER BY id",
            {"platform": platform, "place": place},
        )
        return [_heard(row) for row in rows]

    async def held(self, platform: str, place: str) -> list[int]:
        """Return the events of a place that wait for another try."""
        rows = await self._db.all(
            "SELECT id FROM inbox WHERE platform = :platform AND place = :place AND state = 'held' ORDER BY id",
            {"platform": platform, "place": place},
        )
        return [row["id"] for row in rows]

    async def hold(self, keys: Sequence[int], why: str, most: int | None = None) -> None:
        """Keep events for another try; after `most` tries, where given, they are parked and shown in status."""
        async with self._db.transaction() as tx:
            await tx.run(
                "UPDATE inbox SET tries = tries + 1, note = :why, "
                "state = CASE WHEN :most IS NOT NULL AND tries + 1 >= :most THEN 'parked' ELSE 'held' END "
                f"WHERE id IN ({holes('k', keys)}) AND state IN ('new', 'held')",
                {"why": why, "most": most, **fill("k", keys)},
            )

    async def drop(self, keys: Sequence[int]) -> None:
        """Finish events that need no answer."""
        async with self._db.transaction() as tx:
            await finish(tx, keys)

    async def take(self, platform: str, place: str, keys: Sequence[str] | None = None) -> list[Outgoing]:
        """Mark what waits for a place as being attempted, and return it in order: these parts alone, or everything.

        Everything includes parts whose attempt another process did not outlive: take it only where no other one sends.
        """
        only = f"AND state = 'pending' AND key IN ({holes('p', keys)}) " if keys is not None else ""
        async with self._db.transaction() as tx:
            rows = await tx.all(
                "SELECT id, domain, place, key, operation, text, answers, state FROM outbox WHERE platform = :platform "
                f"AND place = :place AND state IN ('pending', 'attempting') {only}ORDER BY id",
                {"platform": platform, "place": place, **fill("p", keys or ())},
            )
            await tx.run(
                f"UPDATE outbox SET state = 'attempting' WHERE id IN ({holes('k', rows)}) AND state = 'pending'",
                fill("k", (row["id"] for row in rows)),
            )
        return [_outgoing(row) for row in rows]

    async def sent(self, row: int, remote_id: str = "") -> None:
        """Record that a part arrived, and under which id of the platform."""
        async with self._db.transaction() as tx:
            await tx.run(
                "UPDATE outbox SET state = 'sent', remote_id = :remote_id, sent_at = :now WHERE id = :id",
                {"id": row, "remote_id": remote_id, "now": self._clock.now()},
            )

    async def again(self, rows: Sequence[int]) -> None:
        """Record that parts surely did not arrive, so that they are sent again."""
        async with self._db.transaction() as tx:
            await tx.run(
                f"UPDATE outbox SET state = 'pending' WHERE id IN ({holes('r', rows)}) AND state = 'attempting'", fill("r", rows)
            )

    async def blank(self, before: int) -> None:
        """Blank the texts of what was sent before an instant."""
        async with self._db.transaction() as tx:
            await tx.run(
                "UPDATE outbox SET text = '' WHERE state IN ('sent', 'cancelled') AND sent_at < :before AND text <> ''",
                {"before": before},
            )

    async def parked(self) -> int:
        """Count the events that were given up after their last try."""
        row = await self._db.one("SELECT count(*) AS n FROM inbox WHERE state = 'parked'")
        return int(row["n"]) if row else 0


async def finish(tx: Transaction, keys: Sequence[int]) -> None:
    """Mark events done and blank their payloads, in the caller's transaction."""
    await tx.run(f"UPDATE inbox SET state = 'done', payload = '', note = '' WHERE id IN ({holes('k', keys)})", fill("k", keys))


async def queue(
    tx: Transaction, domain: Domain, platform: str, place: str, parts: Sequence[Part], now: int,
    item: int | None = None, answers: str = "",
) -> None:  # fmt: skip
    """Put the parts of an answer into the outbox, in the caller's transaction."""
    await tx.many(
        "INSERT INTO outbox (domain, item, platform, place, part, key, operation, text, answers, created_at) "
        "VALUES (:domain, :item, :platform, :place, :part, :key, :operation, :text, :answers, :now) "
        "ON CONFLICT (key) DO NOTHING",
        (
            {"domain": domain.key, "item": item, "platform": platform, "place": place, "part": at, "key": part.key,
             "operation": part.operation, "text": part.text, "answers": answers, "now": now}
            for at, part in enumerate(parts)
        ),
    )  # fmt: skip


def _heard(row: Row) -> Heard:
    return Heard(row["id"], Event(row["event_id"], row["place"], row["payload"]), row["received_at"], row["tries"])


def _outgoing(row: Row) -> Outgoing:
    part = Part(row["key"], row["text"], row["operation"])
    return Outgoing(row["id"], part, row["place"], row["domain"], row["answers"], row["state"] == "attempting")
