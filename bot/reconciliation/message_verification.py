"""Verifies stored messages against their platform if a deletion or edit may have been missed.

While a platform is connected, deletions and edits arrive as events. After a gap, everything stored before is unverified until it
has been compared with its place's history: in the background by bot/reconciliation/history_comparison.py, or here, when it is about to
be used. What is certainly missing from the history is forgotten, and edits are applied, as if the event had been heard. What
cannot be checked is left out, but never deleted. An answer that rests on a message that was only shown, or that cites one from
another place, is left out with it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from adapters.base import Adapter, Presence
from adapters.events import MessageEdited, MessagesDeleted, Place, Reach, split_key
from bot.conversation.inbox_events import only_messages, unfinished
from bot.conversation.intake import Intake
from bot.reconciliation.used_messages import UsableMessages, UsedMessage, only, used_in
from bot.service.log import log
from localization.sentences import lazy
from memory.core import Memory
from memory.errors import SourceGone
from memory.forget.comparison_state import PlaceComparison, Prefix, StoredMessage, Support, as_seen
from memory.index.hits import Hit
from memory.tiers.messages.asides import Aside
from memory.types import Exchange

LOOKS = 5
"""The maximum number of history requests per turn."""
_SECONDS = 5.0
_MOST_SEEN = 50_000


class Verdict(Enum):
    """The result for a stored message: unchanged, just edited or forgotten, or unknown."""

    STANDS = auto()
    CHANGED = auto()
    UNKNOWN = auto()


@dataclass(slots=True)
class RequestBudget:
    """How many history requests a turn has left."""

    left: int = LOOKS


@dataclass(slots=True)
class _Known:
    """The state of one platform. `still` are places where nothing can change any more."""

    doubts: dict[Prefix, int] = field(default_factory=dict)
    marks: dict[str, PlaceComparison] = field(default_factory=dict)
    still: set[Prefix] = field(default_factory=set)
    seen: OrderedDict[int, int] = field(default_factory=OrderedDict)


class MessageVerification:
    """Tracks which stored messages are unverified, and checks them."""

    def __init__(self, memory: Memory, intake: Intake, adapters: Mapping[str, Adapter]) -> None:
        self._memory = memory
        self._intake = intake
        self._adapters = adapters
        self._known = {platform: _Known() for platform in adapters}
        self.gaps = 0
        """The number of gaps on any platform since the start."""
        self._gaps: dict[tuple[str, Prefix], int] = {}
        self._founded: OrderedDict[int, int] = OrderedDict()
        """The answers whose sources are all verified, with the latest gap at that time."""

    async def open(self) -> None:
        """Load the state of earlier processes."""
        for platform, known in self._known.items():
            known.doubts = await self._memory.verified.doubts(platform)
            known.marks = await self._memory.verified.marks(platform)

    # What is in doubt

    async def missed(self, platform: str, prefix: Prefix) -> None:
        """Mark everything stored so far at places with this prefix as unverified."""
        known = self._known[platform]
        self.gaps += 1
        self._gaps[platform, prefix] = self.gaps
        known.doubts[prefix] = await self._memory.verified.doubt(platform, prefix)

    def settle(self, platform: str, prefix: Prefix) -> None:
        """Mark these places as settled: they are gone, so nothing can change there."""
        self._known[platform].still.add(prefix)

    def is_settled(self, platform: str, prefix: Prefix) -> bool:
        """Return whether these places are settled."""
        return prefix in self._known[platform].still

    def unsettle(self, platform: str, prefix: Prefix) -> None:
        """Undo `settle`."""
        self._known[platform].still.discard(prefix)

    def doubt(self, platform: str, place: str) -> int:
        """Return the instant until which changes at a place may have been missed, 0 for none."""
        known = self._known.get(platform)
        if known is None or not known.doubts:
            return 0
        key = split_key(place)
        if any(key[: len(prefix)] == prefix for prefix in known.still):
            return 0
        return max((at for prefix, at in known.doubts.items() if key[: len(prefix)] == prefix), default=0)

    def mark(self, platform: str, place: str) -> PlaceComparison | None:
        """Return how far a place has been compared since its last gap, None if not at all."""
        mark = self._known[platform].marks.get(place)
        return mark if mark and mark.at >= self.doubt(platform, place) else None

    async def advance(self, platform: str, place: str, mark: PlaceComparison) -> None:
        """Store how far a place has been compared."""
        await self._memory.verified.mark(platform, place, mark)
        self._known[platform].marks[place] = mark

    def _is_sure(self, platform: str, place: str, said: Exchange | StoredMessage) -> bool:
        doubt = self.doubt(platform, place)
        if said.stored_at >= doubt:
            return True
        mark = self.mark(platform, place)
        if mark and (said.said_at, said.key) >= mark.through:
            return True
        return self._known[platform].seen.get(said.key, -1) >= doubt

    # What is about to be used

    async def hits(self, find: Callable[[], Awaitable[Sequence[Hit]]], looks: RequestBudget | None = None) -> list[Hit]:
        """Return the verified results of `find`, which is called again if checking changed the memory."""
        looks = looks or RequestBudget()
        while True:
            found = await find()
            sure = await self.sure(used_in(found), looks)
            if not sure.changed:
                return only(found, sure)

    async def sure(self, used: Sequence[UsedMessage], looks: RequestBudget) -> UsableMessages:
        """Return which of these messages, most important first, are verified; the others are to be left out."""
        needs = await self._needs(used)
        keys = {one.exchange.key for one in used} - needs.keys()
        targets = [need for one in used for need in needs.get(one.exchange.key, ())]
        deadline = asyncio.get_running_loop().time() + _SECONDS
        verdicts: dict[int, Verdict] = {}
        blind: set[tuple[str, str]] = set()
        for one in targets:
            here = (one.platform, one.place)
            if one.stored is None or one.stored.key in verdicts or here in blind or not looks.left:
                continue
            looks.left -= 1
            others = [other.stored for other in targets if other.stored and (other.platform, other.place) == here]
            found = await self._look(*here, [one.stored, *others], deadline)
            verdicts |= found
            if not found:
                blind.add(here)
        stand = {key for key, verdict in verdicts.items() if verdict is Verdict.STANDS}
        keys |= {key for key, those in needs.items() if all(need.stored and need.stored.key in stand for need in those)}
        return UsableMessages(frozenset(keys), Verdict.CHANGED in verdicts.values())

    async def _needs(self, used: Sequence[UsedMessage]) -> dict[int, list[Support]]:
        """Return what must stand before these messages may be used, of each for which that is not sure: itself, and what an
        answer rests on.
        """
        needs: dict[int, list[Support]] = {}
        unsure = {one.exchange.key: one for one in used if not self._is_sure(one.platform, one.place, one.exchange)}
        if unsure:
            stored = {one.key: one for one in await self._memory.verified.stored(list(unsure))}
            needs = {key: [Support(stored.get(key), one.platform, one.place)] for key, one in unsure.items()}
        latest = max((at for known in self._known.values() for at in known.doubts.values()), default=0)
        replies = {
            one.exchange.key: one
            for one in used
            if one.exchange.role == "assistant"
            and one.exchange.stored_at < latest
            and self._founded.get(one.exchange.key, -1) < latest
        }
        supports = await self._memory.verified.supports(list(replies)) if replies else {}
        for key, reply in replies.items():
            if doubtful := [one for one in supports.get(key, ()) if not self._is_founded(reply, one)]:
                needs.setdefault(key, []).extend(doubtful)
            else:
                _note(self._founded, key, latest)
        return needs

    def _is_founded(self, reply: UsedMessage, on: Support) -> bool:
        """Return whether a source of an answer is verified: it was read for the answer, and nothing was missed since."""
        if on.stored is None:
            return reply.exchange.stored_at >= self.doubt(reply.platform, reply.place)
        return reply.exchange.stored_at >= self.doubt(on.platform, on.place) or self._is_sure(on.platform, on.place, on.stored)

    async def require_standing(
        self, used: Sequence[UsedMessage], shown: Collection[Aside], place: tuple[str, str], since: int
    ) -> None:
        """Raise SourceGone if a source of an answer may have changed unnoticed since gap number `since`, and is not verified.

        `shown` are the messages shown of `place` (platform and key) that are not stored.
        """
        missed = [(platform, prefix) for (platform, prefix), number in self._gaps.items() if number > since]
        if not any(_is_at(gap, where) for gap in missed for where in (place, *((one.platform, one.place) for one in used))):
            return
        sure = await self.sure(used, RequestBudget())
        stands = not sure.changed and all(one.exchange.key in sure.keys for one in used)
        if stands and shown:
            deadline = asyncio.get_running_loop().time() + _SECONDS
            newest = sorted(shown, key=lambda one: one.said_at, reverse=True)
            seen = await self._seen(*place, [one.id for one in newest], deadline)
            stands = all([await self.judge(*place, as_seen(one), seen) is Verdict.STANDS for one in newest])
        if not stands:
            raise SourceGone(lazy("Something that this answer was made from was changed or removed, or is out of sight."))

    async def _look(self, platform: str, place: str, wanted: Sequence[StoredMessage], deadline: float) -> Mapping[int, Verdict]:
        """Make one history request, from the first of these messages backwards; return the results for those it covered."""
        doubt = self.doubt(platform, place)
        seen = await self._seen(platform, place, [id for one in wanted for id in one.ids], deadline)
        verdicts: dict[int, Verdict] = {}
        for one in wanted:
            verdict = await self.judge(platform, place, one, seen)
            if verdict is not Verdict.UNKNOWN:
                verdicts[one.key] = verdict
                _note(self._known[platform].seen, one.key, doubt)
        return verdicts

    async def _seen(self, platform: str, place: str, ids: Sequence[str], deadline: float) -> Mapping[str, Presence]:
        try:
            async with asyncio.timeout_at(deadline):
                return await self._adapters[platform].message_presences(place, ids) if ids else {}
        except TimeoutError:
            log.info("verify.slow", platform=platform)
            return {}

    # What was waiting to be answered

    async def recheck(self, platform: str) -> None:
        """Check unanswered messages, so that deleted ones are not answered."""
        waiting: dict[str, dict[str, int]] = {}
        for row in (one.row for one in reversed(only_messages(await unfinished(self._memory.journal, platform)))):
            here = self._adapters[platform].holds(row.event.place)
            if here and row.received_at < self.doubt(platform, row.event.place):
                waiting.setdefault(row.event.place, {})[row.event.event_id] = row.received_at
        deadline = asyncio.get_running_loop().time() + _SECONDS
        for place, received in waiting.items():
            for id, now in (await self._seen(platform, place, list(received), deadline)).items():
                if not now.there or now.edited_at > received[id]:
                    await self._follow(platform, place, id, now, now.edited_at)

    # What a look means

    async def judge(self, platform: str, place: str, stored: StoredMessage, seen: Mapping[str, Presence]) -> Verdict:
        """Apply what the history says about a stored message, and return the result."""
        if not all(id in seen for id in stored.ids):
            return Verdict.UNKNOWN
        changed = False
        for id in stored.ids:
            now = seen[id]
            if not now.there:
                changed = await self._follow(platform, place, id, now, 0) or changed
            elif not stored.own and (at := self._edited_at(platform, stored, now)):
                changed = await self._follow(platform, place, id, now, at) or changed
        return Verdict.CHANGED if changed else Verdict.STANDS

    def _edited_at(self, platform: str, stored: StoredMessage, now: Presence) -> int:
        """Return since when a message differs from its stored text, 0 if it does not."""
        if now.edited_at < stored.edited_at and self._adapters[platform].takes_back_edits:
            return stored.edited_at + 1
        if stored.aside:
            return now.edited_at if now.edited_at > stored.edited_at else 0
        # An unreadable message counts as edited only if the edit came after she heard it.
        known = stored.stored_at if now.text is None else stored.edited_at
        same = now.text is not None and not now.attachments and now.text.strip() == stored.text
        return now.edited_at if now.edited_at > known and not same else 0

    async def _follow(self, platform: str, place: str, id: str, now: Presence, at: int) -> bool:
        where = _place(platform, place)
        if not now.there:
            await self._intake.withdraw(MessagesDeleted(where, (id,)))
            return True
        revised = MessageEdited(where, id, now.text, at, now.attachments, now.person)
        return await self._intake.revise(revised, self._adapters[platform])


def _note(seen: OrderedDict[int, int], item: int, at: int) -> None:
    seen[item] = at
    seen.move_to_end(item)
    if len(seen) > _MOST_SEEN:
        seen.popitem(last=False)


def _is_at(gap: tuple[str, Prefix], place: tuple[str, str]) -> bool:
    (platform, prefix), (where, key) = gap, place
    return platform == where and split_key(key)[: len(prefix)] == prefix


def _place(platform: str, key: str) -> Place:
    server, channel, thread = split_key(key)
    return Place(platform, channel, "", Reach.DIRECT, thread, server)
