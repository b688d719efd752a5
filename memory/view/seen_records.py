"""What Lyra's answers had in view, taken along from one memory into another: read for an export, and kept on import."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.forget import tombstones
from memory.store.database import Transaction
from memory.store.lineage import add_items, derive, mark_dead, paged
from memory.text.display_names import LYRA
from memory.text.sanitize import clean
from memory.tiers import exchanges
from memory.tiers.messages import known, seen
from memory.transfer.seen_record import MessageIds, SeenItems, SeenRecord
from memory.types import Exchange, Kind, Session
from memory.view.binding import ViewPart

_MADE = (
    "SELECT i.id, i.public_id FROM items i LEFT JOIN exchanges e ON e.item = i.id WHERE i.id IN ({within}) "
    "AND i.domain = :home AND (i.kind NOT IN ('exchange', 'aside') OR e.kind = 'reflection')"
)
_DIGEST = "digest"
"""The kind of items that stand for digests of another memory: like erased ones, they have no words, only their sources."""
_EDGES = "SELECT child, parent, cited, answered FROM lineage WHERE child IN ({within})"


@dataclass
class ViewsExport:
    """The state of an export of one home: what was looked up of items in view, and which digests its lines hold already, wholly or `partly`.

    `lines` maps messages to conversation and id, `ids` what was made of them to public ids, and `below` to what that rests on.
    """

    names: Mapping[int, str]
    told: set[int] = field(default_factory=set)
    partly: dict[int, frozenset[int]] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    lines: dict[int, tuple[str, str]] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    below: dict[int, frozenset[int]] = field(default_factory=dict)

    def messages(self, items: Iterable[int]) -> MessageIds:
        """Return the messages among these items that have a line in the export."""
        found = defaultdict[str, list[str]](list)
        for session, id_ in (self.lines[item] for item in sorted(items) if item in self.lines):
            found[session].append(id_)
        return {session: tuple(ids) for session, ids in found.items()}

    def items(self, items: Collection[int]) -> SeenItems:
        """Return these items as a file names them."""
        return SeenItems(self.messages(items), tuple(self.ids[item] for item in sorted(items) if item in self.ids))

    def made_from(self, items: Iterable[int], before: int) -> dict[str, SeenItems]:
        """Return what the digests in view of an answer, and those beneath them, were made from by then, as far as no line told it.

        `before` is the key of the answer: what a statement rests on grows as it is heard again.
        """
        reached: set[int] = set()
        left = set(items)
        while left := (left & self.ids.keys()) - self.told - reached:
            reached |= left
            left = set().union(*(self.below[item] for item in left))
        fresh: dict[str, SeenItems] = {}
        for item in sorted(reached):
            by_then = frozenset(one for one in self.below[item] if one < before)
            if item not in self.partly or by_then - self.partly[item]:
                fresh[self.ids[item]] = self.items(by_then - self.partly.get(item, frozenset()))
            self.partly[item] = by_then
        growing = {item for item in reached if self.partly[item] != self.below[item]}
        while more := {item for item in reached - growing if self.below[item] & growing}:
            growing |= more
        self.told |= reached - growing
        return fresh


class SeenRecords(ViewPart):
    """The records of what answers at one home had in view."""

    async def export(self) -> ViewsExport:
        """Begin an export of home."""
        return ViewsExport({session.key: session.name for session in await self._binding.sessions()})

    async def read(self, messages: Sequence[Exchange], export: ViewsExport) -> dict[int, SeenRecord]:
        """Return what the answers among these messages had in view, by key; the messages are given in the order of their lines.

        An answer is missing if that was not recorded, or if something of another domain was in view as well.
        """
        replies = [one.key for one in messages if one.kind is Kind.REPLY and one.speaker == LYRA]
        abroad = {row["reply"] for row in await paged(self._db, "SELECT reply FROM abroad WHERE reply IN ({within})", replies)}
        views = {reply: items for reply, items in (await seen.seen_by(self._db, replies)).items() if reply not in abroad}
        cited, answered = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for row in await paged(self._db, _EDGES, sorted(views)):
            # In place of a digest that is gone, an answer rests on messages that were not in view themselves.
            views[row["child"]] |= {row["parent"]}
            cited[row["child"]].update([row["parent"]] if row["cited"] else [])
            answered[row["child"]].update([row["parent"]] if row["answered"] else [])
        await self._look_up(export, frozenset().union(*views.values()))
        return {
            reply: SeenRecord(
                export.items(views[reply]), export.messages(cited[reply]), export.messages(answered[reply]),
                export.made_from(views[reply], reply),
            )
            for reply in sorted(views)
        }  # fmt: skip

    async def _look_up(self, export: ViewsExport, items: Collection[int]) -> None:
        """Learn what these items are and, down to the messages, what those that were made from others rest on."""
        while unknown := sorted(set(items) - export.known):
            export.known.update(unknown)
            for key, there in (await exchanges.at_their_places(self._db, self._domains, unknown)).items():
                message = there.exchange
                if message.domain == self._home.key and message.kind is not Kind.REFLECTION:
                    export.lines[key] = clean(export.names.get(message.session, "")), clean(message.source_id)
            made = await paged(self._db, _MADE, unknown, {"home": self._home.key})
            export.ids.update((row["id"], row["public_id"]) for row in made)
            below = {key: set(items) for key, items in (await seen.seen_by(self._db, [row["id"] for row in made])).items()}
            for row in await paged(self._db, _EDGES, [row["id"] for row in made]):
                below.setdefault(row["child"], set()).add(row["parent"])
            export.below.update((row["id"], frozenset(below.get(row["id"], ()))) for row in made)
            items = frozenset().union(*(export.below[row["id"]] for row in made))

    async def needing(self, session: Session, records: Mapping[str, SeenRecord]) -> set[str]:
        """Return the ids in a session of those of these answers that are not stored yet."""
        names = {self._message(session, id_): id_ for id_ in records}
        stored = await paged(self._db, "SELECT public_id FROM items WHERE public_id IN ({within})", list(names))
        return set(records) - {names[row["public_id"]] for row in stored}

    async def keep_digests(self, made_from: Mapping[str, SeenItems], sessions: Mapping[str, Session]) -> dict[str, bool]:
        """Keep what digests of another memory were made from, as of erased ones, but for those of which that is not fully known.

        `sessions` are the conversations of the file by name. What a digest was made from is stored before; what is told of one that
        is kept already is added to it. Return those of which that is not fully known, and whether each is kept all the same.
        """
        async with self._binding.writing() as tx:
            left = dict(made_from)
            messages = await self._messages(tx, sessions, [items.messages for items in left.values()])
            while left:
                below = await self._digests(tx, {*left, *(id_ for items in left.values() for id_ in items.digests)})
                ready = {id_: found for id_, items in left.items() if (found := _all(items, messages, below)) is not None}
                if not ready:
                    return {id_: id_ in below for id_ in left}
                fresh = [id_ for id_ in ready if id_ not in below]
                keys = await add_items(tx, self._home, _DIGEST, [self._digest(id_) for id_ in fresh])
                below.update(zip(fresh, keys, strict=True))
                for id_, items in ready.items():
                    await derive(tx, below[id_], items)
                await mark_dead(tx, keys, self._binding.now())
                left = {id_: items for id_, items in left.items() if id_ not in ready}
            return {}

    async def keep(self, records: Mapping[int, SeenRecord], sessions: Mapping[str, Session]) -> None:
        """Record what answers that were just stored had in view; not for one that names something unknown here, or stored later.

        Of such an answer nothing is recorded: it counts as having had in view all that was earlier.
        """
        async with self._binding.writing() as tx:
            named = [ids for record in records.values() for ids in (record.items.messages, record.cited, record.answered)]
            messages = await self._messages(tx, sessions, named)
            digests = await self._digests(tx, {id_ for record in records.values() for id_ in record.items.digests})
            for reply, record in records.items():
                items = _all(record.items, messages, digests)
                cited, answered = (_all(SeenItems(ids), messages, {}) for ids in (record.cited, record.answered))
                if items is None or cited is None or answered is None or max(items | cited | answered, default=0) >= reply:
                    continue
                await derive(tx, reply, cited | answered, cited, answered)
                await seen.keep(tx, self._home, reply, items | cited | answered, (), {})

    async def _messages(
        self, tx: Transaction, sessions: Mapping[str, Session], named: Iterable[MessageIds]
    ) -> dict[tuple[str, str], int | None]:
        """Return the items of the messages named that are here, None for those that are forgotten."""
        wanted = {
            (name, id_): self._message(sessions[name], id_)
            for ids in named
            for name, some in ids.items()
            if name in sessions
            for id_ in some
        }
        ids = set(wanted.values())
        living = await paged(tx, "SELECT id, public_id FROM items WHERE public_id IN ({within}) AND dead_at IS NULL", sorted(ids))
        items: dict[str, int | None] = dict.fromkeys(await tombstones.among(tx, sorted(ids)))
        items |= {row["public_id"]: row["id"] for row in living}
        return {message: items[id_] for message, id_ in wanted.items() if id_ in items}

    async def _digests(self, tx: Transaction, ids: Collection[str]) -> dict[str, int]:
        named = {self._digest(id_): id_ for id_ in ids}
        rows = await paged(tx, "SELECT id, public_id FROM items WHERE public_id IN ({within})", sorted(named))
        return {named[row["public_id"]]: row["id"] for row in rows}

    def _message(self, session: Session, id_: str) -> str:
        return known.public_id(self._binding.seal, self._home.ref, session.ref, id_)

    def _digest(self, id_: str) -> str:
        return self._binding.seal.id(self._home.ref, _DIGEST, id_)


def _all(items: SeenItems, messages: Mapping[tuple[str, str], int | None], digests: Mapping[str, int]) -> set[int] | None:
    """Return what stands for these items here, without what is forgotten; None if one of them is unknown."""
    named = [(session, id_) for session, ids in items.messages.items() for id_ in ids]
    if not all(one in messages for one in named) or not all(one in digests for one in items.digests):
        return None
    found = (messages[one] for one in named)
    return {item for item in found if item is not None} | {digests[one] for one in items.digests}
