"""The exit to Matrix: each part once."""

import asyncio
from collections.abc import Callable

from nio import AsyncClient

from adapters.base import Sending
from adapters.errors import SendFailed
from adapters.matrix.failures import TROUBLE, failure
from adapters.matrix.outgoing.posts import Posts
from adapters.matrix.outgoing.wire import Wire
from adapters.posting import put
from localization.sentences import lazy

AWAY = lazy("Matrix is not connected now; what waits is sent as soon as it is.")


class Sender:
    """Sends parts. `seconds` is the longest a caller waits; `wire` puts them into rooms."""

    def __init__(self, client: AsyncClient, wire: Wire, now: Callable[[], int], *, seconds: float = 60.0) -> None:
        self._client = client
        self._seconds = seconds
        self._posts = Posts(client, wire, now)

    async def send(self, sending: Sending) -> str:
        """Send a part and return its event id. Raises SendFailed."""
        if self._is_closed:
            raise SendFailed(AWAY)
        # The library's error is not chained: it can hold the URL with its token.
        try:
            async with asyncio.timeout(self._seconds):
                return await put(self._posts, sending)
        except TROUBLE as error:
            raise failure(error) from None
        except RuntimeError:
            if not self._is_closed:
                raise
            raise SendFailed(AWAY) from None

    @property
    def _is_closed(self) -> bool:
        session = self._client.client_session
        return session is None or bool(session.closed)
