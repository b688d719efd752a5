"""What a view does with thoughts, said aloud or taken back, and with her posts as they stand on platforms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.errors import NotFound
from memory.forget import erase
from memory.journal import outbox
from memory.journal.outbox import Part
from memory.places import places
from memory.store.database import Row, Transaction
from memory.store.lineage import derive
from memory.tiers import exchanges, posts, statements
from memory.tiers.exchanges import Placed
from memory.types import DomainKind, Exchange, Kind, NewExchange, Session, Statement
from memory.view.digests import Aloft

_BAR, _OFFERED = "reflection bar", "reflections offered"
_NAME = "Lyra"


@dataclass(frozen=True, slots=True)
class PostableThought:
    """A reflection with the messages that it rests on, and how curious she was. `exchange` is what it became when it was said."""

    statement: Statement
    said: Sequence[Placed]
    level: float
    exchange: int | None = None


class Posting(Aloft):
    """The thoughts and posts of one home."""

    @property
    def also(self) -> Sequence[int]:
        """The keys of the domains that are read beside a shared home, as its readers are now; a person alone has no others."""
        return () if self.home.ref.kind is DomainKind.DM else self._domains[1:]

    async def thoughts(self) -> list[PostableThought]:
        """Return the thoughts that wait to be said, the newest first."""
        return [await self._thought(row) for row in await self._reflections("state = 'waiting' ORDER BY item DESC", {})]

    async def thought(self, public_id: str = "", *, platform: str = "", place: str = "", remote: str = "") -> PostableThought:
        """Return a thought that was said: by its id, by the platform's id of its message, or the last at a place.

        Raises NotFound.
        """
        which = {"id": public_id.strip().lower(), "platform": platform, "place": place, "remote": remote}
        only = (
            "item = (SELECT id FROM items WHERE public_id = :id)" if public_id
            else "exchange IN (SELECT item FROM outbox WHERE platform = :platform AND remote_id = :remote)" if remote
            else "platform = :platform AND place = :place"
        )  # fmt: skip
        rows = await self._reflections(f"state = 'posted' AND {only} ORDER BY posted_at DESC LIMIT 1", which)
        if not rows:
            raise NotFound("There is no thought of mine with that id here." if public_id else "There is no thought of mine here.")
        return await self._thought(rows[0])

    async def posted_since(self, then: int) -> int:
        """Count the thoughts that were said at home since an instant."""
        return len(await self._reflections("state = 'posted' AND posted_at >= :then", {"then": then}))

    async def post(self, session: Session, thought: PostableThought, text: str, parts: Sequence[Part]) -> Exchange | None:
        """Say a thought: keep it as said, with every part to be sent, in one transaction; None where it is said or gone by now."""
        self._own(session)
        now, ref, said = self._r.clock.now(), session.ref, [placed.exchange.key for placed in thought.said]
        async with self._db.transaction() as tx:
            mine = await tx.one(
                "UPDATE reflections SET state = 'posted', platform = :platform, place = :place, posted_at = :now "
                "WHERE item = :item AND state = 'waiting' RETURNING item",
                {"item": thought.statement.key, "platform": ref.platform, "place": ref.place, "now": now},
            )
            if mine is None:
                return None
            new = NewExchange(Kind.REFLECTION, text, f"reflection:{thought.statement.id}", now, _NAME, "assistant")
            (kept,) = (await exchanges.store(tx, self._r.seal, self.home, session, [new], now)).stored
            await derive(tx, kept.key, {thought.statement.key, *said}, said)
            await tx.run(
                "UPDATE reflections SET exchange = :exchange WHERE item = :item",
                {"exchange": kept.key, "item": thought.statement.key},
            )
            await self._queue(tx, session, parts, item=kept.key)
        return kept

    async def keep_to_herself(self, thought: PostableThought) -> None:
        """Let a thought wait no longer."""
        async with self._db.transaction() as tx:
            await tx.run(
                "UPDATE reflections SET state = 'kept' WHERE item = :item AND state = 'waiting'", {"item": thought.statement.key}
            )

    async def take_back(self, thought: PostableThought, keys: Iterator[str]) -> tuple[str, str, Sequence[Part]]:
        """Take a thought that was said back for good; return where, and the parts, under these keys, that remove its messages."""
        now = self._r.clock.now()
        async with self._db.transaction() as tx:
            rows = await tx.all(
                "SELECT key, platform, place FROM outbox WHERE item = :item AND operation = 'send' ORDER BY id",
                {"item": thought.exchange},
            )
            parts = [Part(key, "", "delete", row["key"]) for row, key in zip(rows, keys, strict=False)]
            platform, place = (rows[0]["platform"], rows[0]["place"]) if rows else ("", "")
            if parts:
                await outbox.queue(tx, self.home, platform, place, parts, now)
            gone = [thought.statement.key, *([thought.exchange] if thought.exchange is not None else [])]
            await erase.retire(tx, self.home, gone, now)
        return platform, place, parts

    async def bar(self) -> float:
        """Return how curious she must have been for a thought to be said at home, beyond her threshold; 0 unless it was raised."""
        kept = await self._r.places.setting(self._r.places.scope(self.home), _BAR)
        return float(kept) if isinstance(kept, int | float) else 0.0

    async def raise_bar(self, to: float) -> None:
        """Let fewer thoughts be said at home from now on."""
        await self._r.places.set(self._r.places.scope(self.home), _BAR, to)

    async def offer(self, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice about thoughts that wait, once in the life of this domain; return whether this was the time."""
        self._own(session)
        scope = self._r.places.scope(self.home)
        if await self._r.places.setting(scope, _OFFERED) or not await self._reflections("state = 'waiting' LIMIT 1", {}):
            return False
        async with self._db.transaction() as tx:
            first = await places.mark(tx, scope, _OFFERED)
            if first:
                await self._queue(tx, session, parts)
        return first

    async def posts(self, platform: str, ids: Sequence[str]) -> dict[str, bool]:
        """Return which of these ids of a platform are posts of hers, by whether their words may be read here now."""
        return await posts.may_be_shown(self._db, platform, ids, self._domains)

    async def posts_left(self) -> int:
        """Count the messages of Lyra's that stand at home on a platform and belong to replies that are forgotten."""
        return len(await outbox.posts_of_forgotten(self._db, self.home))

    async def delete_posts(self, keys: Iterator[str], most: int) -> dict[tuple[str, str], list[Part]]:
        """Queue the removal of at most so many of those messages under these keys; return the parts by platform and place."""
        found: dict[tuple[str, str], list[Part]] = {}
        for row, key in zip((await outbox.posts_of_forgotten(self._db, self.home))[:most], keys, strict=False):
            found.setdefault((row["platform"], row["place"]), []).append(Part(key, "", "delete", row["key"]))
        async with self._db.transaction() as tx:
            for (platform, place), parts in found.items():
                await outbox.queue(tx, self.home, platform, place, parts, self._r.clock.now())
        return found

    async def _reflections(self, which: str, parameters: Mapping[str, object]) -> list[Row]:
        return await self._db.all(
            f"SELECT item, level, exchange FROM reflections WHERE domain = :domain AND {which}",
            {"domain": self.home.key, **parameters},
        )

    async def _thought(self, row: Row) -> PostableThought:
        stated = (await statements.by_keys(self._db, [self.home.key], [row["item"]]))[row["item"]]
        said = (await statements.cited(self._db, [row["item"]]))[row["item"]]
        there = await exchanges.at_their_places(self._db, [self.home.key], [message.key for message in said])
        return PostableThought(
            stated, [there[message.key] for message in said if message.key in there], row["level"], row["exchange"]
        )

    async def _queue(
        self, tx: Transaction, session: Session, parts: Sequence[Part], answers: str = "", item: int | None = None
    ) -> None:
        ref = session.ref
        await outbox.queue(tx, self.home, ref.platform, ref.place, parts, self._r.clock.now(), item, answers, self.also)

    def _own(self, session: Session) -> None:
        if session.domain != self.home.key:
            raise NotFound("That session belongs elsewhere.")
