"""Telling in confidence, and taking that back: which messages are kept from whom.

Replies that hold something of a message are kept from the same people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.forget import setting_apart
from memory.forget.discretion_targets import MOST, DiscretionSearch, DiscretionTargets, kept_back
from memory.forget.sparing import Nearness
from memory.index.mentions import members_named
from memory.places import confidences, identities
from memory.store.database import Reader, Transaction
from memory.store.domains import by_domain
from memory.text.display_names import TAG
from memory.text.off_loop import off_loop
from memory.text.told import follow_ups
from memory.text.told.announced_secrets import LATELY, announced_by, announces, tells_what_was_named, waits
from memory.text.told.topics import count_held
from memory.text.word_forms import name_forms
from memory.tiers import corrections, exchanges
from memory.tiers.messages import said
from memory.types import (
    MINUTE,
    NOBODY,
    Discretion,
    DiscretionScope,
    Domain,
    Exchange,
    Identity,
    NewExchange,
    Session,
    WithheldFrom,
)

SOON, _NEXT = 10 * MINUTE, 2
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
        for message in stored:
            new = asks[message.source_id]
            if new.identity and new.discretion:
                ask, key = new.discretion, message.key
                whom = await withheld_from(tx, domains, ask, new.identity)
                theirs = [one for one in since if one.identity == message.identity]
                if ask.ends:
                    confided = await confidences.told_by(tx, domains[0], new.identity, session.key)
                    n = await self.end(tx, await self.permitted(tx, confided, ask, whom, message), whom, key)
                    ended += n
                    if not n:
                        await self._keep_unheeded(tx, domains, new.identity, key, ask)
                else:
                    targets = earlier[message.source_id]
                    kept = kept_back(ask, targets, theirs, announced=announces(message.text))
                    permits = await confidences.heeded(tx, requests=[one.key for one in theirs if ask.back])
                    withdrawn = [item for one in permits if one.frees for item in (one.item, one.request)]
                    # What was stored with the request may correct, or be corrected by, what it keeps back, and so may the request.
                    about = await setting_apart.amended(tx, [key, *kept.earlier, *withdrawn])
                    before = await said.lately_by(tx, session.key, new.identity, key, LATELY)
                    ahead = not (ask.about or ask.of_another) and waits(message.text, message.said_at, before)
                    named_ahead = bool(ask.topic) and not (ask.told or kept.scope.sure)
                    sure = kept.scope.sure or ahead
                    covered[key] = replace(kept.scope, earlier=len(about) - 1, sure=sure, ahead=ahead or named_ahead)
                    await self.put(tx, [*about], whom, key)
                    await self.put(tx, targets.with_replies([*about]), whom)
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
        self, tx: Transaction, confided: Sequence[tuple[int, WithheldFrom]], ask: Discretion, whom: WithheldFrom,
        permit: Exchange | None = None,
    ) -> list[int]:  # fmt: skip
        """Return which of these messages, oldest first, may be told to some people by a permission.

        That is what it names, all of it if it says so, what it answers, what its speaker said directly before if it means one thing
        by that, and else what was kept from these people last; nothing if that is not kept.
        """
        if ask.told:
            return []
        told = await exchanges.among(tx, [item for item, _ in confided])
        if ask.topic:
            meant = [item for item, one in told.items() if count_held(ask.topic, one.text) == len(ask.topic)]
        elif permit is None or (ask.every and not ask.about):
            return [*told] if permit else []
        else:
            asked = [one for one in await confidences.heeded(tx, items=told) if not one.frees]
            if ask.about:
                last = {item for item, one in told.items() if one.source_id == ask.about}
            elif ask.back:
                before = await said.before(tx, permit)
                last = {before.key} if before else set()
            else:
                kept = {item for item, one in confided if one.without(whom) != one}
                requests = {one.request for one in asked if one.item in kept and one.whom.without(whom) != one.whom}
                last = {max(requests or kept)} if kept else set()
            # Of a request that is meant all is that it keeps back.
            meant = [item for item in told if item in last or any(one.item == item and one.request in last for one in asked)]
        return sorted({*await corrections.with_tied(tx, meant)}.intersection(told))

    async def with_follow_ups(self, session: Session, messages: Sequence[NewExchange]) -> list[NewExchange]:
        """Return messages with those as requests for discretion that their speakers' last message makes such: "wait no", "Cleo neither"."""
        found: list[NewExchange] = []
        for new in messages:
            if new.identity and new.discretion is None and len(new.text) <= follow_ups.LONGEST:
                theirs = [one for one in found if one.identity == new.identity]
                latest = theirs or await said.lately_by(self.db, session.key, new.identity, 1 << 62, 1)
                if latest and new.said_at - (last := latest[-1]).said_at <= SOON:
                    asked = partial(follow_ups.follow_up, new.text, last.text, last.source_id)
                    new = replace(new, discretion=await off_loop(2 * len(last.text), asked))
            found.append(new)
        return found

    async def may_concern(self, session: Session, messages: Sequence[NewExchange], *, correcting: bool) -> bool:
        """Return whether messages that ask for nothing, where something is kept, may have to be kept too: they may correct it, or were announced."""
        tellers = {one.identity for one in messages if one.identity and not correcting}
        for teller in tellers:
            before = await said.lately_by(self.db, session.key, teller, 1 << 62, LATELY)
            at = max(one.said_at for one in messages if one.identity == teller)
            if announced_by(at, before) is not None:
                return True
        return correcting

    async def _announced(self, tx: Transaction, message: Exchange) -> list[int]:
        """Return the message before one by the same speaker that asks to keep what is said next, if there is one."""
        teller = await identities.account(tx, message.identity) if message.identity else None
        before = await said.lately_by(tx, message.session, teller, message.key, LATELY) if teller else []
        by = announced_by(message.said_at, before)
        return [] if by is None else [by.key]

    async def keep_again(self, permits: Sequence[int]) -> None:
        """Keep what these messages permitted to tell from those whom they named, as they do so no more."""
        freed = await setting_apart.freed_by(self.db, Nearness(self.forgetting.embedder), permits)
        async with self.db.transaction() as tx:
            await setting_apart.put(tx, freed, self.clock.now())
            await confidences.unheed(tx, permits)

    async def keep_with_corrected(self, tx: Transaction, domain: Domain, said: Sequence[Exchange]) -> None:
        """Keep these messages from everybody from whom something is kept that they correct, or that they tell anew."""
        corrected = await corrections.corrected_by(tx, [one.key for one in said])
        for one in said:
            of = corrected.get(one.key) or await self._told_anew(tx, domain, one)
            of = [*of, *await self._announced(tx, one)]
            for confided in (await confidences.by_item(tx, of)).values():
                await self.put(tx, [one.key], confided.excepted, one.key)

    async def _told_anew(self, tx: Transaction, domain: Domain, later: Exchange) -> list[int]:
        """Return what the speaker of a message confided in any conversation of a domain and may correct or tell anew with it."""
        teller = await identities.account(tx, later.identity) if later.identity and corrections.may_correct([later]) else None
        confided = await confidences.told_by(tx, domain, teller) if teller else []
        told = await exchanges.among(tx, [item for item, _ in confided[-MOST:]])
        earlier = {item: one for item, one in told.items() if one.said_at < later.said_at}
        soon = {item for item, one in earlier.items() if one.session == later.session and later.said_at - one.said_at < SOON}
        if teller and earlier:
            soon |= {one.key for one in await said.lately_by(tx, later.session, teller, later.key, _NEXT)}
        return [
            item
            for item, one in earlier.items()
            if corrections.corrects(later, one, soon=item in soon) or tells_what_was_named(later.text, one.text)
        ]

    async def put(self, tx: Transaction, items: Sequence[int], whom: WithheldFrom, request: int | None = None) -> None:
        """Keep items from these people as well, from this transaction on, as a message or, as an item, its teller requests."""
        await setting_apart.put(tx, dict.fromkeys(items, whom), self.clock.now())
        if request is not None:
            await self._note(tx, items, request, whom, frees=False)

    async def end(self, tx: Transaction, items: Sequence[int], told: WithheldFrom, permit: int | None = None) -> int:
        """Stop keeping these items from the people in `told`; return for how many items that changes anything.

        It is recorded of a message that permits it, as it is kept again as that goes.
        """
        kept = {item: one.excepted for item, one in (await confidences.by_item(tx, items)).items()}
        changed = {item: after for item, one in kept.items() if (after := one.without(told)) != one}
        await setting_apart.put_exactly(tx, changed, self.clock.now())
        freed = {item: kept[item].without(after) for item, after in changed.items()}
        for whom in {*freed.values()} if permit is not None else ():
            await self._note(tx, [item for item, one in freed.items() if one == whom], permit or 0, whom, frees=True)
        return len(changed)

    async def _note(self, tx: Transaction, items: Sequence[int], request: int, whom: WithheldFrom, *, frees: bool) -> None:
        for domain, those in await by_domain(tx, items):
            await confidences.note(tx, domain, those, request, whom, self.clock.now(), frees=frees)


async def withheld_from(reader: Reader, domains: Sequence[Domain], ask: Discretion, teller: Identity) -> WithheldFrom:
    """Return the people meant; if one of the names is unknown here, everybody else is meant, or, to end discretion, nobody.

    Of those who may know although nobody else does, a name must be that of one account.
    """
    accounts = [await _accounts(reader, domains, name, declined=ask.ends and ask.declined) - {teller} for name in ask.names]
    if ask.ends and accounts and not all(accounts):
        return NOBODY
    if not accounts or not all(accounts):
        may_know = [one for name in ask.but if len(one := await _accounts(reader, domains, name, declined=False)) == 1]
        return WithheldFrom(frozenset({teller}).union(*may_know), others=True)
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
