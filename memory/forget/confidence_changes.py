"""Telling in confidence, and taking that back: which messages are kept from whom, with everything made of them.

As soon as messages are kept from anybody, digests are rewritten without them; replies that hold something of them are kept from
the same people.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.derive import refusals
from memory.forget import erase
from memory.forget.discretion_targets import MOST, DiscretionSearch, DiscretionTargets, kept_back
from memory.forget.thread_name_removal import unname
from memory.index.indexing import unindex
from memory.index.mentions import members_named
from memory.places import confidences, identities
from memory.store.database import Reader, Transaction
from memory.store.domains import by_domain, note_forgetting
from memory.text.display_names import TAG
from memory.text.told.announced_secrets import announces
from memory.text.told.discretion import request_in
from memory.text.told.topics import count_held
from memory.text.word_forms import name_forms
from memory.tiers import corrections, entities, exchanges, feedback
from memory.tiers.messages import said, storing
from memory.types import (
    MINUTE,
    NOBODY,
    Discretion,
    DiscretionScope,
    Domain,
    DomainKind,
    Exchange,
    Identity,
    Kind,
    NewExchange,
    Session,
    WithheldFrom,
)

_LONGEST_REQUEST = 300
"""The characters of the longest message that is read as nothing but a request."""
_SOON, _NEXT = 10 * MINUTE, 2
"""Within what time, in microseconds, and in how many next messages a figure alone is taken for what was told in confidence before."""


@dataclass(frozen=True, slots=True)
class ConfidenceChanges(DiscretionSearch):
    """Confidences: keeping items from some of the people who may know of their domain."""

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
        freed_now: dict[int | None, list[int]] = {}
        for message in stored:
            new = asks[message.source_id]
            if new.identity and new.discretion:
                ask = new.discretion
                whom = await withheld_from(tx, domains, ask, new.identity)
                if ask.ends:
                    confided = [item for item, _ in await confidences.told_by(tx, domains[0], new.identity, session.key)]
                    freed = await self.permitted(tx, confided, ask, message) if ask.back or ask.told else confided
                    freed_now.setdefault(message.identity, []).extend([message.key, *freed])
                    n = await self.end(tx, freed, whom)
                    ended += n
                    if not n:
                        await self._keep_unheeded(tx, domains, new.identity, message.key, ask)
                else:
                    targets = earlier[message.source_id]
                    kept = kept_back(ask, targets, [one for one in since if one.identity == message.identity])
                    # What was stored with the request may correct, or be corrected by, what it keeps back, and so may the request.
                    withdrawn = freed_now.pop(message.identity, [])
                    amended = await self.amended(tx, [message.key, *kept.earlier, *withdrawn])
                    del amended[message.key]
                    covered[message.key] = replace(kept.scope, earlier=len(amended))
                    await self.put(tx, sorted({message.key, *targets.with_replies([*amended])}), whom)
            since.append(message)
        return ended, covered

    async def _keep_unheeded(
        self, tx: Transaction, domains: Sequence[Domain], teller: Identity, item: int, ask: Discretion
    ) -> None:
        """Keep a permission that freed nothing from whom it names, if anything of its teller's is: it may say what that is about."""
        whom = await withheld_from(tx, domains, replace(ask, ends=False), teller)
        kept = [excepted for domain in domains for _, excepted in await confidences.told_by(tx, domain, teller)]
        if any(one.without(whom) != one for one in kept):
            await self.put(tx, [item], whom)

    async def permitted(
        self, tx: Transaction, confided: Sequence[int], ask: Discretion, permit: Exchange | None = None
    ) -> list[int]:
        """Return which of these messages, oldest first, may be told by a permission for one thing.

        That is what it names, what it answers, or what its speaker said directly before; nothing if that is not kept.
        """
        if ask.told:
            return []
        told = await exchanges.among(tx, confided)
        topic, meant = ask.topic, list[int]()
        if not topic and permit:
            answered = [one for one in told.values() if one.source_id == ask.about] if ask.about else []
            last = answered[0] if answered else None if ask.about else await said.before(tx, permit)
            if last is None or last.key not in told:
                return []
            meant = [last.key]
            request = request_in(last.text) if len(last.text) <= _LONGEST_REQUEST else None
            if request and request.back:
                # That was nothing but the request: what it kept is meant.
                topic, asked = request.topic, await said.before(tx, last)
                meant += [asked.key] if asked and asked.key in told and not topic else []
        if topic:
            meant += [item for item, one in told.items() if count_held(topic, one.text) == len(topic)]
        return sorted({*await corrections.with_tied(tx, meant)}.intersection(confided))

    async def may_concern(self, session: Session, messages: Sequence[NewExchange], *, correcting: bool) -> bool:
        """Return whether messages that ask for nothing, where something is kept, may have to be kept too: they may correct it, or were announced."""
        tellers = {one.identity for one in messages if one.identity and not correcting}
        last = [one for teller in tellers for one in await said.lately_by(self.db, session.key, teller, 1 << 62, 1)]
        return correcting or any(announces(one.text) for one in last)

    async def _announced(self, tx: Transaction, message: Exchange) -> list[int]:
        """Return the message directly before one by the same speaker, if it asks to keep what is said next."""
        teller = await identities.account(tx, message.identity) if message.identity else None
        before = await said.lately_by(tx, message.session, teller, message.key, 1) if teller else []
        return [one.key for one in before if announces(one.text)]

    async def withdrawn(self, domain: Domain, session: int, teller: Identity, item: int, text: str) -> list[int]:
        """Return what a message permitted to tell that is deleted or says something else now, with the replies that hold it."""
        permit = await asyncio.to_thread(request_in, text) if len(text) <= _LONGEST_REQUEST else None
        if permit is None or not permit.ends or permit.told or domain.ref.kind is DomainKind.DM:
            return []
        freed = await self.amended(self.db, [*await self.freed(domain.key, session, teller, permit, item)])
        return sorted({*freed, *[reply for one, said in freed.items() for reply in await self.replies(one, said)]} - {item})

    async def keep_with_corrected(self, tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
        """Keep these messages from everybody from whom something is kept that they correct, or that they tell anew."""
        corrected = await corrections.corrected_by(tx, [one.key for one in said])
        for one in said:
            of = corrected.get(one.key) or await self._told_anew(tx, domain, one)
            of = [*of, *await self._announced(tx, one)]
            for confided in (await confidences.by_item(tx, of)).values():
                await self.put(tx, [one.key], confided.excepted)

    async def _told_anew(self, tx: Transaction, domain: Domain, later: Exchange) -> list[int]:
        """Return what the speaker of a message confided in any conversation of a domain and may correct or tell anew with it."""
        teller = await identities.account(tx, later.identity) if later.identity and corrections.may_correct([later]) else None
        confided = await confidences.told_by(tx, domain, teller) if teller else []
        told = await exchanges.among(tx, [item for item, _ in confided[-MOST:]])
        earlier = {item: one for item, one in told.items() if one.said_at < later.said_at}
        soon = {item for item, one in earlier.items() if one.session == later.session and later.said_at - one.said_at < _SOON}
        if teller and earlier:
            soon |= {one.key for one in await said.lately_by(tx, later.session, teller, later.key, _NEXT)}
        return [item for item, one in earlier.items() if corrections.corrects(later, one, soon=item in soon)]

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


async def withheld_from(reader: Reader, domains: Sequence[Domain], ask: Discretion, teller: Identity) -> WithheldFrom:
    """Return the people meant; if one of the names is unknown here, everybody else is meant, or, to end discretion, nobody."""
    accounts = [await _accounts(reader, domains, name, declined=ask.ends and ask.declined) - {teller} for name in ask.names]
    if ask.ends and accounts and not all(accounts):
        return NOBODY
    if not accounts or not all(accounts):
        return WithheldFrom(frozenset({teller}), others=True)
    return WithheldFrom(frozenset().union(*accounts))


async def _accounts(reader: Reader, domains: Sequence[Domain], name: str, *, declined: bool) -> frozenset[Identity]:
    """Return the accounts that a name stands for among the speakers of some domains; all of them if ambiguous.

    With `declined`, a name that is nobody's may be the dative of one: "Benowi".
    """
    found: set[Identity] = set()
    for domain in domains:
        speakers = await said.speakers(reader, domain)
        meant = members_named(name, speakers)
        if not TAG.search(name):
            meant |= {one for one in speakers if TAG.search(one) and members_named(name, [TAG.sub("", one)])}
        if not meant and declined:
            meant = {one for one in speakers if name_forms.may_be_dative(name, one)}
            meant = meant if len(meant) == 1 else set()
        found.update(await said.accounts(reader, domain, meant))
    return frozenset(found)
