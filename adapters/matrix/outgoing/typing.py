"""Typing notifications and read receipts. Their failures disturb nobody."""

from contextlib import AbstractAsyncContextManager, suppress
from functools import partial

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.task_groups import accompanied

LASTS = 30.0
"""How many seconds the homeserver shows her typing after each request."""


def thinking(client: AsyncClient, room_id: str, lasts: float = LASTS) -> AbstractAsyncContextManager[None]:
    """Show typing in a room for the block."""
    path = ("PUT", "rooms", room_id, "typing", str(client.user_id))

    async def is_typing() -> bool:
        await _tell(client, *path, body={"typing": True, "timeout": round(lasts * 1000)})
        return True

    return accompanied(is_typing, lasts * 2 / 3, partial(_tell, client, *path, body={"typing": False}))


async def read_up_to(client: AsyncClient, room_id: str, event_id: str) -> None:
    """Send a read receipt up to an event."""
    body = {"m.fully_read": event_id, "m.read": event_id}
    await _tell(client, "POST", "rooms", room_id, "read_markers", body=body)


async def _tell(client: AsyncClient, method: str, *path: str, body: Json) -> None:
    # A closed client would open a new connection that nobody closes.
    if client.client_session is not None:
        with suppress(RequestRefused, PlatformFailure, RuntimeError):
            await ask(client, method, *path, body=body)
