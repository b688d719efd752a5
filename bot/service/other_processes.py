"""Events and parts that another process received or queued for places that this one holds: signalled, and polled as a fallback."""

import asyncio
from collections.abc import Collection, Mapping

from adapters.base import Adapter
from bot.conversation.mailboxes import Mailboxes
from bot.delivery.outgoing import Outgoing
from bot.service.log import carried_on
from memory.store.peers import Peers

_SECONDS = 5.0
_JOB = "elsewhere"
HEARD, QUEUED = "inbox", "outbox"


class OtherProcesses:
    """Signals the processes that share a memory what waits at their places; a no-op if there are none."""

    def __init__(self, peers: Peers | None) -> None:
        self._peers = peers
        self._told: set[str] = set()
        self._woken = asyncio.Event()

    def tell(self, what: str, platform: str, place: str) -> None:
        """Signal the holder of a place that an event waits there (HEARD), or a part to be sent (QUEUED)."""
        if self._peers is not None:
            self._peers.call(f"{what} {platform} {place}")

    async def run(self, adapters: Mapping[str, Adapter], mailboxes: Mailboxes, outgoing: Outgoing) -> None:
        """Handle what others signal, and poll every few seconds for what was not signalled, until cancelled."""
        if self._peers is None:
            return
        self._peers.listen(self._hear)
        while True:
            try:
                async with asyncio.timeout(_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                self._told.update(f"{HEARD} {platform}" for platform, one in adapters.items() if one.divided)
            self._woken.clear()
            told, self._told = self._told, set()
            for word in sorted(told):
                kind, platform, *place = word.split(" ", 2)
                if platform not in adapters or adapters[platform].unit < 0 or not all(map(adapters[platform].holds, place)):
                    continue
                if kind == HEARD:
                    await carried_on(mailboxes.recover(platform, *place, fresh=True), _JOB)
                elif place:
                    await carried_on(outgoing.flush(platform, place[0]), _JOB)

    def _hear(self, words: Collection[str]) -> None:
        self._told.update(word for word in words if word.startswith((f"{HEARD} ", f"{QUEUED} ")))
        if self._told:
            self._woken.set()
