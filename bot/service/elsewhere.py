"""What another process hears, or has to say, at places that this one holds: it is told, and looks by itself where it is not."""

import asyncio
from collections.abc import Collection, Mapping

from adapters.base import Adapter
from bot.conversation.mailboxes import Mailboxes
from bot.delivery.outgoing import Outgoing
from bot.service.log import carried_on
from memory.store.peers import Peers

_SECONDS = 5.0
_JOB = "elsewhere"
_INBOX, _OUTBOX = "inbox ", "outbox "


class Elsewhere:
    """Tells the processes that share a memory what waits at whose places; tells nobody where there are none."""

    def __init__(self, peers: Peers | None) -> None:
        self._peers = peers
        self._told: set[str] = set()
        self._woken = asyncio.Event()

    def heard(self, platform: str, place: str) -> None:
        """Tell whoever holds a place that something was heard there."""
        self._call(f"{_INBOX}{platform} {place}")

    def queued(self, platform: str, place: str) -> None:
        """Tell whoever holds a place that something is to be said there."""
        self._call(f"{_OUTBOX}{platform} {place}")

    def _call(self, word: str) -> None:
        if self._peers is not None:
            self._peers.call(word)

    async def run(self, adapters: Mapping[str, Adapter], mailboxes: Mailboxes, outgoing: Outgoing) -> None:
        """Take up what others tell of, and every few seconds what nobody told of, until cancelled."""
        if self._peers is None:
            return
        self._peers.listen(self._hear)
        while True:
            try:
                await asyncio.wait_for(self._woken.wait(), _SECONDS)
            except TimeoutError:
                self._told.update(f"{_INBOX}{platform}" for platform, one in adapters.items() if one.divided)
            self._woken.clear()
            told, self._told = self._told, set()
            for word in sorted(told):
                kind, platform, *place = word.split(" ", 2)
                if platform not in adapters or adapters[platform].unit < 0 or not all(map(adapters[platform].holds, place)):
                    continue
                if kind == _INBOX.strip():
                    await carried_on(mailboxes.recover(platform, *place, fresh=True), _JOB)
                elif place:
                    await carried_on(outgoing.flush(platform, place[0]), _JOB)

    def _hear(self, words: Collection[str]) -> None:
        self._told.update(word for word in words if word.startswith((_INBOX, _OUTBOX)))
        if self._told:
            self._woken.set()
