"""Which earlier messages a request for discretion is about: what it names, answers or follows, and what was permitted just before."""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from memory.forget import setting_apart
from memory.forget.forgetting import Forgetting
from memory.forget.sparing import Nearness
from memory.index.recall.finder import Recall
from memory.index.when.question_times import parse_question
from memory.index.when.values import Window
from memory.places import confidences
from memory.ports import Clock
from memory.store.database import DatabaseAccess
from memory.store.domains import by_key
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import key_words
from memory.text.told.announced_secrets import BURST, LATELY, in_one_breath
from memory.text.told.discretion import patterns
from memory.text.told.retellings import denies
from memory.text.told.topics import count_held, goes_on
from memory.tiers import corrections
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

    `named` are those about its topic, `last` is the one it answers or else the last one, said at `last_at`, with what was told in one
    breath with it, all with what corrects them or is corrected by them. `replies` are those that hold something of some messages, beside these. Unless `sure`, `named` is empty, or what
    was said when or where the request says.
    """

    named: Sequence[int] = ()
    last: Sequence[int] = ()
    replies: Sequence[tuple[frozenset[int], Sequence[int]]] = ()
    sure: bool = True
    last_at: int = 0

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
                    targets = DiscretionTargets(
                        [*targets.named, *there.named],
                        targets.last,
                        [*targets.replies, *there.replies],
                        targets.sure and there.sure,
                        targets.last_at,
                    )
                found[new.source_id] = replace(
                    targets, replies=[*targets.replies, await self._corrected(session, new.identity, new)]
                )
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
        found = await self._of_talk(domain, session, ask) if ask.every or ask.talk else None
        if found:
            window, sessions = found
            latest = await said.latest(
                self.db, domain, session if sessions is None else None, teller, before, _LOOKED_UP, window.start
            )
            some = [one.key for one in latest if window.holds(one.said_at) and (not sessions or one.session in sessions)]
            named.update(some[:MOST])
        if session is not None and ask.back and not ask.about:
            lately = [one.key for one in await said.lately_by(self.db, session, teller, before, _RECENTLY)]
            freed = [one for one in await confidences.heeded(self.db, requests=lately) if one.frees]
            named.update(item for one in freed for item in (one.item, one.request))
        last: list[Exchange] = []
        if session is not None and (ask.about or not (named or ask.of_another)):
            one = await said.message_by(self.db, session, teller, ask.about, before) if ask.about else None
            latest = [one] if one else await said.lately_by(self.db, session, teller, before, LATELY)
            last = in_one_breath(latest, ask)
        meant = [*await self._put_right(teller, last, before), *await self._kept_by(last if ask.about else ())]
        about, this = [await self._with_replies(items) for items in (sorted(named), sorted(set(meant)))]
        left = key_words(patterns("every")["said"].sub(" ", ask.talk)).keys() - FUNCTION_WORDS
        sure = not (ask.talk and (found or left))
        return DiscretionTargets(sorted(about[0]), sorted(this[0]), [about, this], sure, last[0].said_at if last else 0)

    async def _put_right(self, teller: Identity, last: Sequence[Exchange], before: int) -> list[int]:
        """Return messages with the latest ones that they may put right, or that may do so to them: "no, the Bluethner" is not all that is meant."""
        found = list(last)
        for one in await said.lately_by(self.db, last[0].session, teller, before, _RECENTLY) if last else ():
            if one not in last and any(corrections.corrects(*sorted((one, other), key=_age), soon=True) for other in found):
                found.append(one)
        return [one.key for one in found]

    async def _kept_by(self, requests: Sequence[Exchange]) -> list[int]:
        """Return what these messages ask to keep back: a request about a request is about that."""
        asked = await confidences.heeded(self.db, requests=[one.key for one in requests]) if requests else []
        return [one.item for one in asked if not one.frees]

    async def _of_talk(self, domain: int, session: int | None, ask: Discretion) -> tuple[Window, Collection[int] | None] | None:
        """Return when and in which sessions of a domain (None: the present one) that was said which a request is about.

        None if it names neither, and is not about all that was said lately.
        """
        home, now, talk = await by_key(self.db, domain), self.clock.now(), ask.talk.lower()
        told = await asyncio.to_thread(parse_question, ask.talk, now, home.time_zone if home else "UTC")
        names = {row["id"]: row["name"].lower() for row in await self.db.all(_SESSIONS, {"domain": domain})}
        there = [key for key, name in names.items() if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", talk)]
        if not there and patterns("every")["elsewhere"].search(talk):
            there = [key for key in names if key != session]
        if told.window or there:
            return told.window or Window(0, now + 1), there or None
        return (Window(now - DAY, now + 1), None) if ask.every or patterns("every")["lately"].search(talk) else None

    async def _with_replies(self, items: Sequence[int]) -> tuple[frozenset[int], Sequence[int]]:
        """Return these messages with those that correct them or are corrected by them, and the replies that hold something of these."""
        texts = await setting_apart.amended(self.db, items) if items else {}
        return frozenset(texts), await self.replies(texts)

    async def _named(self, domain: int, session: int | None, teller: Identity, topic: frozenset[str], before: int) -> set[int]:
        """Return the messages about a topic: those with all of its words, and of the latest ones those with some.

        A message's successor is included if it names nothing itself, or denies it.
        """
        lately, latest = [
            await said.latest(self.db, domain, where, teller, before, n) for where, n in ((session, _LATELY), (None, _READ))
        ]
        read = latest[: bisect_right([*accumulate(len(one.text) for one in latest)], _CHARACTERS)]
        texts = {one.key: one.text for one in (*lately, *read)}
        held = await asyncio.to_thread(lambda: {key: count_held(topic, text, alike=True) for key, text in texts.items()})
        found = {key for key, n in held.items() if n == len(topic)} | {one.key for one in lately if held[one.key]}
        if latest and (len(latest) == _READ or len(read) < len(latest)):
            within = [domain, *await confidences.keys_within(self.db, domain)]
            older = [item for item in await self.recall.telling(topic, within) if item < latest[0].key and item not in texts]
            found.update((await said.by(self.db, older[:_LOOKED_UP], teller))[-MOST:])
        following = await said.following(self.db, found, before)
        on = await asyncio.to_thread(lambda: [item for item, text in following.items() if goes_on(text) or denies(text)])
        return found.union(on)

    async def replies(self, texts: Mapping[int, str]) -> list[int]:
        """Return the replies, in any domain, that hold something of messages with these texts."""
        return await setting_apart.replies(self.db, Nearness(self.forgetting.embedder), texts) if texts else []


def _age(one: Exchange) -> int:
    return -one.key


_SESSIONS = "SELECT id, name FROM sessions WHERE domain = :domain AND name <> public_id"


def kept_back(
    ask: Discretion, targets: DiscretionTargets, since: Sequence[Exchange] = (), *, announced: bool = False
) -> KeptBack:
    """Return what a request keeps back of its targets and of the messages stored just before it (`since`).

    If nothing matches its topic, that is what the teller told last, in one breath; nothing if it is `announced`, or about somebody
    else's message.
    """
    named = [
        *targets.named,
        *(one.key for one in since if ask.every or (not ask.about and count_held(ask.topic, one.text, alike=True))),
    ]
    if not named and (announced or ask.of_another):
        return KeptBack([], DiscretionScope(of_another=not announced))
    if not named and (ask.back or (ask.topic and not ask.told)):
        earlier = [*targets.last]
        if since and not ask.about:
            breath = in_one_breath(since[::-1], ask)
            begins = breath[-1].key == since[0].key and since[0].said_at - targets.last_at <= BURST
            earlier = [*(targets.last if begins else ()), *sorted(one.key for one in breath)]
        sure = bool(earlier) and (not ask.topic or bool(ask.about)) and targets.sure
        return KeptBack(earlier, DiscretionScope(len(earlier), sure))
    return KeptBack(named, DiscretionScope(len(named)))
