"""Words that a platform takes back or changes.

Whoever removes or edits a message on the platform decides about it there, so this acts on a place whatever its domain, and
no text comes out. What is taken back is buried like anything forgotten. What is changed keeps its id and its place in the
conversation; its old words leave the index, the digests, and the replies and notices that repeat what the change took out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory import forget
from memory.db import Database, Row, Transaction
from memory.forget import Graveyard
from memory.lexical import key_words
from memory.lineage import Seal, announce, fill, holes, pages
from memory.outbox import silence
from memory.places import read_domain
from memory.ports import Clock
from memory.tiers import exchanges
from memory.types import Domain, Exchange, Forgotten, SessionRef


@dataclass(frozen=True, slots=True)
class Known:
    """What is kept under a platform's ids of a place: messages by public id, and open events by key."""

    ids: set[str]
    messages: set[str]
    events: dict[int, str]


@dataclass(frozen=True, slots=True)
class Changing:
    """Follows what a platform says of messages that were heard."""

    db: Database
    seal: Seal
    graveyard: Graveyard
    clock: Clock

    async def knows(self, platform: str, place: str, ids: Sequence[str]) -> set[str]:
        """Return which messages of a place are stored, wait in the inbox, or went out from here."""
        return (await self._known(platform, place, ids)).ids

    async def withdraw(self, platform: str, place: str, ids: Sequence[str]) -> Forgotten | None:
        """Forget messages that were removed from a place; None, and nothing written, where none of them is kept."""
        known = await self._known(platform, place, ids)
        if not known.messages and not known.events:
            return None
        waiting = await self._names(platform, place, sorted(known.events.values()))
        return await self.graveyard.inter(sorted({*known.messages, *waiting}), sorted(known.events), self.clock.now())

    async def revise(self, platform: str, place: str, id: str, text: str, at: int) -> bool:
        """Give a message the words it has since `at`; return whether anything kept was changed. No words take it back."""
        which = {"platform": platform, "place": place, "id": id, "text": text, "at": at}
        stored = await self.db.all(_SAID, which)
        if stored and all(row["edited_at"] >= at for row in stored):
            return False
        if not text.strip():
            return await self.withdraw(platform, place, [id]) is not None
        given_up = await self.db.all(_GIVEN_UP, which)
        if all(row["text"] == text for row in stored) and not given_up:
            return False
        async with self.db.transaction() as tx:
            for row in await tx.all(_SAID + "AND e.edited_at < :at AND e.text <> :text", which):
                await _change(tx, row, text, at, self.clock.now())
            # What was given up is never answered: its payload would only keep the old words.
            await tx.run(f"UPDATE inbox SET payload = '' WHERE id IN ({holes('g', given_up)})", _ids("g", given_up))
        await self.db.checkpoint()
        return True

    async def _known(self, platform: str, place: str, ids: Sequence[str]) -> Known:
        known = Known(set(), set(), {})
        for some in pages(ids):
            which = {"platform": platform, "place": place, **fill("s", some)}
            within = f"IN ({holes('s', some)})"
            heard = await self.db.all(_KEPT + f"AND e.source_id {within}", which)
            own = await self.db.all(_OWN + f"AND o.remote_id {within}", which)
            waiting = await self.db.all(_OPEN + f"AND event_id {within}", which)
            known.ids.update(row["id"] for row in (*heard, *own, *waiting))
            known.messages.update(row["public_id"] for row in (*heard, *own) if row["public_id"])
            known.events.update((row["key"], row["id"]) for row in waiting)
        return known

    async def _names(self, platform: str, place: str, ids: Sequence[str]) -> list[str]:
        """Return the ids that messages would get in any conversation of a place, so that they meet their tombstones there."""
        rows = await self.db.all(_CONVERSATIONS, {"platform": platform, "place": place})
        return [
            exchanges.public_id(self.seal, read_domain(row).ref, SessionRef(platform, place, row["at_epoch"]), id)
            for row in rows
            for id in ids
        ]


async def _change(tx: Transaction, row: Row, text: str, at: int, now: int) -> None:
    ((domain, _),) = await forget.by_domain(tx, [row["item"]])
    after = replace(exchanges.exchange(row), text=text)
    lost = _words(row["text"]) - _words(text)
    await tx.run(
        "UPDATE exchanges SET text = :text, edited_at = :at WHERE item = :item", {"text": text, "at": at, "item": after.key}
    )
    repeating = await _repeating(tx, after.key, lost)
    above = set(await forget.digests_above(tx, [after.key, *repeating])) - {after.key}
    for there, items in await forget.by_domain(tx, sorted(above)):
        await forget.retire(tx, there, items, now)
        if not set(repeating).isdisjoint(items):
            await forget.drop_what_is_empty(tx, there)
    await tx.run("DELETE FROM refusals WHERE session = :session", {"session": after.session})
    await _silence_notices(tx, domain, lost)
    await _index_anew(tx, domain, after)


async def _repeating(tx: Transaction, item: int, lost: set[str]) -> list[int]:
    """Return the replies that rest on a message, directly or not, and repeat a word that it has lost."""
    found: list[int] = []
    edge = [item] if lost else []
    while edge:
        above = await forget.digests_above(tx, edge)
        rows = await tx.all(
            "SELECT DISTINCT e.item, e.text FROM lineage l JOIN exchanges e ON e.item = l.child "
            f"WHERE l.parent IN ({holes('a', above)})",
            fill("a", above),
        )
        edge = [row["item"] for row in rows if row["item"] not in found and _holds(row["text"], lost)]
        found += edge
    return found


async def _silence_notices(tx: Transaction, domain: Domain, lost: set[str]) -> None:
    rows = await tx.all(
        "SELECT id, text FROM outbox WHERE domain = :domain AND item IS NULL AND text <> ''", {"domain": domain.key}
    )
    repeating = [row for row in rows if _holds(row["text"], lost)]
    await silence(tx, f"id IN ({holes('r', repeating)})", _ids("r", repeating))


async def _index_anew(tx: Transaction, domain: Domain, after: Exchange) -> None:
    for table in ("terms", "vectors"):
        await tx.run(f"DELETE FROM {table} WHERE domain = :domain AND item = :item", {"domain": domain.key, "item": after.key})
    await announce(tx, domain, [after.key], "drop")
    if exchanges.recallable(after):
        await exchanges.index(tx, domain, [after])


def _words(text: str) -> set[str]:
    # A single character is in every second text of a script without spaces.
    return {stem for word, stem in key_words(text).items() if len(word) > 1}


def _holds(text: str, words: set[str]) -> bool:
    return not words.isdisjoint(_words(text))


def _ids(prefix: str, rows: Sequence[Row]) -> dict[str, object]:
    return dict(fill(prefix, (row["id"] for row in rows)))


_HERE = "WHERE s.platform = :platform AND s.place = :place "
_KEPT = (
    "SELECT e.source_id AS id, i.public_id FROM sessions s JOIN exchanges e ON e.session = s.id "
    f"JOIN items i ON i.id = e.item {_HERE}"
)
_OWN = (
    "SELECT o.remote_id AS id, i.public_id FROM outbox o LEFT JOIN items i ON i.id = o.item AND i.dead_at IS NULL "
    "WHERE o.platform = :platform AND o.place = :place AND o.remote_id <> '' "
)
_OPEN = "SELECT event_id AS id, id AS key FROM inbox WHERE platform = :platform AND place = :place AND state <> 'done' "
_SAID = exchanges.SELECT + f"JOIN sessions s ON s.id = e.session {_HERE}AND e.source_id = :id AND e.kind = 'said' "
_GIVEN_UP = (
    "SELECT id FROM inbox WHERE platform = :platform AND place = :place AND event_id = :id AND state = 'parked' AND payload <> ''"
)
_CONVERSATIONS = (
    "SELECT d.*, k.epoch AS at_epoch FROM (SELECT domain, epoch FROM sessions WHERE platform = :platform AND place = :place "
    "UNION SELECT domain, epoch FROM stays WHERE platform = :platform AND place = :place) AS k JOIN domains d ON d.id = k.domain"
)
