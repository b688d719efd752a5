"""A view: the only way to read or write memory, bound to who may know.

`home` is written and read, `also` is read. No method takes a domain: what a caller may see was decided when the view was
made, from live facts, and cannot be widened afterwards.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory.forget.gone import Scope
from memory.forget.gone import shown as may_be_shown
from memory.forget.sparing import Nearness, shares
from memory.index.vectors import Progress
from memory.journal import inbox, ledger
from memory.journal.outbox import Part
from memory.places import places
from memory.places.shown_names import as_shown
from memory.store.lineage import derive, require_living, require_unchanged
from memory.tiers import asides, exchanges, posts, seen, summaries
from memory.tiers.asides import Aside
from memory.types import (
    Digest,
    Exchange,
    Forgotten,
    Identity,
    NewExchange,
    Session,
    SessionRef,
)
from memory.view import owners
from memory.view.posting import Posting


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to be stored with all that T3 commits: what it rests on, what it finishes, how it goes out.

    `asked` is what it answers, as that was read. `answers` is what its parts answer on the platform; the reply's own source id
    where nothing is given. `seen` is what else stood in view of whoever made it: the text of each item as it was read from
    `begun` on; `asides` are messages that were shown there and are not kept.
    """

    exchange: NewExchange
    sources: Collection[int]
    finishes: Sequence[int]
    parts: Sequence[Part]
    asked: Sequence[Exchange] = ()
    answers: str | None = None
    seen: Mapping[int, str] = field(default_factory=dict)
    asides: Collection[Aside] = ()
    begun: int = 0


class View(Posting):
    """Memory as the readers of one place may know it."""

    @property
    def beside(self) -> frozenset[int]:
        """The keys of all the domains that are read beside home."""
        return frozenset(self._domains[1:])

    async def session(self, ref: SessionRef, name: str) -> Session:
        """Return the session of a place at home, made and named after it if it is new."""
        return await self._r.places.session(self.home, ref, name, self._r.clock.now())

    async def stay(self, platform: str, place: str) -> SessionRef:
        """Return the conversation at a place now; a new one where the last was for others to know."""
        return SessionRef(platform, place, await self._r.places.stay(platform, place, self.home))

    async def begin(self, platform: str, place: str) -> SessionRef:
        """Begin a fresh conversation at a place."""
        return SessionRef(platform, place, await self._r.places.begin(platform, place, self.home))

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
        or that stood in view was forgotten or changed meanwhile, or may not be read any more.
        """
        self._own(session)
        now = self._r.clock.now()
        asked = {exchange.key: exchange.text for exchange in answer.asked}
        posted = await posts.rested_on(self._db, session.ref.platform, [one.id for one in answer.asides])
        sources, view = {*answer.sources, *asked}, {*answer.sources, *asked, *answer.seen, *posted}
        abroad = await self._abroad(answer.exchange.text, view)
        new = replace(answer.exchange, echo=answer.exchange.echo or any(abroad.values()))
        async with self._db.transaction() as tx:
            await require_living(tx, sorted(sources))
            await require_living(tx, sorted(view), replaced=True)
            await require_unchanged(tx, asked)
            if await seen.touched(tx, self._domains, answer.begun):
                await require_unchanged(tx, answer.seen)
            # Before the reply: what had something in view is looked for behind that.
            shown = await asides.keep(tx, self._r.seal, self.home, session, answer.asides)
            kept = await exchanges.store(tx, self._r.seal, self.home, session, [new], now)
            await inbox.finish(tx, answer.finishes)
            if not kept.stored:
                return None
            reply = kept.stored[0]
            await derive(tx, reply.key, sources, sources, asked)
            await seen.keep(tx, self.home, reply.key, view | shown.kept, shown.asides, abroad)
            answers = reply.source_id if answer.answers is None else answer.answers
            await self._queue(tx, session, answer.parts, answers, reply.key)
        return reply

    async def _abroad(self, reply: str, view: Collection[int]) -> dict[int, bool]:
        """Return the other domains of which something stood in view, by whether the reply may hold something of them.

        What was recalled from elsewhere is always taken for held. A reply that holds such words passes them on to the next
        one that has it in view, unless nothing of it can be found there.
        """
        belong, hold = await seen.abroad(self._db, self.home, view)
        found, nearness = dict.fromkeys(belong, True), Nearness(self._r.forgetting.embedder)
        for domain, replies in hold.items():
            texts = await exchanges.texts(self._db, replies)
            others = await exchanges.texts(self._db, set(view).difference(replies))
            carried = await asyncio.to_thread(shares, reply, texts, others) or await nearness.near(reply, texts, others[-9:])
            found[domain] = found.get(domain, False) or carried
        return found

    async def notify(
        self, session: Session, parts: Sequence[Part], finishes: Sequence[int], answers: str = "", shows: Collection[int] = ()
    ) -> None:
        """Queue a text that is not conversation (a command's result, a notice), and finish what it answers.

        `shows` are the items that it shows to those who read it from now on: it counts as hers of what is forgotten once one of
        them is. Raises SourceGone, and queues nothing, where one of them was forgotten meanwhile.
        """
        self._own(session)
        belong, hold = await seen.abroad(self._db, self.home, shows)
        async with self._db.transaction() as tx:
            await require_living(tx, sorted(shows), replaced=True)
            await inbox.finish(tx, finishes)
            item = None
            if shows and parts:
                item = await posts.keep_notice(tx, self._r.seal, self.home, parts[0].key, shows, {*belong, *hold})
            await self._queue(tx, session, parts, answers, item)

    async def items_of(self, session: Session, shown: Collection[Aside]) -> set[int]:
        """Return the items of what a place shows, kept or not; those of what is not kept hold no words.

        Raises SourceGone where one of them was taken back.
        """
        self._own(session)
        rested = await posts.rested_on(self._db, session.ref.platform, [one.id for one in shown])
        async with self._db.transaction() as tx:
            found = await asides.keep(tx, self._r.seal, self.home, session, shown)
            return rested | found.kept | found.asides

    async def preview(self, session: Session, part: Part, answers: str) -> None:
        """Queue the beginning of an answer, to be shown while it is made; the answer takes its place."""
        self._own(session)
        async with self._db.transaction() as tx:
            await self._queue(tx, session, [replace(part, operation="preview")], answers)

    async def greet(self, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice of first contact, once in the life of this domain; return whether this was the time."""
        return await self._once(self._r.places.scope(self.home), _GREETED, session, parts)

    async def go_on(self, room: str, session: Session, parts: Sequence[Part]) -> bool:
        """Queue a notice on what a room goes on with, in place of a greeting, once in the life of the room."""
        return await self._once(f"room:{session.ref.platform}:{room}", _GONE_ON, session, parts, greets=True)

    async def hint(self, session: Session, parts: Sequence[Part], answers: str) -> bool:
        """Queue a notice on how to talk to her, once in the life of a conversation; return whether this was the time."""
        return await self._once(f"session:{session.id}", _HINTED, session, parts, answers)

    async def heard(self, session: Session, source_id: str) -> Exchange | None:
        """Return a message of a session by its platform's id."""
        self._own(session)
        return await exchanges.by_source(self._db, session, source_id)

    async def find(self, platform: str, place: str | None, source_id: str) -> Exchange | None:
        """Return a message at home by its place (None: any) and the platform's id, be it somebody's or a reply that went out."""
        return await exchanges.at_place(self._db, self.home, platform, place, source_id)

    async def kept_elsewhere(self, platform: str, ids: Sequence[str]) -> set[str]:
        """Return which messages, by the platform's ids, are kept, and only where other readers than this view's may know them."""
        kept = await exchanges.domains_of(self._db, platform, ids) if ids else {}
        return {id for id, domains in kept.items() if domains.isdisjoint(self._domains)}

    async def window(self, session: Session, least: int) -> list[Exchange]:
        """Return the last messages of a session, oldest first, at least `least`, from the beginning of an episode on."""
        self._own(session)
        return await exchanges.window(self._db, session, self._domains, least)

    async def names(self, people: Sequence[tuple[Identity | None, str]]) -> list[str]:
        """Return the names under which people are shown at home whose words are not kept, by their accounts and names."""
        shown = await as_shown(self._db, self._r.seal, self.home, people) if people else {}
        return [shown[one] for one in people]

    async def said(self) -> tuple[int, int]:
        """Return how many messages people said at home, and when the last one was (0: never)."""
        return await exchanges.said(self._db, self.home)

    async def last_said(self, n: int) -> list[str]:
        """Return the last texts people said at home, oldest first."""
        rows = await self._db.all(
            f"SELECT text FROM exchanges e WHERE domain = :domain AND kind = 'said' AND {may_be_shown('e')} ORDER BY item DESC LIMIT :n",
            {"domain": self.home.key, "n": n},
        )
        return [row["text"] for row in reversed(rows)]

    async def newest_gists(self, n: int) -> list[Digest]:
        """Return the gists of what was talked about last at home, newest first."""
        return await summaries.newest_gists(self._db, self.home, n)

    async def frontier(self, session: Session) -> list[Digest]:
        """Return the digests that together say everything that was summarized of a session, oldest first."""
        self._own(session)
        return await summaries.frontier(self._db, session, shown_only=True)

    async def digests(self) -> list[tuple[Session, Digest]]:
        """Return every gist and summary at home with its session."""
        sessions = {session.key: session for session in await self.sessions()}
        return [(sessions[digest.session], digest) for digest in await summaries.of_domain(self._db, self.home)]

    async def messages(self) -> AsyncIterator[tuple[str, Exchange]]:
        """Yield every message at home with its session's name, in the order they were stored."""
        names = {session.key: session.name for session in await self.sessions()}
        after = 0
        while page := await exchanges.page(self._db, self.home, self._domains, after):
            for message in page:
                if message.session not in names:
                    names.update((session.key, session.name) for session in await self.sessions())
                yield names[message.session], message
            after = page[-1].key

    async def note(self, kind: str, **counts: object) -> None:
        """Write a line into the log of what was done; it never holds anybody's words."""
        async with self._db.transaction() as tx:
            await ledger.note(tx, self.home.key, kind, self._r.clock.now(), **counts)

    async def embed(self, tell: Progress | None = None) -> int:
        """Give vectors to everything at home that has none; return to how many items. Raises EmbeddingFailed.

        `tell` is told, again and again, how many of how many have them by now.
        """
        return await self._r.vectors.catch_up(self.home, tell) if self._r.vectors else 0

    async def forget_message(self, public_id: str, by: Identity | None = None) -> Forgotten:
        """Forget one message at home by its id, and everything that rests on it, as the right of `by` (None: all) allows.

        Raises NotFound, NotYours.
        """
        return await self._forget(Scope([await owners.message(self._db, self.home, public_id, by)]))

    async def forget_session(self, session: Session, by: Identity | None = None) -> Forgotten:
        """Forget every message of a session at home, or those that somebody said, and everything that rests on them."""
        self._own(session)
        return await self._forget_all(by, session.key)

    async def forget_all(self, by: Identity | None = None) -> Forgotten:
        """Forget every message at home, or all that somebody said here, and everything that rests on them."""
        return await self._forget_all(by, None)

    async def _forget_all(self, by: Identity | None, session: int | None) -> Forgotten:
        # Replies that answer somebody are not that one's own: they go with what they answer.
        identity = await owners.identity(self._db, by) if by else None
        if by and identity is None:
            return Forgotten(0, 0, 0)
        return await self._forget(Scope(session=session, identity=identity))

    async def _forget(self, scope: Scope) -> Forgotten:
        return await self._r.forgetting.forget(self.home, scope)

    async def _once(
        self, scope: str, mark: str, session: Session, parts: Sequence[Part], answers: str = "", *, greets: bool = False
    ) -> bool:
        self._own(session)
        if await self._r.places.setting(scope, mark):
            return False
        async with self._db.transaction() as tx:
            first = await places.mark(tx, scope, mark)
            if first and greets:
                await places.mark(tx, self._r.places.scope(self.home), _GREETED)
            if first:
                await self._queue(tx, session, parts, answers)
        return first


_GREETED, _GONE_ON, _HINTED = "greeted", "gone on", "hinted"
