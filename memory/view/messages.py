"""What is said at home: conversations, messages as they were said, and Lyra's posts."""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence

from memory.forget.gone import shown
from memory.journal import outbox
from memory.journal.parts import Part
from memory.places import identities
from memory.places.confidences import common
from memory.places.places import drop_names
from memory.places.shown_names import NOBODYS, NameStanding, Person, standing
from memory.store.database import Row
from memory.store.lineage import bound, paged, placeholders
from memory.tiers import exchanges
from memory.tiers.messages import asides, shown_posts
from memory.tiers.messages.asides import Aside
from memory.tiers.messages.seen import readable
from memory.types import DomainKind, Exchange, Identity, Kind, NameUse, Session, SessionRef
from memory.view import owners
from memory.view.binding import ViewPart

_LOOKED_BACK = 50


class Messages(ViewPart):
    """The messages of one home, and those that may be read beside it."""

    async def all(self) -> AsyncIterator[tuple[str, Exchange]]:
        """Yield every message at home with its session's name, in stored order."""
        names = {session.key: session.name for session in await self._binding.sessions()}
        after = 0
        while page := await exchanges.page(self._db, self._home, self._domains, after):
            for message in page:
                if message.session not in names:
                    names.update((session.key, session.name) for session in await self._binding.sessions())
                yield names[message.session], message
            after = page[-1].key

    async def count(self) -> int:
        """Return how many messages `all` yields."""
        domains = self._domains
        row = await self._db.one(
            "SELECT count(*) AS n FROM exchanges e WHERE e.domain = :domain AND e.kind NOT IN ('reflection', 'command') "
            f"AND {shown('e')} AND {readable('e', domains)}",
            {"domain": self._home.key, **bound("d", domains)},
        )
        return int(row["n"]) if row else 0

    async def by_source(self, session: Session, source_id: str) -> Exchange | None:
        """Return a message of a session by its platform id."""
        self._binding.require_own(session)
        row = await self._db.one(
            exchanges.SELECT + f"WHERE e.session = :session AND e.source_id = :source_id AND {shown('e')}",
            {"session": session.key, "source_id": source_id},
        )
        return exchanges.exchange(row) if row else None

    async def by_id(self, public_id: str) -> Exchange | None:
        """Return a message at home by its public id."""
        key = await exchanges.item(self._db, [self._home.key], public_id)
        return (await self.among([key])).get(key) if key else None

    async def among(self, keys: Sequence[int]) -> dict[int, Exchange]:
        """Return the readable messages among these keys."""
        placed = await exchanges.at_their_places(self._db, self._domains, keys)
        return {key: one.exchange for key, one in placed.items()}

    async def account_of(self, message: Exchange) -> Identity | None:
        """Return the account that said a message, or None if unknown."""
        return await identities.account(self._db, message.identity) if message.identity is not None else None

    async def last_by(self, session: Session, who: Identity) -> Exchange | None:
        """Return the last message an account said in a session, among the last fifty or so."""
        key = await owners.identity(self._db, who)
        said = (one for one in reversed(await self.window(session, _LOOKED_BACK)) if one.kind is Kind.SAID)
        return next((one for one in said if one.identity == key), None)

    async def is_by(self, message: Exchange, who: Identity) -> bool:
        """Return whether a message was said by an account."""
        return message.kind is Kind.SAID and message.identity == await owners.identity(self._db, who)

    async def find(self, platform: str, place: str | None, source_id: str) -> Exchange | None:
        """Return a message at home by its place (None: any) and platform id: a person's message or a sent reply."""
        return await exchanges.at_place(self._db, self._home, platform, place, source_id)

    async def stored(self, platform: str, ids: Sequence[str]) -> set[str]:
        """Return which of these platform ids are of messages at home."""
        rows = await paged(
            self._db,
            "SELECT e.source_id FROM exchanges e JOIN sessions s ON s.id = e.session "
            f"WHERE s.domain = :domain AND s.platform = :platform AND e.source_id IN ({{within}}) AND {shown('e')}",
            ids,
            {"domain": self._home.key, "platform": platform},
        )
        return {row["source_id"] for row in rows}

    async def kept(self, platform: str, ids: Sequence[str]) -> dict[str, bool]:
        """Map those platform ids of people's messages that are kept in any domain to whether this view reads one of these."""
        rows = await paged(
            self._db.everywhere,
            "SELECT e.source_id, coalesce(c.domain, e.domain) AS domain FROM exchanges e JOIN sessions s ON s.id = e.session "
            "LEFT JOIN confided c ON c.item = e.item WHERE s.platform = :platform AND e.kind = 'said' AND e.source_id IN ({within})",
            ids,
            {"platform": platform},
        )
        domains = frozenset(self._domains)
        read = {row["source_id"] for row in rows if row["domain"] in domains}
        return {row["source_id"]: row["source_id"] in read for row in rows}

    async def in_confidence(self, platform: str, ids: Sequence[str]) -> dict[str, set[str | None]]:
        """Map platform ids of messages told in a confidence that this view does not read to who told them.

        They are accounts of the platform, None for anybody else.
        """
        domains = self._domains
        rows = await paged(
            self._db.everywhere,
            "SELECT e.source_id, n.native_id AS teller FROM exchanges e JOIN confided c ON c.item = e.item "
            "JOIN sessions s ON s.id = e.session LEFT JOIN identities n ON n.id = e.identity AND n.platform = :platform "
            f"WHERE s.platform = :platform AND e.source_id IN ({{within}}) AND c.domain NOT IN ({placeholders('d', domains)})",
            ids,
            {"platform": platform, **bound("d", domains)},
        )
        found: dict[str, set[str | None]] = {}
        for row in rows:
            found.setdefault(row["source_id"], set()).add(row["teller"])
        return found

    async def window(self, session: Session, least: int) -> list[Exchange]:
        """Return the last messages of a session, oldest first: at least `least`, starting where an episode starts.

        Replies that hold something of other domains are left out. Of an episode that is far longer there are `3 * least`.
        """
        self._binding.require_own(session)
        domains = self._domains
        rows = await self._db.all(
            f"{exchanges.SELECT}WHERE e.session = :session AND e.kind IN ('said', 'reply', 'reflection') "
            f"AND {shown('e')} AND {readable('e', domains)} ORDER BY e.said_at DESC, e.item DESC LIMIT :limit",
            {"session": session.key, "limit": 3 * least, **bound("d", domains)},
        )
        start = next((at for at in range(least, len(rows)) if rows[at]["episode"] != rows[at - 1]["episode"]), len(rows))
        return [exchanges.exchange(row) for row in reversed(rows[:start])]

    async def names(self, people: Sequence[Person], borne: Mapping[Person, NameUse] = NOBODYS) -> list[str]:
        """Return the names to show at home for people whose words are not stored, given accounts and names.

        `borne` says which names somebody else present bears or bore.
        """
        shown = (await self.name_standings(people)).display_names(borne) if people else {}
        return [shown[one] for one in people]

    async def name_standings(self, people: Sequence[Person]) -> NameStanding:
        """Return the name standings of people at home, given accounts and names."""
        along = [one.key for one in self._binding.others if one.ref.kind is not DomainKind.DM]
        return await standing(self._db.everywhere, self._binding.seal, self._home, people, self._binding.rooms_before, along)

    async def account(self, who: Identity) -> int | None:
        """Return the key of an account, or None if nothing of it was ever kept."""
        return await owners.identity(self._db, who)

    async def latest_of(self, session: Session, account: Identity, n: int) -> list[Exchange]:
        """Return the last n messages of an account in a session, newest first."""
        self._binding.require_own(session)
        rows = await self._db.all(
            f"{exchanges.SELECT}JOIN identities n ON n.id = e.identity WHERE e.session = :session AND e.kind = 'said' "
            "AND n.platform = :platform AND n.native_id = :account ORDER BY e.said_at DESC, e.item DESC LIMIT :n",
            {"session": session.key, "platform": account.platform, "account": account.native_id, "n": n},
        )
        return [exchanges.exchange(row) for row in rows]

    async def count_said(self) -> tuple[int, int]:
        """Return how many messages people said at home, and when the last one was said (0: never)."""
        row = await self._db.one(
            "SELECT count(*) AS n, coalesce(max(said_at), 0) AS last FROM exchanges e WHERE domain = :domain AND kind = 'said' "
            f"AND {common('e')}",
            {"domain": self._home.key},
        )
        assert row is not None
        return row["n"], row["last"]

    async def last_said(self, n: int, by: int | None = None) -> list[str]:
        """Return the last n texts people said at home, oldest first; only those of account `by`, if its key is given."""
        rows = await self._db.all(
            f"SELECT text, identity FROM exchanges e WHERE domain = :domain AND kind = 'said' AND {shown('e')} AND {common('e')} "
            "ORDER BY item DESC LIMIT :n",
            {"domain": self._home.key, "n": n},
        )
        return [row["text"] for row in reversed(rows) if by in (None, row["identity"])]


class Conversations(ViewPart):
    """The sessions of one home."""

    async def all(self) -> list[Session]:
        """Return home's sessions, newest first."""
        return await self._binding.sessions()

    async def get(self, ref: SessionRef, name: str) -> Session:
        """Return the session for `ref` at home, creating it under `name` if it is new."""
        return await self._binding.shared.places.session(self._home, ref, name, self._binding.now())

    async def active(self, platform: str, place: str) -> SessionRef:
        """Return the active session of a place; a new one if the last belonged to another domain."""
        return SessionRef(platform, place, await self._binding.shared.places.active_epoch(platform, place, self._home))

    async def latest(self, platform: str, place: str) -> SessionRef:
        """Return home's last session at a place, or its first one, without making it active."""
        return SessionRef(platform, place, await self._binding.shared.places.latest_epoch(platform, place, self._home))

    async def begin(self, platform: str, place: str) -> SessionRef:
        """Begin a new session at a place."""
        return SessionRef(platform, place, await self._binding.shared.places.begin(platform, place, self._home))

    async def drop_names_of_empty(self) -> None:
        """Drop the names of home's empty sessions, and checkpoint so that nothing of them remains on disk."""
        async with self._binding.writing() as tx:
            await drop_names(tx, self._home)
        await self._db.checkpoint()

    async def find(self, name: str) -> Session:
        """Return home's session with this name or id. Raises NotFound."""
        return await self._binding.shared.places.find_session(self._home, name)

    async def last_heard(self) -> int:
        """Return when anybody, Lyra included, last said something at home; 0 if nobody did."""
        row = await self._db.one(
            "SELECT coalesce(max(last_at), 0) AS last FROM sessions WHERE domain = :d", {"d": self._home.key}
        )
        return int(row["last"]) if row else 0


class OwnPosts(ViewPart):
    """Lyra's posts at one home."""

    async def may_be_shown(self, platform: str, ids: Sequence[str]) -> dict[str, bool]:
        """Map those platform ids that are Lyra's posts to whether their words may be read here now."""
        return await shown_posts.may_be_shown(self._db.everywhere, platform, ids, self._domains)

    async def newest_answer(self, message: Exchange) -> str:
        """Return the key of the last part of the newest sent or outgoing answer to a message, '' for none."""
        row = await self._answer(message)
        return str(row["key"]) if row else ""

    async def answer_to(self, message: Exchange) -> int | None:
        """Return the item of the newest sent or outgoing answer to a message, None for none."""
        row = await self._answer(message)
        return row["item"] if row else None

    async def _answer(self, message: Exchange) -> Row | None:
        return await self._db.one(
            "SELECT o.key, o.item FROM lineage l JOIN outbox o ON o.item = l.child WHERE l.parent = :item AND o.answers = :id "
            "AND o.operation IN ('send', 'edit') AND o.state <> 'cancelled' ORDER BY o.id DESC LIMIT 1",
            {"item": message.key, "id": message.source_id},
        )

    async def answered_message(self, session: Session, remote_id: str) -> str:
        """Return the platform id of the message that one of Lyra's posts at a session's place answers, '' for none."""
        self._binding.require_own(session)
        row = await self._db.one(
            "SELECT answers FROM outbox WHERE platform = :platform AND place = :place AND remote_id = :id AND remote_id <> '' "
            "AND item IS NOT NULL AND operation IN ('send', 'edit') ORDER BY id DESC LIMIT 1",
            {"platform": session.ref.platform, "place": session.ref.place, "id": remote_id},
        )
        return str(row["answers"]) if row else ""

    async def named_thread(self, session: Session, root: str, key: str) -> None:
        """Record that the thread of a session at home is named after the message with platform id `root`."""
        self._binding.require_own(session)
        async with self._binding.writing() as tx:
            await outbox.name(tx, self._home, session.ref.platform, session.ref.place, root, key, self._binding.now())

    async def count_left(self) -> int:
        """Count Lyra's posts of home that are still on a platform and belong to forgotten replies."""
        return len(await outbox.posts_of_forgotten(self._db, self._home))

    async def delete(self, keys: Iterator[str], most: int) -> dict[tuple[str, str], list[Part]]:
        """Queue the removal of at most `most` of those posts under these keys; return the parts by platform and place."""
        found: dict[tuple[str, str], list[Part]] = {}
        for row, key in zip((await outbox.posts_of_forgotten(self._db, self._home))[:most], keys, strict=False):
            found.setdefault((row["platform"], row["place"]), []).append(Part(key, "", "delete", row["key"]))
        async with self._binding.writing() as tx:
            for (platform, place), parts in found.items():
                await outbox.queue(tx, self._home, platform, place, parts, self._binding.now())
        return found

    async def items_of(self, session: Session, shown: Collection[Aside]) -> set[int]:
        """Return the items of what a place shows, stored or not; items of unstored messages hold no words.

        Raises SourceGone if one of them was taken back.
        """
        self._binding.require_own(session)
        rested = await shown_posts.rested_on(self._db.everywhere, session.ref.platform, [one.id for one in shown])
        async with self._binding.writing() as tx:
            found = await asides.keep(tx, self._binding.seal, self._home, session, shown)
            return rested | found.kept | found.asides
