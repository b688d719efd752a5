"""What was said in a room, backwards from now, decrypted if Lyra has the key."""

from collections.abc import AsyncIterator, Sequence

from nio import AsyncClient

from adapters.matrix.failures import checked
from adapters.matrix.homeserver import RequestRefused
from adapters.matrix.incoming.event import SPOKEN, RoomEvent

ENCRYPTED = "m.room.encrypted"
MEMBER = "m.room.member"
ENCRYPTION = "m.room.encryption"
VISIBILITY = "m.room.history_visibility"

_TYPES = (*SPOKEN, ENCRYPTED, MEMBER, VISIBILITY)
_FIRST_PAGE, _LARGEST_PAGE = 100, 1000
"""Most looks end within the first page. Where people come and go all the time, words are far apart."""


class Scrollback:
    """A room's events of some types, newest first: the last `most`, or a few more.

    By default its messages, and the events that decide who could read them. `ended` says afterwards that there is nothing
    more for Lyra. Raises what requests raise.
    """

    def __init__(self, client: AsyncClient, room: str, most: int, types: Sequence[str] = _TYPES) -> None:
        self.ended = False
        self._client, self._room, self._most = client, room, most
        self._filter = {"types": list(types)}

    async def __aiter__(self) -> AsyncIterator[RoomEvent]:
        start, read, asked = "", 0, _FIRST_PAGE
        while read < self._most:
            page = checked(await self._client.room_messages(self._room, start, limit=asked, message_filter=self._filter))
            for parsed in page.chunk:
                if event := RoomEvent.of(parsed):
                    yield event
            # A homeserver may give less than it is asked for.
            read += max(len(page.chunk), _FIRST_PAGE)
            asked = min(2 * asked, _LARGEST_PAGE, self._most - read)
            if not page.end or page.end == start:
                self.ended = True
                return
            start = page.end


async def fetch_event(client: AsyncClient, room: str, event_id: str) -> RoomEvent | None:
    """Return one event; None if it does not exist, or not for Lyra. Raises what requests raise."""
    try:
        return RoomEvent.of(checked(await client.room_get_event(room, event_id)).event)
    except RequestRefused as refused:
        if not refused.hidden:
            raise
        return None
