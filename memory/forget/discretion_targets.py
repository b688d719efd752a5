"""Which earlier messages a request for discretion is about: what it names, answers or follows, and what was permitted just before."""

import asyncio
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from memory.forget import setting_apart
from memory.forget.forgetting import Forgetting
from memory.forget.sparing import Nearness
from memory.index.recall.finder import Recall
from memory.places import confidences
from memory.ports import Clock
from memory.store.database import DatabaseAccess
from memory.text.told.topics import count_held, goes_on
from memory.tiers import corrections, exchanges
from memory.tiers.messages import said
from memory.types import DAY, Discretion, DiscretionScope, Domain, Exchange, Identity, NewExchange, Session

MOST = 200
"""The maximum number of messages with all words of a request's topic to be kept back, newest first."""
_RECENTLY = 3
"""The number of a speaker's last messages in a session of which a permission is withdrawn by a request."""
_LATELY = 20
"""The number of a speaker's last messages in a session that are searched for some of the topic's words."""
_READ, _CHARACTERS = 200, 100_000
"""The most of a speaker's last messages that are read for all of these words, and of their characters; older ones are found by the index."""
_LOOKED_UP = 4_000
"""Of so many messages that the index finds, anybody's, the newest ones, it is asked who said them."""


@dataclass(frozen=True, slots=True)
class DiscretionTargets:
    """The earlier messages that a request for discretion may be about.

    `named` are those about its topic, `last` is the one it answers or else the last one, both with what corrects them or is
    corrected by them. `replies` are those that hold something of some messages, beside these.
    """

    named: Sequence[int] = ()
    last: Sequence[int] = ()
    replies: Sequence[tuple[frozenset[int], Sequence[int]]] = ()

    def with_replies(self, said: Sequence[int]) -> list[int]:
        """Return some of these messages along with the replies that hold something of them."""
        return sorted({*said, *(reply for items, some in self.replies if items.intersection(said) for reply in some)})


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
    recall: Recall

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
                    targets = DiscretionTargets([*targets.named, *there.named], targets.last, [*targets.replies, *there.replies])
                found[new.source_id] = replace(targets, replies=[*targets.replies, await self._corrected(session, new.identity, new)])
        return found

    async def _corrected(self, session: Session, teller: Identity, new: NewExchange) -> tuple[frozenset[int], Sequence[int]]:
        """Return what a message of a teller's would correct, and the replies that hold something of it."""
        last = await said.message_by(self.db, session.key, teller, "")
        now = last and last._replace(key=0, text=new.text, kind=new.kind, role=new.role, said_at=new.said_at)
        return await self._with_replies(await corrections.would_correct(self.db, now) if now else [])

    async def targets(
        self, domain: int, session: int | None, teller: Identity, ask: Discretion, before: int = 1 << 62
    ) -> DiscretionTargets:
        """Return what a request for discretion in a session, or elsewhere (None), may be about, among the teller's messages before a key."""
        named = await self._named(domain, session, teller, ask.topic, before) if ask.topic and not ask.about else set[int]()
        if ask.every:
            since = self.clock.now() - DAY
            named.update(one.key for one in await said.latest(self.db, domain, session, teller, before, MOST, since))
        if session is not None and ask.back and not ask.about:
            lately = [one.key for one in await said.lately_by(self.db, session, teller, before, _RECENTLY)]
            freed = [one for one in await confidences.heeded(self.db, requests=lately) if one.frees]
            named.update(item for one in freed for item in (one.item, one.request))
        last = None
        if session is not None and (ask.about or not named):
            last = await said.message_by(self.db, session, teller, ask.about, before)
        about, this = [await self._with_replies(items) for items in (sorted(named), [last.key] if last else [])]
        return DiscretionTargets(sorted(about[0]), sorted(this[0]), [about, this])

    async def _with_replies(self, items: Sequence[int]) -> tuple[frozenset[int], Sequence[int]]:
        """Return these messages with those that correct them or are corrected by them, and the replies that hold something of these."""
        texts = await setting_apart.amended(self.db, items) if items else {}
        return frozenset(texts), await self.replies(texts)

    async def _named(self, domain: int, session: int | None, teller: Identity, topic: frozenset[str], before: int) -> set[int]:
        """Return the messages about a topic: those with all of its words, and of the latest ones those with some.

        A message's successor is included if it names nothing itself.
        """
        lately, latest = [
            await said.latest(self.db, domain, where, teller, before, n) for where, n in ((session, _LATELY), (None, _READ))
        ]
        read = latest[: bisect_right([*accumulate(len(one.text) for one in latest)], _CHARACTERS)]
        texts = {one.key: one.text for one in (*lately, *read)}
        held = await asyncio.to_thread(lambda: {key: count_held(topic, text) for key, text in texts.items()})
        found = {key for key, n in held.items() if n == len(topic)} | {one.key for one in lately if held[one.key]}
        if latest and (len(latest) == _READ or len(read) < len(latest)):
            within = [domain, *await confidences.keys_within(self.db, domain)]
            older = [item for item in await self.recall.telling(topic, within) if item < latest[0].key and item not in texts]
            found.update((await said.by(self.db, older[:_LOOKED_UP], teller))[-MOST:])
        following = await said.following(self.db, found, before)
        on = await asyncio.to_thread(lambda: [item for item, text in following.items() if goes_on(text)])
        return found.union(on)

    async def replies(self, texts: Mapping[int, str]) -> list[int]:
        """Return the replies, in any domain, that hold something of messages with these texts."""
        return await setting_apart.replies(self.db, Nearness(self.forgetting.embedder), texts) if texts else []


def kept_back(ask: Discretion, targets: DiscretionTargets, since: Sequence[Exchange] = ()) -> KeptBack:
    """Return what a request keeps back of its targets and of the messages stored just before it (`since`).

    If nothing matches its topic, that is the teller's last message.
    """
    named = [*targets.named, *(one.key for one in since if ask.every or (not ask.about and count_held(ask.topic, one.text)))]
    if not named and (ask.back or (ask.topic and not ask.told)):
        earlier = [since[-1].key] if since and not ask.about else [*targets.last]
        return KeptBack(earlier, DiscretionScope(len(earlier), bool(earlier) and (not ask.topic or bool(ask.about))))
    return KeptBack(named, DiscretionScope(len(named)))
