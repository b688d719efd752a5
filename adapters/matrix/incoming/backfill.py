"""Backfill: what was said while Lyra did not listen, beyond what the sync shows, read back to where she stopped."""

import logging
from dataclasses import dataclass

from nio import AsyncClient, ErrorResponse, MessageDirection

from adapters.matrix.homeserver import TROUBLE, SignedOut, failure, unreachable
from adapters.matrix.incoming.event import RoomEvent

MOST_MISSED = 1_000
"""How many missed events to read per room."""

_PAGE = 100
_PASSING = 500

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gap:
    """What was missed of a room, oldest first; `complete` means nothing is left out."""

    events: tuple[RoomEvent, ...] = ()
    complete: bool = True


class Backfill:
    """Reads what is missing, at most `most` events per room."""

    def __init__(self, client: AsyncClient, most: int = MOST_MISSED) -> None:
        self._client = client
        self._most = most

    async def walk(self, room: str, back_from: str, to: str) -> Gap:
        """Return what happened in a room between two positions, only the newest of it if there is too much.

        Raises SignedOut, or PlatformFailure while the homeserver is away; what it refuses to show is missing for good.
        """
        found: list[RoomEvent] = []
        start: str | None = back_from
        while start and len(found) < self._most:
            page = await self._page(room, start, to)
            if page is None:
                log.warning("The homeserver does not show what was missed in a room.")
                return Gap(tuple(reversed(found)), complete=False)
            events, following = page
            found += events
            start = following if following != start else None
        complete = not start and len(found) <= self._most
        if not complete:
            log.warning("More than %d events were missed in a room; the oldest of them are not read.", self._most)
        return Gap(tuple(reversed(found[: self._most])), complete)

    async def _page(self, room: str, start: str, to: str) -> tuple[list[RoomEvent], str | None] | None:
        try:
            answer = await self._client.room_messages(room, start, to, MessageDirection.back, _PAGE)
        except TROUBLE as error:
            raise unreachable(type(error).__name__) from None
        if isinstance(answer, ErrorResponse):
            failed = failure(answer)
            if isinstance(failed, SignedOut) or answer.transport_response.status >= _PASSING:
                raise failed
            return None
        return [event for parsed in answer.chunk if (event := RoomEvent.of(parsed))], answer.end
