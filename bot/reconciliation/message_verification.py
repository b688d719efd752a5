"""Verifies stored messages against their platform if a deletion or edit may have been missed.

While a platform is connected, deletions and edits arrive as events. What was stored before a gap (`unverified_places`) is
compared with its place's history: in the background by bot/reconciliation/history_comparison.py, or here, when it is about to
be used. What is certainly missing from the history is forgotten, and edits are applied, as if the event had been heard. What
cannot be checked is left out, but never deleted. An answer that rests on a message that was only shown, or that cites one from
another place, is left out with it. Facts and gists are checked by the messages they were made from, with what requests are left.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from adapters.base import Adapter, Presence
from adapters.events import MessageEdited, MessagesDeleted, Place, Reach, split_key
from adapters.recent import Recent
from bot.conversation.inbox_events import only_messages, unfinished
from bot.conversation.intake import Intake
from bot.reconciliation.unverified_places import MOST_REMEMBERED, UnverifiedPlaces
from bot.reconciliation.used_messages import UsableMessages, UsedMessage, used_in, verified_hits
from bot.service.log import log
from memory.core import Memory
from memory.errors import SourceGone
from memory.forget.comparison_state import StoredMessage, Support, as_seen
from memory.index.hits import Hit
from memory.tiers.messages.asides import Aside

MOST_REQUESTS = 5
"""The maximum number of history requests per turn."""
_SECONDS = 5.0


class Verdict(Enum):
    """The result for a stored message: unchanged, just edited or forgotten, or unknown."""

    STANDS = auto()
    CHANGED = auto()
    UNKNOWN = auto()


@dataclass(slots=True)
class RequestBudget:
    """How many history requests a turn has left."""

    left: int = MOST_REQUESTS


class MessageVerification:
    """Checks messages of `unverified` places."""

    def __init__(self, memory: Memory, intake: Intake, adapters: Mapping[str, Adapter]) -> None:
        self._memory = memory
        self._intake = intake
        self._adapters = adapters
        self.unverified = UnverifiedPlaces(memory.verified, adapters)
        self._verified_replies = Recent[int, int](MOST_REMEMBERED)
        """The answers whose sources are all verified, with the latest gap at that time."""
        self._verified_sources = Recent[int, int](MOST_REMEMBERED)
        """The digests and statements of which that is so."""

    async def hits(self, find: Callable[[], Awaitable[Sequence[Hit]]], requests: RequestBudget | None = None) -> list[Hit]:
        """Return the usable results of `find`, which is called again if checking changed the memory."""
        requests = requests or RequestBudget()
        while True:
            found = await find()
            usable = await self.usable(used_in(found), requests)
            if not usable.changed:
                return verified_hits(found, usable)

    async def usable(self, used: Sequence[UsedMessage], requests: RequestBudget) -> UsableMessages:
        """Return which of these messages, most important first, are verified; the others are to be left out."""
        unverified = await self._unverified(used)
        verdicts = await self._verdicts([need for one in used for need in unverified.get(one.exchange.key, ())], requests)
        keys = {one.exchange.key for one in used} - unverified.keys() | _standing(unverified, verdicts)
        return UsableMessages(frozenset(keys), Verdict.CHANGED in verdicts.values())

    async def changes_sources(self, derived: Collection[int], requests: RequestBudget) -> bool:
        """Verify what these digests and statements were made from, newest first, as far as the requests go; return whether that
        changed the memory.

        What could not be verified stays in use: else she would know little of anybody after each gap.
        """
        latest, may_change = self.unverified.latest_gap, self.unverified.incomplete and requests.left
        unsure = [key for key in derived if self._verified_sources.get(key, -1) < latest] if may_change else []
        if not unsure:
            return False
        unverified = {
            key: [one for one in sources if one.stored and not self.unverified.is_verified(one.platform, one.place, one.stored)]
            for key, sources in (await self._memory.verified.sources(unsure)).items()
        }
        targets = [one for sources in unverified.values() for one in sources]
        targets.sort(key=lambda one: one.stored.position if one.stored else (0, 0), reverse=True)
        verdicts = await self._verdicts(targets, requests)
        for key in _standing(unverified, verdicts):
            self._verified_sources[key] = latest
        return Verdict.CHANGED in verdicts.values()

    async def _verdicts(self, targets: Sequence[Support], requests: RequestBudget) -> dict[int, Verdict]:
        deadline = asyncio.get_running_loop().time() + _SECONDS
        verdicts: dict[int, Verdict] = {}
        unreadable: set[tuple[str, str]] = set()
        for one in targets:
            place = (one.platform, one.place)
            if one.stored is None or one.stored.key in verdicts or place in unreadable or not requests.left:
                continue
            requests.left -= 1
            others = [other.stored for other in targets if other.stored and (other.platform, other.place) == place]
            found = await self._compare(*place, [one.stored, *others], deadline)
            verdicts |= found
            if not found:
                unreadable.add(place)
        return verdicts

    async def _unverified(self, used: Sequence[UsedMessage]) -> dict[int, list[Support]]:
        """Return, for each of these messages that is not verified, what must be first: itself, and what an answer rests on."""
        needs: dict[int, list[Support]] = {}
        unsure = {one.exchange.key: one for one in used if not self.unverified.is_verified(one.platform, one.place, one.exchange)}
        if unsure:
            stored = {one.key: one for one in await self._memory.verified.stored(list(unsure))}
            needs = {key: [Support(stored.get(key), one.platform, one.place)] for key, one in unsure.items()}
        latest = self.unverified.latest_gap
        replies = {
            one.exchange.key: one
            for one in used
            if one.exchange.role == "assistant"
            and one.exchange.stored_at < latest
            and self._verified_replies.get(one.exchange.key, -1) < latest
        }
        supports = await self._memory.verified.supports(list(replies)) if replies else {}
        for key, reply in replies.items():
            if unverified_supports := [one for one in supports.get(key, ()) if not self._supports(one, reply)]:
                needs.setdefault(key, []).extend(unverified_supports)
            else:
                self._verified_replies[key] = latest
        return needs

    def _supports(self, source: Support, reply: UsedMessage) -> bool:
        """Return whether a source of an answer is verified: it was read for the answer, and nothing was missed since."""
        if source.stored is None:
            return reply.exchange.stored_at >= self.unverified.gap(reply.platform, reply.place)
        return reply.exchange.stored_at >= self.unverified.gap(source.platform, source.place) or self.unverified.is_verified(
            source.platform, source.place, source.stored
        )

    async def require_standing(
        self, used: Sequence[UsedMessage], shown: Collection[Aside], place: tuple[str, str], since: int
    ) -> None:
        """Raise SourceGone if a source of an answer may have changed unnoticed since gap number `since`, and is not verified.

        `shown` are the messages shown of `place` (platform and key) that are not stored.
        """
        if not self.unverified.has_gap_since(since, (place, *((one.platform, one.place) for one in used))):
            return
        usable = await self.usable(used, RequestBudget())
        stands = not usable.changed and all(one.exchange.key in usable.keys for one in used)
        if stands and shown:
            deadline = asyncio.get_running_loop().time() + _SECONDS
            newest = sorted(shown, key=lambda one: one.said_at, reverse=True)
            presences = await self._presences(*place, [one.id for one in newest], deadline)
            stands = all([await self.follow(*place, as_seen(one), presences) is Verdict.STANDS for one in newest])
        if not stands:
            raise SourceGone("Something that this answer was made from was changed or removed, or is out of sight.")

    async def _compare(
        self, platform: str, place: str, wanted: Sequence[StoredMessage], deadline: float
    ) -> Mapping[int, Verdict]:
        """Make one history request, from the first of these messages backwards; return the results for those it covered."""
        # Read before the request: what is missed meanwhile is not verified by it.
        gap = self.unverified.gap(platform, place)
        presences = await self._presences(platform, place, [id for one in wanted for id in one.ids], deadline)
        verdicts: dict[int, Verdict] = {}
        for one in wanted:
            verdict = await self.follow(platform, place, one, presences)
            if verdict is not Verdict.UNKNOWN:
                verdicts[one.key] = verdict
                self.unverified.record_verified(platform, one.key, gap)
        return verdicts

    async def _presences(self, platform: str, place: str, ids: Sequence[str], deadline: float) -> Mapping[str, Presence]:
        try:
            async with asyncio.timeout_at(deadline):
                return await self._adapters[platform].message_presences(place, ids) if ids else {}
        except TimeoutError:
            log.info("verify.slow", platform=platform)
            return {}

    async def recheck(self, platform: str) -> None:
        """Check unanswered messages, so that deleted ones are not answered."""
        waiting: dict[str, dict[str, int]] = {}
        # Newest first, as a history is read; what is to be answered again was said before it was asked for.
        heard = only_messages(await unfinished(self._memory.journal, platform))
        for one in sorted(heard, key=lambda one: one.message.said_at, reverse=True):
            place, received_at = one.row.event.place, one.row.received_at
            # What was asked by a command stands nowhere on the platform.
            here = self._adapters[platform].holds(place) and not one.message.answers
            if here and received_at < self.unverified.gap(platform, place):
                waiting.setdefault(place, {}).setdefault(one.message.id, received_at)
        deadline = asyncio.get_running_loop().time() + _SECONDS
        for place, received in waiting.items():
            for id, now in (await self._presences(platform, place, list(received), deadline)).items():
                if not now.there or now.edited_at > received[id]:
                    await self._apply(platform, place, id, now, now.edited_at)

    async def follow(self, platform: str, place: str, stored: StoredMessage, presences: Mapping[str, Presence]) -> Verdict:
        """Follow what the history says about a stored message: forget what is gone, apply an edit; return the result."""
        if not all(id in presences for id in stored.ids):
            return Verdict.UNKNOWN
        changed = False
        for id in stored.ids:
            now = presences[id]
            if not now.there:
                changed = await self._apply(platform, place, id, now, 0) or changed
            elif not stored.own and (at := self._edited_at(platform, stored, now)):
                changed = await self._apply(platform, place, id, now, at) or changed
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

    async def _apply(self, platform: str, place: str, id: str, now: Presence, at: int) -> bool:
        """Delete or edit a stored message as its platform did, at an instant; return whether that changed anything."""
        server, channel, thread = split_key(place)
        where = Place(platform, channel, "", Reach.DIRECT, thread, server)
        if not now.there:
            await self._intake.withdraw(MessagesDeleted(where, (id,)))
            return True
        revised = MessageEdited(where, id, now.text, at, now.attachments, now.person)
        return await self._intake.revise(revised, self._adapters[platform])


def _standing(unverified: Mapping[int, Sequence[Support]], verdicts: Mapping[int, Verdict]) -> set[int]:
    """Return what rests only on messages that stand."""
    return {
        key
        for key, needs in unverified.items()
        if all(need.stored and verdicts.get(need.stored.key) is Verdict.STANDS for need in needs)
    }
