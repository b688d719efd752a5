"""The exit: every text that leaves passes here, once, and goes out under the key it was stored with."""

from collections.abc import Mapping, Sequence

from adapters.base import Adapter, Sending
from adapters.errors import SendFailed
from adapters.markup import printable
from bot.log import log
from memory.journal import Journal, Part
from memory.ports import Ids

MOST_CHARACTERS = 100_000


class Outgoing:
    """Sends what waits in the outbox through the adapters of its platforms."""

    def __init__(self, journal: Journal, adapters: Mapping[str, Adapter], ids: Ids) -> None:
        self._journal = journal
        self._adapters = adapters
        self._ids = ids

    def parts(self, text: str) -> Sequence[Part]:
        """Return a text as it may leave: nothing that moves a cursor or hides, of bounded size, each part with its own key."""
        safe = printable(text).strip() or "…"
        if len(safe) > MOST_CHARACTERS:
            safe = safe[:MOST_CHARACTERS] + " […]"
        return [Part(self._ids.new(), safe)]

    async def flush(self, platform: str, place: str, parts: Sequence[Part] | None = None) -> None:
        """Send these parts to a place, or at a start everything that waits for it, in order.

        What did not arrive for sure waits for the next time.
        """
        adapter = self._adapters[platform]
        keys = None if parts is None else [part.key for part in parts]
        waiting = await self._journal.take(platform, place, keys)
        for at, row in enumerate(waiting):
            sending = Sending(row.part.key, row.place, row.part.text, row.part.operation, row.answers, row.unsure)
            try:
                await self._journal.sent(row.row, await adapter.send(sending))
            except SendFailed as error:
                log.warning("send.failed", platform=platform, part=row.part.key, why=str(error))
                await self._journal.again([later.row for later in waiting[at:]])
                return
