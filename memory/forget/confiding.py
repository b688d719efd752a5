"""Telling in confidence, and taking that back: which messages are kept from whom, with what was made of them.

Digests of them are made anew without, as soon as they are kept from anybody; replies that hold something of them are kept from
the same people.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory.derive import refusals
from memory.forget import erase
from memory.forget.forgetting import Forgetting
from memory.forget.sparing import Nearness
from memory.forget.walk import Walk
from memory.index.indexing import unindex
from memory.index.mentions import named
from memory.places import confidences
from memory.ports import Clock
from memory.store.database import Database, Reader, Transaction
from memory.store.domains import by_domain, domains_of, note_forgetting
from memory.text.display_names import TAG
from memory.text.told.topics import held
from memory.tiers import entities, exchanges
from memory.tiers.messages import said, storing
from memory.types import NOBODY, Discretion, Domain, Excepted, Exchange, Identity, Kind, NewExchange, Session

_MOST = 200
"""So many of the newest messages that hold all that a request names are kept back with it."""
_LATELY = 20
"""Among so many of somebody's last messages in a conversation is looked for what holds some of what a request names."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What people said before they asked for discretion: the last in a session by their accounts, with the replies that hold
    something of it; and by the asking message, what they said of what it names, with such replies.
    """

    said: Mapping[Identity, int] = field(default_factory=dict)
    replies: Mapping[int, Sequence[int]] = field(default_factory=dict)
    named: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Confiding:
    """Keeps items from some of those who may know of their domain."""

    db: Database
    forgetting: Forgetting
    clock: Clock

    async def earlier(self, session: Session, offered: Sequence[NewExchange]) -> Earlier:
        """Return what those of these messages that are about something said before may be about."""
        last: dict[Identity, int] = {}
        replies: dict[int, Sequence[int]] = {}
        about: dict[str, Sequence[int]] = {}
        for new in offered:
            if new.identity is None or new.discretion is None:
                continue
            about[new.source_id] = await self._named(session, new.identity, new.discretion)
            if not new.discretion.back or new.identity in last:
                continue
            before = await exchanges.said_by(self.db, session, new.identity, new.discretion.about)
            if before:
                last[new.identity] = before.key
                replies[before.key] = await self.replies(before.key, before.text)
        return Earlier(last, replies, about)

    async def _named(self, session: Session, teller: Identity, ask: Discretion) -> list[int]:
        """Return what somebody said that holds all that a request names, with the replies that hold something of it.

        Where nothing does and the request is about what was said before, what they said lately that holds some of it.
        """
        if ask.ends or ask.about or not ask.topic:
            return []
        wholly: dict[int, str] = {}
        partly: dict[int, str] = {}
        left = _LATELY if ask.back else 0
        async for rows in said.pages(self.db, session.domain, teller):
            found = await asyncio.to_thread(
                lambda texts: [held(ask.topic, text) for text in texts], [row["text"] for row in rows]
            )
            for row, words in zip(rows, found, strict=True):
                if words == len(ask.topic) and len(wholly) < _MOST:
                    wholly[row["item"]] = row["text"]
                if left and row["session"] == session.key:
                    left -= 1
                    partly |= {row["item"]: row["text"]} if words else {}
        about = wholly or partly
        replies = [reply for item, text in about.items() for reply in await self.replies(item, text)]
        return sorted({*about, *replies})

    async def replies(self, item: int, text: str) -> list[int]:
        """Return the replies, wherever they are, that hold something of a message with these words."""
        walk = Walk(self.db, Nearness(self.forgetting.embedder))
        return sorted([one for there in await domains_of(self.db, [item]) for one in await walk.along(there, {item: [text]})])

    async def heed(
        self, tx: Transaction, domains: Sequence[Domain], session: Session, stored: Sequence[Exchange],
        offered: Sequence[NewExchange], earlier: Earlier,
    ) -> int:  # fmt: skip
        """Do what messages ask for that were stored just now, by those who may be meant in these domains, home first.

        Returns how many messages may be told again.
        """
        asks = {new.source_id: new for new in offered}
        last = dict(earlier.said)
        ended = 0
        since: list[Exchange] = []
        for message in stored:
            new = asks[message.source_id]
            if new.identity and new.discretion:
                ask, before = new.discretion, last.get(new.identity)
                whom = await excepted(tx, domains, ask, new.identity)
                if ask.ends:
                    told = [item for item, _ in await confidences.told_by(tx, domains[0], new.identity, session.key)]
                    ended += await self.end(tx, told, whom)
                else:
                    before = earlier.said.get(new.identity) if ask.about else before
                    about = [before, *earlier.replies.get(before, ())] if ask.back and before is not None else []
                    about += earlier.named.get(message.source_id, ())
                    about += [one.key for one in since if one.identity == message.identity and _is_about(ask, one.text)]
                    await self.put(tx, sorted({message.key, *about}), whom)
            since.append(message)
            if new.identity:
                last[new.identity] = message.key
        return ended

    async def put(self, tx: Transaction, items: Sequence[int], whom: Excepted) -> None:
        """Keep items from these people as well, from this transaction on."""
        told = await confidences.of(tx, items)
        await self._set(tx, {item: (told[item].excepted if item in told else NOBODY).and_(whom) for item in items})

    async def end(self, tx: Transaction, items: Sequence[int], told: Excepted) -> int:
        """Let those whom `told` names know what was kept from them; return how many of these items that changes."""
        kept = await confidences.of(tx, items)
        changed = {item: after for item, one in kept.items() if (after := one.excepted.without(told)) != one.excepted}
        await self._set(tx, changed)
        return len(changed)

    async def _set(self, tx: Transaction, kept_from: Mapping[int, Excepted]) -> None:
        now = self.clock.now()
        for domain, items in await by_domain(tx, sorted(kept_from)):
            above = sorted(set(await erase.digests_above(tx, items)).difference(items))
            for there, digests in await by_domain(tx, above):
                await erase.retire(tx, there, digests, now)
            await refusals.drop(tx, domain)
            await unindex(tx, domain, items)
            for whom in {kept_from[item]: None for item in items}:
                await confidences.put(tx, domain, [item for item in items if kept_from[item] == whom], whom, now)
            said = (await exchanges.among(tx, items)).values()
            await storing.index(tx, domain, [message for message in said if exchanges.recallable(message)])
            await entities.again(tx, domain, [message.key for message in said if message.kind is Kind.SAID])
            await note_forgetting(tx, domain, now)


def _is_about(ask: Discretion, text: str) -> bool:
    return bool(ask.topic) and not ask.about and held(ask.topic, text) == len(ask.topic)


async def excepted(reader: Reader, domains: Sequence[Domain], ask: Discretion, teller: Identity) -> Excepted:
    """Return whom somebody means: everybody else where one of the names is nobody's here, who then may be told nothing either."""
    accounts = [await _accounts(reader, domains, name) - {teller} for name in ask.names]
    if ask.ends and accounts and not all(accounts):
        return NOBODY
    if not accounts or not all(accounts):
        return Excepted(frozenset({teller}), others=True)
    return Excepted(frozenset().union(*accounts))


async def _accounts(reader: Reader, domains: Sequence[Domain], name: str) -> frozenset[Identity]:
    """Return the accounts that a name stands for among those who spoke in some domains: of several, all."""
    found: set[Identity] = set()
    for domain in domains:
        speakers = await exchanges.speakers(reader, domain)
        meant = named(name, speakers)
        if not TAG.search(name):
            meant |= {one for one in speakers if TAG.search(one) and named(name, [TAG.sub("", one)])}
        found.update(await exchanges.who_spoke(reader, domain, meant))
    return frozenset(found)
