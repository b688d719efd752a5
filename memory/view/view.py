"""A view: the only way to read or write memory, bound to who may know.

`home` is written and read, the `others` are read. No method takes a domain: what a caller may see was decided when the view was
made, from live facts, and cannot be widened afterwards.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from memory.errors import NotFound
from memory.forget import old_tellings
from memory.forget.discretion_targets import DiscretionTargets
from memory.forget.gone import ForgottenScope
from memory.forget.shared_content import shares
from memory.forget.sparing import COMPARED, Nearness
from memory.journal import inbox, ledger, outbox
from memory.journal.parts import OutboxRow, Part
from memory.places import confidences
from memory.ports import Progress
from memory.store.database import Transaction
from memory.store.lineage import derive, require_living
from memory.text.acknowledgements import only_acknowledges
from memory.tiers import corrections, exchanges, manners, open_things, reflections
from memory.tiers.messages import asides, seen, shown_posts, storing
from memory.tiers.messages.asides import Aside
from memory.types import Domain, Exchange, Forgotten, Identity, NewExchange, Session
from memory.view import owners
from memory.view.answer_validity import AnswerValidity, require_standing
from memory.view.binding import Binding, Shared, ViewPart
from memory.view.calendar import MonthCalendar
from memory.view.confidence_view import Confidences
from memory.view.digests import Digests, Facts, SelfStates, SharedBank
from memory.view.feedback_view import Feedback
from memory.view.messages import Conversations, Messages, OwnPosts
from memory.view.notices import Notices
from memory.view.owners import OwnWords
from memory.view.pages import Pages
from memory.view.retrieval import Retrieval
from memory.view.seen_records import SeenRecords
from memory.view.selecting import Selecting, Selection
from memory.view.short_ids import ShortIds
from memory.view.thoughts import Thoughts


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to be stored with everything T3 commits: what it rests on, what it finishes, how it goes out.

    `asked` holds the messages it answers, as read. `answers` is the platform id that its parts reply to; by default, the
    reply's own source id. `seen` maps everything else in view to its text as read from `begun` on; `asides` are messages
    that were shown but are not kept. `raised` holds the open things that the reply was to take up.
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
    raised: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Replied:
    """A stored reply, and its first part, now being attempted; None if it has no parts. `thoughts_wait` tells whether any do at home."""

    exchange: Exchange
    first: OutboxRow | None
    thoughts_wait: bool = False


class View(ViewPart):
    """Memory as the readers of one place may know it: `home` is read and written, the `others` only read."""

    def __init__(self, shared: Shared, home: Domain, others: Sequence[Domain]) -> None:
        binding = Binding(shared, home, tuple(others))
        super().__init__(binding)
        self.home = home
        self.recall = Retrieval(binding)
        self.messages = Messages(binding)
        self.sessions = Conversations(binding)
        self.digests = Digests(binding)
        self.facts = Facts(binding)
        self.bank = SharedBank(binding)
        self.self_state = SelfStates(binding)
        self.thoughts = Thoughts(binding)
        self.posts = OwnPosts(binding)
        self.notices = Notices(binding)
        self.confidences = Confidences(binding)
        self.pages = Pages(binding, self.recall)
        self.ids = ShortIds(binding)
        self.calendar = MonthCalendar(binding)
        self.validity = AnswerValidity(binding)
        self.own_words = OwnWords(binding)
        self.seen_records = SeenRecords(binding)
        self.feedback = Feedback(binding, self.messages, self.posts)
        self.selecting = Selecting(binding, self.recall)

    @property
    def others(self) -> frozenset[int]:
        """The keys of all domains read beside home."""
        return frozenset(self._domains[1:])

    @property
    def others_of_place(self) -> Sequence[int]:
        """The keys of those that are read because of who reads the place; see `Binding.others_of_place`."""
        return self._binding.others_of_place

    def opened_for_turn(self, *, nothing_confided: bool) -> None:
        """Note whether nothing at home was told in confidence as this view was opened, so that a turn need not read it again."""
        self._binding.as_opened.nothing_confided = nothing_confided

    async def say(self, session: Session, messages: Sequence[NewExchange]) -> storing.StoringOutcome:
        """T2: store what a person said, each message once, before anything is made of it; requests for discretion take effect at once."""
        self._binding.require_own(session)
        confiding = self._binding.shared.confiding
        messages = await confiding.with_follow_ups(session, messages) if await self._binding.has_confidences() else messages
        asking, correcting = any(message.discretion for message in messages), corrections.may_correct(messages)
        if asking:
            self._binding.as_opened.nothing_confided = False
        earlier = await confiding.earlier(session, messages, self._binding.other_shared_places) if asking else {}
        may_confide = asking or (
            await self._binding.has_confidences() and await confiding.may_concern(session, messages, correcting=correcting)
        )
        # Discretion reaches wherever the held-back messages may be read, so the transaction is unbounded.
        async with self._db.transaction(bounds=None if may_confide else self._binding.bounds) as tx:
            return await tx.finish(
                lambda: self._say(tx, session, messages, earlier, may_confide=may_confide, correcting=correcting)
            )

    async def _say(
        self, tx: Transaction, session: Session, messages: Sequence[NewExchange], earlier: Mapping[str, DiscretionTargets],
        *, may_confide: bool, correcting: bool,
    ) -> storing.StoringOutcome:  # fmt: skip
        now, confiding = self._binding.now(), self._binding.shared.confiding
        asking = any(message.discretion for message in messages)
        outcome = await storing.store(tx, self._binding.seal, self.home, session, messages, now, self._binding.rooms_before)
        heard = outcome.stored if correcting or outcome.late else []
        corrected = await corrections.note(tx, self.home, heard, late=outcome.late)
        ended, covered = (
            await confiding.heed(tx, self._binding.readable, session, outcome.stored, messages, earlier) if asking else (0, {})
        )
        await manners.note(tx, self._binding.seal, self.home, [] if asking else outcome.stored, now)
        await open_things.note(tx, self.home, [] if asking else outcome.stored)
        await old_tellings.retire(tx, corrected, now, self._binding.seal)
        if may_confide:
            open_now = {new.source_id for new in messages if new.discretion and new.discretion.ends and not new.discretion.told}
            await confiding.keep_with_corrected(tx, self.home, [one for one in outcome.stored if one.source_id not in open_now])
        return replace(outcome, ended=ended, covered=covered)

    async def answer(self, session: Session, answer: Answer) -> Replied | None:
        """T3: store a reply, its sources, every part to be sent, and the end of what it answers, in one transaction.

        From then on its first part counts as being attempted, by the caller. Returns None if this reply is already stored.
        Raises SourceGone, and stores nothing, if something it rests on or that stood in view was forgotten or changed
        meanwhile, or may no longer be read.
        """
        self._binding.require_own(session)
        judged: Mapping[int, Sequence[int]] = {}
        holds: dict[int, bool] = {}
        while True:
            async with self._binding.writing() as tx:
                in_view, held, replied = await tx.finish(partial(self._answer, tx, session, answer, judged, holds))
            if held == judged:
                return replied
            # An embedder may take its time, so this is judged between transactions.
            judged, holds = held, await self._holds(answer, in_view, held)

    async def _answer(
        self,
        tx: Transaction,
        session: Session,
        answer: Answer,
        judged: Mapping[int, Sequence[int]],
        holds: Mapping[int, bool],
    ) -> tuple[Collection[int], Mapping[int, Sequence[int]], Replied | None]:
        """Return what is in view of an answer and the replies that it may hold something of; store it if these are `judged`."""
        asked = {exchange.key: exchange.text for exchange in answer.asked}
        cited = {*answer.sources, *asked}
        posted = await shown_posts.rested_on(tx.everywhere, session.ref.platform, [one.id for one in answer.asides])
        in_view = {*cited, *answer.seen, *posted}
        others, _, _, thoughts_wait = await tx.gather(
            seen.abroad(tx.everywhere, self.home, in_view, cited),
            require_living(tx, sorted(cited)),
            require_standing(tx, self._domains, asked, in_view, answer.seen, answer.begun),
            reflections.any_waiting(tx, self.home),
        )
        if others.held != judged:
            return in_view, others.held, None
        # Everything recalled from another domain counts as held by the reply.
        replied = await self._keep(tx, session, answer, in_view, {**holds, **dict.fromkeys(others.own, True)})
        return in_view, judged, replied and replace(replied, thoughts_wait=thoughts_wait)

    async def _keep(
        self, tx: Transaction, session: Session, answer: Answer, in_view: Collection[int], abroad: Mapping[int, bool]
    ) -> Replied | None:
        """Store an answer in the caller's transaction; `abroad` are the other domains in view, by whether the reply holds them."""
        now = self._binding.now()
        asked = {exchange.key for exchange in answer.asked}
        sources = {*answer.sources, *asked}
        new = replace(answer.exchange, echo=answer.exchange.echo or any(abroad.values()))
        # Before the reply: forgetting looks for replies that saw an item only after that item.
        shown = await asides.keep(tx, self._binding.seal, self.home, session, answer.asides)
        outcome = await storing.store(tx, self._binding.seal, self.home, session, [new], now)
        await inbox.finish(tx, answer.finishes)
        if not outcome.stored:
            return None
        reply = outcome.stored[0]
        await derive(tx, reply.key, sources, sources, asked)
        await seen.keep(tx, self.home, reply.key, {*in_view, *shown.kept}, shown.asides, abroad)
        await open_things.settle(tx, self.home, answer.raised, reply.key)
        answers = reply.source_id if answer.answers is None else answer.answers
        await self._binding.queue(tx, session, answer.parts, answers, reply.key)
        return Replied(reply, await outbox.attempt(tx, answer.parts[0].key) if answer.parts else None)

    async def _holds(self, answer: Answer, in_view: Collection[int], held: Mapping[int, Sequence[int]]) -> dict[int, bool]:
        """Return, for each domain that replies in view hold something of, whether this answer holds it too.

        A reply passes such words on to the next one that has it in view, unless nothing of them can be found there.
        """
        reply = answer.exchange.text
        if only_acknowledges(reply, [one.text for one in answer.asked], {one.speaker for one in answer.asked}):
            return dict.fromkeys(held, False)
        found, nearness = {}, Nearness(self._binding.shared.forgetting.embedder)
        for domain, replies in held.items():
            texts = await exchanges.texts(self._db.everywhere, replies)
            others = await exchanges.texts(self._db.everywhere, set(in_view).difference(replies))
            repeats = await asyncio.to_thread(shares, reply, texts, others)
            found[domain] = repeats or await nearness.near(reply, texts, others[-COMPARED:]) is not False
        return found

    async def preview(self, session: Session, part: Part, answers: str) -> None:
        """Queue the beginning of an answer, shown while the answer is made and replaced by it."""
        self._binding.require_own(session)
        async with self._binding.writing() as tx:
            await self._binding.queue(tx, session, [replace(part, operation="preview")], answers)

    async def note(self, kind: str, **counts: object) -> None:
        """Append a line to the activity log; it never holds anybody's words."""
        async with self._binding.writing() as tx:
            await ledger.note(tx, self.home.key, kind, self._binding.now(), **counts)

    async def activity(self, after: int, n: int) -> list[ledger.Activity]:
        """Return at most the last n activity log lines of home after line `after`, oldest first; they hold nobody's words."""
        return await ledger.happenings_in(self._db, self.home, after, n)

    async def embed(self, tell: Progress | None = None, most: int | None = None) -> int:
        """Embed everything at home without a vector; return how many items were embedded. Raises EmbeddingFailed.

        `tell` is called repeatedly with the number embedded and the total. At most `most` items per domain are embedded.
        """
        within = [one.domain for one in await confidences.within(self._db, self.home)]
        return sum([await self._binding.shared.embedder_routing.catch_up(domain, tell, most) for domain in (self.home, *within)])

    async def open_to(self, question: str) -> bool:
        """Have home embedded for other languages, too, if a question is in one; return whether that begins, and `embed` goes on
        with it.

        Raises EmbeddingFailed.
        """
        return await self._binding.shared.embedder_routing.open_to(self.home, question)

    async def forget_message(self, public_id: str, by: Identity | None = None) -> Forgotten:
        """Forget one message at home by id, and everything that rests on it, within the rights of `by` (None: any message).

        Raises NotFound, AmbiguousId, NotYours.
        """
        return await self._forget(ForgottenScope([await owners.message(self._db, self.home, await self.ids.full(public_id), by)]))

    async def extent(self, public_id: str) -> Selection:
        """Return what would go if a message at home, given by id, were forgotten. Raises NotFound, AmbiguousId."""
        item = await owners.message(self._db, self.home, await self.ids.full(public_id), None)
        message = (await self.messages.among([item])).get(item)
        if message is None:
            raise NotFound("There is no message with that id here.")
        return await self.selecting.with_message(message)

    async def forget_session(self, session: Session, by: Identity | None = None) -> Forgotten:
        """Forget every message of a session at home, or only what `by` said, and everything that rests on them."""
        self._binding.require_own(session)
        return await self._forget_all(by, session.key)

    async def forget_all(self, by: Identity | None = None) -> Forgotten:
        """Forget every message at home, or only what `by` said, and everything that rests on them."""
        return await self._forget_all(by, None)

    async def _forget_all(self, by: Identity | None, session: int | None) -> Forgotten:
        # Replies to somebody are not their own messages: they go with what they answer.
        identity = await owners.identity(self._db, by) if by else None
        if by and identity is None:
            return Forgotten(0, 0, 0)
        return await self._forget(ForgottenScope(session=session, identity=identity))

    async def _forget(self, scope: ForgottenScope) -> Forgotten:
        return await self._binding.shared.forgetting.forget(self.home, scope)
