"""A view: the only way to read or write memory, bound to who may know.

`home` is written and read, `also` is read. No method takes a domain: what a caller may see was decided when the view was
made, from live facts, and cannot be widened afterwards.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass

from memory import journal, ledger
from memory.errors import NotFound
from memory.forget import Graveyard
from memory.index import Indexes
from memory.journal import Part
from memory.lineage import Seal, derive, fill, holes, require_living
from memory.places import Places
from memory.ports import Clock
from memory.recall import Query, Recall
from memory.tiers import exchanges, summaries
from memory.types import Digest, DigestHit, Domain, Exchange, Forgotten, Hit, NewExchange, Session, SessionRef
from memory.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class Reading:
    """What every view of one memory shares."""

    places: Places
    indexes: Indexes
    vectors: VectorStore | None
    graveyard: Graveyard
    clock: Clock

    @property
    def seal(self) -> Seal:
        return self.places.seal


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to be stored with all that T3 commits: what it rests on, what it finishes, how it goes out."""

    exchange: NewExchange
    sources: Collection[int]
    finishes: Sequence[int]
    parts: Sequence[Part]


class View:
    """Memory as the readers of one place may know it."""

    def __init__(self, reading: Reading, home: Domain, also: Sequence[Domain] = ()) -> None:
        self._r = reading
        self._db = reading.places.db
        self.home = home
        self._domains = [home.key, *(domain.key for domain in also)]
        self._recall = Recall(reading.indexes, reading.vectors)

    async def session(self, ref: SessionRef, name: str) -> Session:
        """Return the session of a place at home, made and named after it if it is new."""
        return await self._r.places.session(self.home, ref, name, self._r.clock.now())

    async def sessions(self) -> list[Session]:
        """Return the sessions at home, newest first."""
        return await self._r.places.sessions(self.home)

    async def named(self, name: str) -> Session:
        """Return the session at home of that name or id. Raises NotFound."""
        return await self._r.places.named(self.home, name)

    async def say(self, session: Session, messages: Sequence[NewExchange]) -> exchanges.Kept:
        """T2: keep what a person said, each message once, before anything is made of it."""
        self._own(session)
        async with self._db.transaction() as tx:
            return await exchanges.store(tx, self._r.seal, self.home, session, messages, self._r.clock.now())

    async def answer(self, session: Session, answer: Answer) -> Exchange | None:
        """T3: keep a reply, what it rests on, every part of it to be sent, and the end of what it answers, in one transaction.

        Returns None where this reply is stored already. Raises SourceGone, and stores nothing, where something it rests on
        was forgotten meanwhile.
        """
        self._own(session)
        now = self._r.clock.now()
        async with self._db.transaction() as tx:
            await require_living(tx, list(answer.sources))
            kept = await exchanges.store(tx, self._r.seal, self.home, session, [answer.exchange], now)
            await journal.finish(tx, answer.finishes)
            if not kept.stored:
                return None
            reply = kept.stored[0]
            await derive(tx, reply.key, answer.sources, answer.sources)
            ref = session.ref
            await journal.queue(tx, self.home, ref.platform, ref.place, answer.parts, now, reply.key, answer.exchange.source_id)
        return reply

    async def notify(self, session: Session, parts: Sequence[Part], finishes: Sequence[int]) -> None:
        """Queue a text that is not conversation (a command's result, a notice), and finish what it answers."""
        self._own(session)
        ref = session.ref
        async with self._db.transaction() as tx:
            await journal.finish(tx, finishes)
            await journal.queue(tx, self.home, ref.platform, ref.place, parts, self._r.clock.now())

    async def heard(self, session: Session, source_id: str) -> Exchange | None:
        """Return a message of a session by its platform's id."""
        self._own(session)
        return await exchanges.by_source(self._db, session, source_id)

    async def window(self, session: Session, least: int) -> list[Exchange]:
        """Return the last messages of a session, oldest first, at least `least`, from the beginning of an episode on."""
        self._own(session)
        return await exchanges.window(self._db, session, least)

    async def said(self) -> tuple[int, int]:
        """Return how many messages people said at home, and when the last one was (0: never)."""
        return await exchanges.said(self._db, self.home)

    async def last_said(self, n: int) -> list[str]:
        """Return the last texts people said at home, oldest first."""
        rows = await self._db.all(
            "SELECT text FROM exchanges WHERE domain = :domain AND kind = 'said' ORDER BY item DESC LIMIT :n",
            {"domain": self.home.key, "n": n},
        )
        return [row["text"] for row in reversed(rows)]

    async def recall(self, text: str, k: int, *, session: Session | None = None, exclude: Collection[int] = ()) -> list[Hit]:
        """Return the k messages that answer a text best, with their neighbours and receipts."""
        found = await self._recall.find(Query(text, k, session=session.key if session else None, exclude=exclude), self._domains)
        keys = {key for hit in found for key in (hit.item, hit.before, hit.after) if key is not None}
        messages = await exchanges.by_keys(self._db, self._domains, sorted(keys))
        names = await self._session_names({messages[hit.item].session for hit in found if hit.item in messages})
        return [
            Hit(
                messages[hit.item], names[messages[hit.item].session], hit.score, hit.why,
                messages.get(hit.before or 0), messages.get(hit.after or 0),
            )
            for hit in found
            if hit.item in messages
        ]  # fmt: skip

    async def gists(self, text: str, k: int, *, exclude: Collection[int] = ()) -> list[DigestHit]:
        """Return the k digests that are nearest to a text."""
        found = await self._recall.find(Query(text, k, digests=True, exclude=exclude), self._domains)
        digests = await summaries.by_keys(self._db, self._domains, [hit.item for hit in found])
        names = await self._session_names({digest.session for digest in digests.values()})
        return [DigestHit(digests[hit.item], names[digests[hit.item].session], hit.score) for hit in found if hit.item in digests]

    async def frontier(self, session: Session) -> list[Digest]:
        """Return the digests that together say everything that was summarized of a session, oldest first."""
        self._own(session)
        return await summaries.frontier(self._db, session)

    async def digests(self) -> list[tuple[Session, Digest]]:
        """Return every gist and summary at home with its session."""
        sessions = {session.key: session for session in await self.sessions()}
        return [(sessions[digest.session], digest) for digest in await summaries.of_domain(self._db, self.home)]

    async def messages(self) -> AsyncIterator[tuple[str, Exchange]]:
        """Yield every message at home with its session's name, in the order they were stored."""
        names = {session.key: session.name for session in await self.sessions()}
        after = 0
        while page := await exchanges.page(self._db, self.home, after):
            for message in page:
                if message.session not in names:
                    names.update((session.key, session.name) for session in await self.sessions())
                yield names[message.session], message
            after = page[-1].key

    async def note(self, kind: str, **counts: object) -> None:
        """Write a line into the log of what was done; it never holds anybody's words."""
        async with self._db.transaction() as tx:
            await ledger.note(tx, self.home.key, kind, self._r.clock.now(), **counts)

    async def embed(self) -> int:
        """Give a vector to everything at home that has none; return how many. Raises EmbeddingFailed."""
        return await self._r.vectors.catch_up(self.home) if self._r.vectors else 0

    async def forget_message(self, public_id: str) -> Forgotten:
        """Forget one message at home by its id, and everything that rests on it. Raises NotFound."""
        row = await self._db.one(
            "SELECT id FROM items WHERE public_id = :id AND domain = :domain AND kind = 'exchange' AND dead_at IS NULL",
            {"id": public_id.strip().lower(), "domain": self.home.key},
        )
        if row is None:
            raise NotFound("There is no message with that id here. Recall it first: every hit shows its id.")
        return await self._r.graveyard.bury(self.home, [row["id"]], self._r.clock.now())

    async def forget_session(self, session: Session) -> Forgotten:
        """Forget every message of a session at home, and everything that rests on them."""
        self._own(session)
        rows = await self._db.all("SELECT item FROM exchanges WHERE session = :session", {"session": session.key})
        return await self._r.graveyard.bury(self.home, [row["item"] for row in rows], self._r.clock.now())

    async def _session_names(self, keys: Collection[int]) -> dict[int, str]:
        found = list(keys)
        rows = await self._db.all(f"SELECT id, name FROM sessions WHERE id IN ({holes('s', found)})", fill("s", found))
        return {row["id"]: row["name"] for row in rows}

    def _own(self, session: Session) -> None:
        if session.domain != self.home.key:
            raise NotFound("That session belongs elsewhere.")
