"""The exit to Matrix: each part once."""

import asyncio
from collections.abc import Callable

from nio import AsyncClient

from adapters.base import Sending
from adapters.errors import SendFailed
from adapters.matrix.failures import TROUBLE, failure
from adapters.matrix.outgoing.posts import Posts
from adapters.matrix.outgoing.wire import Wire
from adapters.matrix.rooms.rooms import Rooms

_NOT_CONNECTED = "Matrix is not connected; what waits is sent as soon as it can be."


class Sender:
    """Sends parts. `seconds` is the longest that a caller waits; `wire` is what puts them into rooms."""

    def __init__(
        self, client: AsyncClient, rooms: Rooms, now: Callable[[], int], *, seconds: float = 60.0, wire: Wire | None = None
    ) -> None:
        self._client = client
        self._seconds = seconds
        self._posts = Posts(client, wire or Wire(client, rooms), now)

    async def send(self, sending: Sending) -> str:
        """Send a part and return the id of its event. Raises SendFailed."""
        if self._is_closed:
            raise SendFailed(_NOT_CONNECTED)
        # Nothing of the library's error is kept with ours: it can hold the address with its token.
        try:
            async with asyncio.timeout(self._seconds):
                return await self._route(sending)
        except TROUBLE as error:
            raise failure(error) from None
        except RuntimeError:
            if not self._is_closed:
                raise
            raise SendFailed(_NOT_CONNECTED) from None

    @property
    def _is_closed(self) -> bool:
        session = self._client.client_session
        return session is None or bool(session.closed)

    async def _route(self, sending: Sending) -> str:
        match sending.operation:
            case "edit":
                return await self._posts.edit(sending)
            case "delete":
                return await self._posts.delete(sending)
        return await self._posts.send(sending)
