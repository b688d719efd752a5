"""The facade that keeps memory consistent with the platforms."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from adapters.base import Adapter
from adapters.events import Message, Vanished, split_key
from adapters.task_groups import cancel
from bot.conversation.inbox_events import unfinished
from bot.conversation.intake import Intake
from bot.conversation.services import Services
from bot.reconciliation.history_comparison import HistoryComparison
from bot.reconciliation.keep_requests import KeepRequests
from bot.reconciliation.message_verification import MessageVerification
from bot.reconciliation.unverified_places import UnverifiedPlaces
from bot.reconciliation.vanished_places import NotedPlace, PlaceRegister, is_within
from bot.service.log import log
from bot.service.priority import Priority
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.forget.comparison_state import Prefix

_SECONDS = 10.0
_UNNAMED = ("", "a server", "a channel", "a thread")


@dataclass(frozen=True, slots=True)
class Vanishing:
    """Handles places that disappear, on every platform."""

    memory: Memory
    register: PlaceRegister
    keep_requests: KeepRequests
    unverified: UnverifiedPlaces
    adapters: Mapping[str, Adapter]
    _busy: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    async def close(self) -> None:
        """Stop; the next start continues withholding."""
        await cancel(*self._busy)

    async def scan(self, platform: str) -> None:
        """Find places that disappeared unnoticed, and send outstanding notices."""
        rows = {row.prefix: row for row in await self.memory.disappearance.vanished(platform)}
        for prefix, noted in self.register.all(platform).items():
            if not self.adapters[platform].holds(_key(prefix)):
                continue
            if prefix in rows:
                await self.keep_requests.tell(rows[prefix])
            elif not noted.kept:
                await self.register.drop(platform, prefix)
        for event in await self._vanished(platform):
            await self.vanish(event)

    async def _vanished(self, platform: str) -> Sequence[Vanished]:
        """Return the servers and channels that are gone; missing threads are found when their history is compared."""
        places = [split_key(place) for place in await self.memory.verified.places(platform)]
        unknown = [key[:2] for key in places if not self.register.around(platform, key)]
        channels = list(dict.fromkeys(filter(self.adapters[platform].holds, map(_key, unknown))))
        try:
            async with asyncio.timeout(_SECONDS):
                return await self.adapters[platform].vanished(channels)
        except TimeoutError:
            log.info("vanish.later", platform=platform)
            return ()

    async def vanish(self, event: Vanished) -> None:
        """Withhold everything from disappeared places, drop their open questions, and notify their former admins.

        From its first transaction on, nothing of it is recalled; the rest may take longer than this call.
        """
        platform, prefix = event.platform, event.prefix
        wider = [one for one in self.register.around(platform, prefix) if len(one) < len(prefix)]
        if any(self.unverified.is_settled(platform, one) for one in wider):
            return
        # Noted first, so that after a kill the next start sends outstanding notices.
        name = event.name or await self.memory.places.last_name(platform, _key(prefix)) or _UNNAMED[len(prefix)]
        await self.register.put(platform, prefix, NotedPlace(name, event.rulers))
        waiting = [
            one for one in await unfinished(self.memory.journal, platform) if is_within(prefix, split_key(one[1].place.key))
        ]
        asked = [one for _, one in waiting if isinstance(one, Message) and one.addressed and not one.off_record]
        await self.keep_requests.ask_again(asked)
        await self.memory.journal.drop([row.key for row, _ in waiting])
        task = asyncio.create_task(self._withhold(platform, prefix))
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        await asyncio.wait({task}, timeout=_SECONDS)

    async def _withhold(self, platform: str, prefix: Prefix) -> None:
        try:
            messages = await self.memory.disappearance.vanish(platform, prefix)
            log.info("place.vanished", platform=platform, messages=messages)
            row = next((one for one in await self.memory.disappearance.vanished(platform) if one.prefix == prefix), None)
            if row is None:
                await self.register.drop(platform, prefix)
            else:
                await self.keep_requests.tell(row)
        except MemoryFailure as error:
            log.error("vanish.failed", platform=platform, error=type(error).__name__)

    async def restore(self, platform: str, places: Iterable[str]) -> None:
        """Restore places that had disappeared but have new messages; they count as unverified."""
        for place in places:
            for prefix in self.register.around(platform, split_key(place)):
                if not self.unverified.is_settled(platform, prefix):
                    continue
                noted = self.register.get(platform, prefix)
                if noted and noted.kept:
                    await self.register.drop(platform, prefix)
                self.unverified.unsettle(platform, prefix)
                await self.unverified.missed(platform, prefix)


def _key(prefix: Sequence[str]) -> str:
    return json.dumps([*prefix, *[""] * (3 - len(prefix))], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Verifies messages before use, compares histories, and handles places that disappear or are to be kept."""

    verification: MessageVerification
    history_comparison: HistoryComparison
    vanishing: Vanishing
    keep_requests: KeepRequests

    @classmethod
    async def open(cls, services: Services, intake: Intake, adapters: Mapping[str, Adapter], priority: Priority) -> Self:
        """Wire the parts, and load what was unverified or gone when Lyra stopped."""
        memory = services.memory
        verification = MessageVerification(memory, intake, adapters)
        register = PlaceRegister(memory, verification.unverified, adapters)
        keep_requests = KeepRequests(services, register, adapters)
        vanishing = Vanishing(memory, register, keep_requests, verification.unverified, adapters)
        history_comparison = HistoryComparison(memory, verification, vanishing.vanish, adapters, priority, services.clock)
        await verification.unverified.open()
        await register.open()
        return cls(verification, history_comparison, vanishing, keep_requests)
