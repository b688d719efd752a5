"""Which earlier messages a request for discretion is about: what it names, answers or follows, and what was permitted just before."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from memory.forget.affected_replies import AffectedReplies
from memory.forget.forgetting import Forgetting
from memory.forget.sparing import Nearness
from memory.ports import Clock
from memory.store.database import DatabaseAccess, Reader, Row
from memory.store.domains import domains_of
from memory.text.told.discretion import discreet, request_in
from memory.text.told.topics import count_held, goes_on
from memory.tiers import corrections, exchanges
from memory.tiers.messages import said
from memory.types import DAY, Discretion, DiscretionScope, Domain, Exchange, Identity, Kind, NewExchange, Session

MOST = 200
"""The maximum number of messages with all words of a request's topic to be kept back, newest first."""
_RECENTLY = 3
"""The number of a speaker's last messages in a session of which a permission is withdrawn by a request."""
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
class DiscretionSearch:
    """Looks for the earlier messages that requests for discretion are about, with the replies that hold something of them."""

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
        amended = await self.amended(self.db, await corrections.would_correct(self.db, now)) if now else {}
        return {item: await self.replies(item, text) for item, text in amended.items()}

    async def targets(
        self, domain: int, session: int | None, teller: Identity, ask: Discretion, before: int = 1 << 62
    ) -> DiscretionTargets:
        """Return what a request for discretion in a session, or elsewhere (None), may be about, among the teller's messages before a key."""
        named = await self._named(domain, session, teller, ask.topic, before) if ask.topic and not ask.about else {}
        if ask.every:
            named |= await self._all_lately(domain, session, teller, before)
        if session is not None and not ask.about:
            named |= await self._freed_lately(domain, session, teller, before)
        last = None
        if session is not None and (ask.about or not named):
            last = await said.message_by(self.db, session, teller, ask.about, before)
        about, this = [await self.amended(self.db, items) for items in ([*named], [last.key] if last else [])]
        replies = {item: await self.replies(item, text) for item, text in {**about, **this}.items()}
        return DiscretionTargets(sorted(about), sorted(this), replies)

    async def _all_lately(self, domain: int, session: int | None, teller: Identity, before: int) -> dict[int, str]:
        """Return what a teller said within a day, in a session or in all of a domain."""
        found: dict[int, str] = {}
        since = self.clock.now() - DAY
        async for rows in said.pages(self.db, domain, teller, before):
            some = [row for row in rows if row["said_at"] >= since and session in (None, row["session"])]
            found |= {row["item"]: row["text"] for row in some}
            if len(found) >= MOST or rows[-1]["said_at"] < since:
                break
        return found

    async def _freed_lately(self, domain: int, session: int, teller: Identity, before: int) -> dict[int, str]:
        """Return what a teller permitted to tell just before in a session, with the permissions, which a request withdraws."""
        found: dict[int, str] = {}
        for one in await said.lately_by(self.db, session, teller, before, _RECENTLY):
            permit = await asyncio.to_thread(request_in, one.text)
            if permit and permit.ends and not permit.told:
                found[one.key] = one.text
                found |= await self.freed(domain, session, teller, permit, one.key)
                if not permit.topic:
                    beside = await said.lately_by(self.db, session, teller, one.key, 2)
                    lately = {} if permit.back else await self._all_lately(domain, session, teller, one.key)
                    found |= {item.key: item.text for item in beside} | lately
        return found

    async def freed(self, domain: int, session: int, teller: Identity, permit: Discretion, before: int) -> dict[int, str]:
        """Return what a permission may have freed, given in a session before a key: what asked for discretion, or was asked for.

        What it freed is not recorded, nor which message it answered, so that this may be more.
        """
        told: dict[int, str] = {}
        async for rows in said.pages(self.db, domain, teller, before):
            told |= {row["item"]: row["text"] for row in rows if row["session"] == session}
            if len(told) >= MOST:
                break
        kept = await asyncio.to_thread(_once_kept, dict(sorted(told.items())))
        return {item: text for item, text in kept.items() if count_held(permit.topic, text) == len(permit.topic)}

    async def amended(self, reader: Reader, items: Sequence[int]) -> dict[int, str]:
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
                if (n == len(topic) and wholly < MOST) or (n and lately):
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


def kept_back(ask: Discretion, targets: DiscretionTargets, since: Sequence[Exchange] = ()) -> KeptBack:
    """Return what a request keeps back of its targets and of the messages stored just before it (`since`).

    If nothing matches its topic, that is the teller's last message.
    """
    named = [*targets.named, *(one.key for one in since if ask.every or (not ask.about and count_held(ask.topic, one.text)))]
    if not named and (ask.back or (ask.topic and not ask.told)):
        earlier = [since[-1].key] if since and not ask.about else [*targets.last]
        return KeptBack(earlier, DiscretionScope(len(earlier), bool(earlier) and (not ask.topic or bool(ask.about))))
    return KeptBack(named, DiscretionScope(len(named)))


def _once_kept(told: Mapping[int, str]) -> dict[int, str]:
    """Return those of a speaker's messages, oldest first, that ask for discretion, and those that such a one asks it for."""
    kept: dict[int, str] = {}
    before: list[int] = []
    for item, text in told.items():
        if (ask := discreet(text)) is not None:
            about = [one for one in before if ask.topic and count_held(ask.topic, told[one]) == len(ask.topic)]
            about += before[-1:] if ask.back and not about else []
            kept |= {one: told[one] for one in (*about, item)}
        before.append(item)
    return kept
