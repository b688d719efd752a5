"""The outbox: every outgoing part, frozen under its key before it is sent.

A part found "attempting" at a start may or may not have arrived: the adapter looks before it sends again under the same
key. A preview shows an answer while it is made; the answer then edits or deletes it, so a leftover preview is never sent
again. Words that must go are blanked here, and parts not yet sent are cancelled.
"""

from collections.abc import Collection, Mapping, Sequence

from memory.journal.parts import OFF_RECORD, TITLE, OutboxRow, Part, UnseenAnswer, outgoing
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import Database, DatabaseAccess, Parameters, Row, Transaction
from memory.store.lineage import bound, pages, placeholders
from memory.types import DAY, Domain


class Outbox:
    """The outgoing and sent parts of one database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def take(
        self, platform: str, place: str, keys: Sequence[str] | None = None, before: int | None = None
    ) -> list[OutboxRow]:
        """Mark a place's waiting parts as attempting and return them in order.

        These are the parts with `keys`, or all; with `before`, only those older than that row. All includes parts whose attempt
        another process did not survive: call it so only where no other process sends. It leaves out previews, which go with the answer.
        """
        if keys is not None and not keys:
            return []
        only = "o.operation <> 'preview'" if keys is None else f"o.state = 'pending' AND o.key IN ({placeholders('p', keys)})"
        if before is not None:
            only += " AND o.id < :before"
        async with self._db.transaction(bounds=Bounds.of(f"outbox {platform} {place}")) as tx:
            rows = await tx.all(
                f"{_SELECT} WHERE o.platform = :platform AND o.place = :place AND o.state IN ('pending', 'attempting') AND {only} "
                "ORDER BY o.id",
                {"platform": platform, "place": place, "before": before, **bound("p", keys or ())},
            )
            await tx.run(
                f"UPDATE outbox SET state = 'attempting' WHERE id IN ({placeholders('k', rows)}) AND state = 'pending'",
                bound("k", (row["id"] for row in rows)),
            )
        return [outgoing(row) for row in rows]

    async def sent(self, row: int, remote_id: str = "", then: str = "", done: str = "send") -> list[OutboxRow]:
        """Record that a part arrived, its platform id and which operation was done; return what to send next, being attempted.

        That is the removal of this part if its words had to go while it was under way, and the part with key `then` if it still
        waits. The text of a part that belongs to no item is blanked: it can quote other domains, where forgetting would not find it.
        """
        async with self._db.transaction(bounds=Bounds()) as tx:
            return await tx.finish(lambda: self._sent(tx, row, remote_id, then, done))

    async def _sent(self, tx: Transaction, row: int, remote_id: str, then: str, done: str) -> list[OutboxRow]:
        rows = await tx.all(
            f"UPDATE outbox SET state = CASE WHEN {_REVOKED} THEN 'pending' ELSE 'sent' END, "
            f"target = CASE WHEN {_REVOKED} AND target = '' THEN key ELSE target END, "
            "remote_id = :remote_id, sent_at = :now WHERE id = :id RETURNING state, key",
            {"id": row, "done": done, "remote_id": remote_id, "now": self._clock.now()},
        )
        await tx.run(f"UPDATE outbox SET text = '' WHERE {_UNFOUND}", {"id": row})
        keys = [one["key"] for one in rows if one["state"] == "pending"] + ([then] if then else [])
        return [found for key in keys if (found := await attempt(tx, key))]

    async def again(self, rows: Sequence[int]) -> None:
        """Return parts that surely did not arrive to pending, so that they are sent again."""
        if not rows:
            return
        async with self._db.transaction(bounds=Bounds()) as tx:
            await tx.run(
                f"UPDATE outbox SET state = 'pending' WHERE id IN ({placeholders('r', rows)}) AND state = 'attempting'",
                bound("r", rows),
            )

    async def cancel(self, rows: Sequence[int]) -> None:
        """Cancel and blank parts that will never go out. Sent parts stay sent."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            await tx.run(
                "UPDATE outbox SET state = 'cancelled', text = '', actions = '' "
                f"WHERE id IN ({placeholders('r', rows)}) AND state <> 'sent'",
                bound("r", rows),
            )

    async def remove(self, row: int) -> None:
        """Turn a part that was to change a message into one that deletes it: its text must not go out."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            await tx.run(
                "UPDATE outbox SET operation = 'delete', text = '', actions = '' WHERE id = :row AND state <> 'sent'",
                {"row": row},
            )

    async def take_back(self, preview: str, key: str) -> None:
        """Queue the removal, under `key`, of a preview that no answer replaces."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            await tx.run(
                "INSERT INTO outbox (domain, platform, place, part, key, operation, target, text, answers, created_at) "
                "SELECT domain, platform, place, 0, :key, 'delete', key, '', answers, :now FROM outbox WHERE key = :preview "
                "ON CONFLICT (key) DO NOTHING",
                {"key": key, "preview": preview, "now": self._clock.now()},
            )

    async def sibling_parts(self, platform: str, remote_id: str) -> list[Row]:
        """Return key, place and `answers` of all parts that stand on a platform and answer what one of them answers."""
        return await self._db.all(
            "SELECT o.key, o.place, o.answers FROM outbox one JOIN outbox o ON o.platform = one.platform AND o.place = one.place "
            "AND o.answers = one.answers WHERE one.platform = :platform AND one.remote_id = :remote_id AND one.answers <> '' "
            "AND o.state = 'sent' AND o.remote_id <> '' AND o.operation IN ('send', 'edit') AND NOT EXISTS (SELECT 1 FROM outbox later "
            "WHERE later.target <> '' AND later.target = o.key AND later.operation = 'delete') ORDER BY o.id",
            {"platform": platform, "remote_id": remote_id},
        )

    async def unseen_answers(self, platform: str, since: int) -> list[UnseenAnswer]:
        """Return the latest answers, begun since an instant, whose words had to go before anybody could read them.

        An answer is left out where something else was sent in its place, since its retraction was explained or answered then.
        """
        rows = await self._db.all(
            "SELECT o.key, o.domain, o.place, o.answers FROM outbox o JOIN items i ON i.id = o.item WHERE o.platform = :platform "
            "AND o.id > (SELECT coalesce(max(id), 0) FROM outbox) - :latest AND o.created_at >= :since AND o.part = 0 "
            "AND o.answers <> '' AND i.dead_at IS NOT NULL AND (o.operation = 'delete' OR o.state = 'cancelled') "
            "AND NOT EXISTS (SELECT 1 FROM outbox later WHERE later.id > o.id AND later.platform = o.platform "
            "AND later.place = o.place AND later.answers = o.answers AND later.part = 0 AND later.operation <> 'delete') ORDER BY o.id",
            {"platform": platform, "since": since, "latest": _LATEST},
        )
        return [UnseenAnswer(row["key"], row["domain"], row["place"], row["answers"]) for row in rows]

    async def previews(self, platform: str) -> list[OutboxRow]:
        """Return the previews of the last week that were begun and not replaced."""
        rows = await self._db.all(
            f"SELECT o.*, {_NOTICE} AS notice, '' AS target_remote FROM outbox o WHERE o.platform = :platform AND o.operation = 'preview' "
            f"AND o.state IN ('sent', 'attempting') AND o.created_at >= :since AND {_LEFT} ORDER BY o.id",
            {"platform": platform, "since": self._clock.now() - _WEEK},
        )
        return [outgoing(row) for row in rows]

    async def waiting(self, platform: str, *, answers: bool = False) -> list[str]:
        """Return the places with waiting parts, apart from previews, longest waiting first; only with parts of `answers`, if asked."""
        rows = await self._db.all(
            f"SELECT place FROM outbox WHERE platform = :platform AND {_WAITING} "
            "AND (CAST(:any AS BIGINT) = 1 OR answers <> '') GROUP BY place ORDER BY min(id)",
            {"platform": platform, "any": int(not answers)},
        )
        return [row["place"] for row in rows]

    async def states(self, keys: Sequence[str]) -> list[str]:
        """Return the states of the parts with these keys: pending, attempting, sent or cancelled."""
        query = f"SELECT state FROM outbox WHERE key IN ({placeholders('k', keys)})"
        return [row["state"] for row in await self._db.all(query, bound("k", keys))]

    async def unsent(self) -> int:
        """Count the parts not yet delivered, apart from previews."""
        row = await self._db.one(f"SELECT count(*) AS n FROM outbox WHERE {_WAITING}")
        return int(row["n"]) if row else 0

    async def blank(self, before: int) -> None:
        """Blank the texts of parts sent before an instant, and cancel older previews that were never sent."""
        due = "text <> '' AND (state = 'sent' AND sent_at < :before OR operation = 'preview' AND created_at < :before)"
        if not await self._db.one(f"SELECT id FROM outbox WHERE {due} LIMIT 1", {"before": before}):
            return
        async with self._db.transaction() as tx:
            await blank_parts(tx, "state = 'sent' AND sent_at < :before", {"before": before})
            await tx.run(
                "UPDATE outbox SET text = '', actions = '', state = 'cancelled' "
                "WHERE operation = 'preview' AND state <> 'sent' AND created_at < :before",
                {"before": before},
            )


async def attempt(tx: Transaction, key: str) -> OutboxRow | None:
    """Mark a pending part as attempting, and return it; None if it is not pending any more."""
    row = await tx.one(_ATTEMPT, {"key": key})
    return outgoing(row) if row else None


async def posts_of_forgotten(db: DatabaseAccess, domain: Domain) -> list[Row]:
    """Return a domain's sent parts that are still on the platform and rest on something forgotten: replies and notices."""
    return await db.all(
        "SELECT o.key, o.platform, o.place FROM outbox o JOIN items i ON i.id = o.item WHERE o.domain = :domain "
        "AND i.dead_at IS NOT NULL AND o.state = 'sent' AND o.remote_id <> '' AND o.operation IN ('send', 'edit') "
        "AND NOT EXISTS (SELECT 1 FROM outbox later WHERE later.target <> '' AND later.target = o.key "
        "AND later.operation = 'delete' AND later.state <> 'cancelled') ORDER BY o.id",
        {"domain": domain.key},
    )


async def taken_away(tx: Transaction, platform: str, place: str, remote_ids: Sequence[str]) -> None:
    """Record, in the caller's transaction, that notices and posts of forgotten replies were removed from a place."""
    for some in pages(remote_ids):
        await tx.run(
            "UPDATE outbox SET remote_id = '' WHERE platform = :platform AND place = :place AND operation IN ('send', 'edit') "
            f"AND remote_id IN ({placeholders('r', some)}) AND remote_id <> '' AND (item IS NULL OR EXISTS (SELECT 1 FROM items "
            "WHERE items.id = outbox.item AND (items.dead_at IS NOT NULL OR items.kind = 'notice')))",
            {"platform": platform, "place": place, **bound("r", some)},
        )


async def queue(
    tx: Transaction, domain: Domain, platform: str, place: str, parts: Sequence[Part], now: int,
    item: int | None = None, answers: str = "", also: Collection[int] = (),
) -> None:  # fmt: skip
    """Queue the parts of an answer, in the caller's transaction; `also` are the domains read beside home."""
    await tx.many(
        "INSERT INTO outbox "
        "(domain, also, item, platform, place, part, key, operation, target, text, actions, form, answers, created_at) VALUES "
        "(:domain, :also, :item, :platform, :place, :part, :key, :operation, :target, :text, :actions, :form, :answers, :now) "
        "ON CONFLICT (key) DO NOTHING",
        (
            {"domain": domain.key, "also": " ".join(map(str, also)), "item": item, "platform": platform, "place": place,
             "part": at, "key": part.key, "operation": part.operation, "target": part.target, "text": part.text,
             "actions": part.actions, "form": part.form, "answers": answers, "now": now}
            for at, part in enumerate(parts)
        ),
    )  # fmt: skip


async def rekey(tx: Transaction, platform: str, places: Mapping[str, str]) -> None:
    """Rename the keys of a platform's places, from old to new."""
    await tx.many(
        "UPDATE outbox SET place = :now WHERE platform = :platform AND place = :before",
        ({"platform": platform, "before": before, "now": now} for before, now in places.items()),
    )


async def name(tx: Transaction, domain: Domain, platform: str, place: str, root: str, key: str, now: int) -> None:
    """Record once, in the caller's transaction, that a place's thread is named after the message with platform id `root`."""
    await tx.run(
        "INSERT INTO outbox (domain, platform, place, part, key, operation, text, form, answers, state, created_at, sent_at) "
        "SELECT :domain, :platform, :place, 0, :key, 'send', '', :form, :root, 'sent', :now, :now WHERE NOT EXISTS "
        f"(SELECT 1 FROM outbox WHERE form = '{TITLE}' AND answers = :root AND platform = :platform)",
        {"domain": domain.key, "platform": platform, "place": place, "key": key, "form": TITLE, "root": root, "now": now},
    )


async def unname(tx: Transaction, condition: str, parameters: Parameters, now: int) -> list[Row]:
    """Queue, in the caller's transaction and once each, the removal of thread names whose rows `o` match an SQL condition.

    Returns the platform and place of each.
    """
    return await tx.all(
        "INSERT INTO outbox (domain, platform, place, part, key, operation, target, text, form, answers, created_at) "
        "SELECT o.domain, o.platform, o.place, 0, 'unname ' || o.key, 'delete', '', '', o.form, '', :now FROM outbox o "
        f"WHERE o.form = 'title' AND o.operation = 'send' AND {condition} ON CONFLICT (key) DO NOTHING RETURNING platform, place",
        {**parameters, "now": now},
    )


async def blank_parts(tx: Transaction, condition: str, parameters: Parameters) -> None:
    """Blank the parts matching an SQL condition, and cancel those not sent, in the caller's transaction.

    A part without text, such as a deletion, has nothing to hide and goes out, unless its text is held off the record. What is
    being attempted may be on the platform: it still has to be removed, a preview by whoever shows it, anything else by a
    deletion that takes its row.
    """
    await tx.run(
        "UPDATE outbox SET text = '', actions = '', "
        "operation = CASE WHEN state = 'attempting' AND operation IN ('send', 'edit') THEN 'delete' ELSE operation END, "
        "state = CASE WHEN state IN ('sent', 'attempting') THEN state ELSE 'cancelled' END "
        # Two lists, as each is found by an index of its own.
        f"WHERE id IN (SELECT id FROM outbox WHERE text <> '' AND ({condition}) UNION ALL "
        f"SELECT id FROM outbox WHERE form = :held AND state IN ('pending', 'attempting') AND ({condition}))",
        {**parameters, "held": OFF_RECORD},
    )


def _without_reply(part: str) -> str:
    return f"({part}.item IS NULL OR EXISTS (SELECT 1 FROM items WHERE items.id = {part}.item AND items.kind = 'notice'))"


NOTICES = _without_reply("outbox")
"""The SQL condition that a part belongs to no stored reply."""
_NOTICE = f"(o.operation <> 'preview' AND {_without_reply('o')})"
_SELECT = f"SELECT o.*, {_NOTICE} AS notice, coalesce(t.remote_id, '') AS target_remote FROM outbox o LEFT JOIN outbox t ON t.key = o.target"
_ATTEMPT = (
    "UPDATE outbox SET state = 'attempting' WHERE key = :key AND state = 'pending' "
    "RETURNING id, key, text, operation, target, actions, form, place, domain, answers, 'pending' AS state, part, created_at, also, "
    f"(operation <> 'preview' AND {NOTICES}) AS notice, "
    "coalesce((SELECT t.remote_id FROM outbox t WHERE t.key = outbox.target), '') AS target_remote"
)
_WAITING = "state IN ('pending', 'attempting') AND operation <> 'preview'"
_REVOKED = "operation = 'delete' AND :done <> 'delete'"
"""The SQL condition that a part was to be removed after its attempt, to do `done`, began."""
_UNFOUND = "id = :id AND state = 'sent' AND operation <> 'preview' AND item IS NULL AND text <> ''"
_WEEK = 7 * DAY
_LATEST = 1_000
"""How many parts are looked through for answers that nobody saw."""
_LEFT = (
    "NOT EXISTS (SELECT 1 FROM outbox later WHERE later.target <> '' AND later.target = o.key "
    "AND later.operation IN ('edit', 'delete') AND later.state <> 'cancelled')"
)

PREVIEW_OF = (
    "(SELECT o.key FROM outbox o WHERE o.platform = i.platform AND o.place = i.place AND o.answers = i.event_id "
    f"AND o.operation = 'preview' AND o.state <> 'cancelled' AND {_LEFT} ORDER BY o.id DESC LIMIT 1)"
)
"""The key of the newest preview for a row of `inbox i` that nothing has replaced yet."""
