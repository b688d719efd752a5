"""Telling in confidence, and taking that back: which messages are kept from whom, with everything made of them.

As soon as messages are kept from anybody, digests are rewritten without them; replies that hold something of them are kept from
the same people.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from memory.derive import refusals
from memory.forget import erase
from memory.forget.affected_replies import AffectedReplies
from memory.forget.forgetting import Forgetting
from memory.forget.sparing import Nearness
from memory.forget.thread_name_removal import unname
from memory.index.indexing import unindex
from memory.index.mentions import members_named
from memory.places import confidences, identities
from memory.ports import Clock
from memory.store.database import DatabaseAccess, Reader, Row, Transaction
from memory.store.domains import by_domain, domains_of, note_forgetting
from memory.text.display_names import TAG
from memory.text.told.discretion import count_held, goes_on
from memory.text.word_forms import name_forms
from memory.tiers import corrections, entities, exchanges, feedback
from memory.tiers.messages import said, storing
from memory.types import (
    MINUTE,
    NOBODY,
    Discretion,
    DiscretionScope,
    Domain,
    Exchange,
    Identity,
    Kind,
    NewExchange,
    Session,
    WithheldFrom,
)

_MOST = 200
"""The maximum number of messages with all words of a request's topic to be kept back, newest first."""
_SOON, _NEXT = 10 * MINUTE, 2
"""Within what time, in microseconds, and in how many next messages a figure alone is taken for what was told in confidence before."""
_LATELY = 20
"""The number of a speaker's last messages in a session that are searched for some of the topic's words."""


@dataclass(frozen=True, slots=True)
class DiscretionTargets:
    """The earlier messages that a request for discretion may be about.

    `named` are those about its topic, `last` is the one it answers or else the last one, both with what corrects them or is
    corrected by them; `replies` maps each to the replies that hold something of it.
    """

    named: Sequence[int] = ()
    last: Sequence[int] = ()
    replies: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def with_replies(self, said: Sequence[int]) -> list[int]:
        """Return some of these messages along with the replies that hold something of them."""
        return sorted({*said, *(reply for item in said for reply in self.replies.get(item, ()))})


class KeptBack(NamedTuple):
    """The earlier messages that a request for discretion keeps back, oldest first, and what the teller is told of it."""

    earlier: list[int]
    scope: DiscretionScope


@dataclass(frozen=True, slots=True)
class ConfidenceChanges:
    """Confidences: keeping items from some of the people who may know of their domain."""

    db: DatabaseAccess
    forgetting: Forgetting
    clock: Clock

    async def earlier(
        self, session: Session, offered: Sequence[NewExchange], beside: Sequence[Domain]
    ) -> Mapping[str, DiscretionTargets]:
        """Return what the requests for discretion among these messages may be about, by platform id: here, or in a domain `beside`."""
        found: dict[str, DiscretionTargets] = {}
        for new in offered:
            if new.identity and new.discretion and not new.discretion.ends:
                targets = await self.targets(session.domain, session.key, new.identity, new.discretion)
                for domain in beside if not (targets.named or new.discretion.about or new.discretion.told) else ():
                    there = await self.targets(domain.key, None, new.identity, new.discretion)
                    named = [*targets.named, *there.named]
                    targets = DiscretionTargets(named, targets.last, {**targets.replies, **there.replies})
                found[new.source_id] = replace(
                    targets, replies={**targets.replies, **await self._corrected(session, new.identity, new)}
                )
        return found

    async def _corrected(self, session: Session, teller: Identity, new: NewExchange) -> dict[int, list[int]]:
        """Return what a message of a teller's would correct, each with the replies that hold something of it."""
        last = await said.message_by(self.db, session.key, teller, "")
        now = last and last._replace(key=0, text=new.text, kind=new.kind, role=new.role, said_at=new.said_at)
        amended = await self._amended(self.db, await corrections.would_correct(self.db, now)) if now else {}
        return {item: await self.replies(item, text) for item, text in amended.items()}

    async def targets(
        self, domain: int, session: int | None, teller: Identity, ask: Discretion, before: int = 1 << 62
    ) -> DiscretionTargets:
        """Return what a request for discretion in a session, or elsewhere (None), may be about, among the teller's messages before a key."""
        named = await self._named(domain, session, teller, ask.topic, before) if ask.topic and not ask.about else {}
        last = None
        if session is not None and (ask.about or not named):
            last = await said.message_by(self.db, session, teller, ask.about, before)
        about, this = [await self._amended(self.db, items) for items in ([*named], [last.key] if last else [])]
        replies = {item: await self.replies(item, text) for item, text in {**about, **this}.items()}
        return DiscretionTargets(sorted(about), sorted(this), replies)

    async def _amended(self, reader: Reader, items: Sequence[int]) -> dict[int, str]:
        """Return the texts of these messages, and of those that correct them or are corrected by them."""
        found = await exchanges.among(reader, await corrections.with_tied(reader, items))
        return {key: one.text for key, one in found.items() if one.kind is Kind.SAID}

    async def _named(
        self, domain: int, session: int | None, teller: Identity, topic: frozenset[str], before: int
    ) -> dict[int, str]:
        """Return the messages about a topic: those with all of its words, and of the latest ones those with some.

        A message's successor is included if it names nothing itself.
        """
        found: dict[int, str] = {}
        next_ones: dict[int, tuple[Row, bool]] = {}
        left, wholly = _LATELY, 0
        async for rows in said.pages(self.db, domain, teller, before):
            words = await asyncio.to_thread(
                lambda rows: [(count_held(topic, row["text"]), goes_on(row["text"])) for row in rows], rows
            )
            for row, (n, on) in zip(rows, words, strict=True):
                lately = session in (None, row["session"]) and left > 0
                left -= lately
                if (n == len(topic) and wholly < _MOST) or (n and lately):
                    wholly += n == len(topic)
                    found[row["item"]] = row["text"]
                    behind, continues = next_ones.get(row["session"], (None, False))
                    if behind and continues:
                        found[behind["item"]] = behind["text"]
                next_ones[row["session"]] = row, on
        return found

    async def replies(self, item: int, text: str) -> list[int]:
        """Return the replies, in any domain, that hold something of a message with this text."""
        walk = AffectedReplies(self.db, Nearness(self.forgetting.embedder))
        return sorted([one for there in await domains_of(self.db, [item]) for one in await walk.along(there, {item: [text]})])

    async def heed(
        self, tx: Transaction, domains: Sequence[Domain], session: Session, stored: Sequence[Exchange],
        offered: Sequence[NewExchange], earlier: Mapping[str, DiscretionTargets],
    ) -> tuple[int, Mapping[int, DiscretionScope]]:  # fmt: skip
        """Carry out the requests in newly stored messages; the people meant are looked up in these domains, home first.

        Returns how many messages may be told again, and what each request for discretion keeps back.
        """
        asks = {new.source_id: new for new in offered}
        ended, covered = 0, {}
        since: list[Exchange] = []
        for message in stored:
            new = asks[message.source_id]
            if new.identity and new.discretion:
                ask = new.discretion
                whom = await withheld_from(tx, domains, ask, new.identity)
                if ask.ends:
                    confided = [item for item, _ in await confidences.told_by(tx, domains[0], new.identity, session.key)]
                    ended += await self.end(tx, await self.permitted(tx, confided, ask) if ask.back else confided, whom)
                else:
                    targets = earlier[message.source_id]
                    kept = kept_back(ask, targets, [one for one in since if one.identity == message.identity])
                    # What was stored with the request may correct, or be corrected by, what it keeps back, and so may the request.
                    amended = await self._amended(tx, [message.key, *kept.earlier])
                    del amended[message.key]
                    covered[message.key] = replace(kept.scope, earlier=len(amended))
                    await self.put(tx, sorted({message.key, *targets.with_replies([*amended])}), whom)
            since.append(message)
        return ended, covered

    async def permitted(self, tx: Transaction, confided: Sequence[int], ask: Discretion) -> list[int]:
        """Return which of these messages, oldest first, may be told by a permission for one thing: what it names, answers, or was told last."""
        told = await exchanges.among(tx, confided)
        if ask.topic:
            meant = [item for item, one in told.items() if count_held(ask.topic, one.text) == len(ask.topic)]
        else:
            meant = [item for item, one in told.items() if ask.about and one.source_id == ask.about] or [*confided[-1:]]
        return sorted({*await corrections.with_tied(tx, meant)}.intersection(confided))

    async def keep_with_corrected(self, tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
        """Keep these messages from everybody from whom something is kept that they correct, or that they tell anew."""
        corrected = await corrections.corrected_by(tx, [one.key for one in said])
        for one in said:
            of = corrected.get(one.key) or await self._told_anew(tx, domain, one)
            for confided in (await confidences.by_item(tx, of)).values():
                await self.put(tx, [one.key], confided.excepted)

    async def _told_anew(self, tx: Transaction, domain: Domain, later: Exchange) -> list[int]:
        """Return what the speaker of a message confided in any conversation of a domain and may correct or tell anew with it."""
        teller = await identities.account(tx, later.identity) if later.identity and corrections.may_correct([later]) else None
        confided = await confidences.told_by(tx, domain, teller) if teller else []
        told = await exchanges.among(tx, [item for item, _ in confided[-_MOST:]])
        earlier = {item: one for item, one in told.items() if one.said_at < later.said_at}
        soon = {item for item, one in earlier.items() if one.session == later.session and later.said_at - one.said_at < _SOON}
        if teller and earlier:
            soon |= await self._just_before(tx, teller, later)
        return [item for item, one in earlier.items() if corrections.corrects(later, one, soon=item in soon)]

    async def _just_before(self, tx: Transaction, teller: Identity, later: Exchange) -> set[int]:
        """Return the last messages of a teller's in a conversation before one."""
        found, before = set[int](), later.key
        while len(found) < _NEXT and (one := await said.message_by(tx, later.session, teller, "", before)):
            before = one.key
            found.add(before)
        return found

    async def put(self, tx: Transaction, items: Sequence[int], whom: WithheldFrom) -> None:
        """Keep items from these people as well, from this transaction on."""
        confided = await confidences.by_item(tx, items)
        await self._set(tx, {item: (confided[item].excepted if item in confided else NOBODY).and_(whom) for item in items})

    async def end(self, tx: Transaction, items: Sequence[int], told: WithheldFrom) -> int:
        """Stop keeping these items from the people in `told`; return for how many items that changes anything."""
        kept = await confidences.by_item(tx, items)
        changed = {item: after for item, one in kept.items() if (after := one.excepted.without(told)) != one.excepted}
        await self._set(tx, changed)
        return len(changed)

    async def _set(self, tx: Transaction, kept_from: Mapping[int, WithheldFrom]) -> None:
        now = self.clock.now()
        for domain, items in await by_domain(tx, sorted(kept_from)):
            above = set(await erase.digests_above(tx, items)).difference(items)
            # Feedback on an answer stays with it.
            above -= await feedback.among(tx, sorted(above))
            for there, digests in await by_domain(tx, sorted(above)):
                await erase.retire(tx, there, digests, now)
            await refusals.drop(tx, domain)
            await unindex(tx, domain, items)
            await unname(tx, [item for item in items if kept_from[item] != NOBODY], now)
            for whom in {kept_from[item]: None for item in items}:
                await confidences.put(tx, domain, [item for item in items if kept_from[item] == whom], whom, now)
            said = (await exchanges.among(tx, items)).values()
            await storing.index(tx, domain, [message for message in said if exchanges.recallable(message)])
            await entities.requeue(tx, domain, [message.key for message in said if message.kind is Kind.SAID])
            await note_forgetting(tx, domain, now)


def kept_back(ask: Discretion, targets: DiscretionTargets, since: Sequence[Exchange] = ()) -> KeptBack:
    """Return what a request keeps back of its targets and of the messages stored just before it (`since`).

    If nothing matches its topic, that is the teller's last message.
    """
    named = [*targets.named, *(one.key for one in since if not ask.about and count_held(ask.topic, one.text))]
    if not named and (ask.back or (ask.topic and not ask.told)):
        earlier = [since[-1].key] if since and not ask.about else [*targets.last]
        return KeptBack(earlier, DiscretionScope(len(earlier), bool(earlier) and (not ask.topic or bool(ask.about))))
    return KeptBack(named, DiscretionScope(len(named)))


async def withheld_from(reader: Reader, domains: Sequence[Domain], ask: Discretion, teller: Identity) -> WithheldFrom:
    """Return the people meant; if one of the names is unknown here, everybody else is meant, or, to end discretion, nobody."""
    accounts = [await _accounts(reader, domains, name, declined=ask.ends) - {teller} for name in ask.names]
    if ask.ends and accounts and not all(accounts):
        return NOBODY
    if not accounts or not all(accounts):
        return WithheldFrom(frozenset({teller}), others=True)
    return WithheldFrom(frozenset().union(*accounts))


async def _accounts(reader: Reader, domains: Sequence[Domain], name: str, *, declined: bool) -> frozenset[Identity]:
    """Return the accounts that a name stands for among the speakers of some domains; all of them if ambiguous.

    With `declined`, a name that is nobody's may be a form of one: "Benowi". What is kept is kept from everybody then.
    """
    found: set[Identity] = set()
    for domain in domains:
        speakers = await said.speakers(reader, domain)
        meant = members_named(name, speakers)
        if not TAG.search(name):
            meant |= {one for one in speakers if TAG.search(one) and members_named(name, [TAG.sub("", one)])}
        if not meant and declined:
            forms = name_forms.every_form(name)
            meant = {one for one in speakers if not forms.isdisjoint(name_forms.forms(one))}
            meant = meant if len(meant) == 1 else set()
        found.update(await said.accounts(reader, domain, meant))
    return frozenset(found)
