"""The position of a gateway session, saved so that new DMs are found after a kill.

Missed messages in servers are found through the last message ids of channels. But Discord does not list DMs, and a first DM of somebody is only reported
in the session. So the next process resumes the old session once, just for the ids of DMs.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import yarl

from adapters.discord.resuming.resumption import resume_frame
from adapters.listener import Notes

_NOTE = "position"
_BETWEEN_NOTES = 10_000_000
"""Microseconds between two notes; what came after the last is replayed, and recognized by its cursor."""
_PATIENCE = 10.0
_READY = 1
"""The number of the first event of every session."""
_DISPATCH, _INVALID = 0, 9

log = logging.getLogger(__name__)


class SessionPosition:
    """The saved position of an account's session. Instants are microseconds UTC."""

    def __init__(self, notes: Notes, now: Callable[[], int]) -> None:
        self._notes = notes
        self._now = now
        self._session: str | None = None
        self._noted_at = 0
        self._is_unasked = False

    async def note(self, client: discord.Client, sequence: int | None) -> None:
        """Save that all events up to `sequence` were passed on: at once for a new session, else every ten seconds."""
        session = client.ws.session_id
        if session is None or sequence is None or self._is_unasked:
            return
        if session == self._session and 0 <= self._now() - self._noted_at < _BETWEEN_NOTES:
            return
        self._session, self._noted_at = session, self._now()
        await self._notes.put(_NOTE, {"session": session, "url": str(client.ws.gateway), "sequence": sequence})

    async def begin(self, client: discord.Client, learn: Callable[[Sequence[str]], Awaitable[None]]) -> None:
        """Begin a new session; first call `learn` with the DMs in which the last session reports messages since its position.

        If Discord has dropped that session, there are none; if Discord is out of reach, the next session asks.
        """
        position = await self._notes.get(_NOTE)
        self._is_unasked = bool(position)
        if not position:
            return await self.note(client, _READY)
        try:
            async with _resumed(client, position) as socket:
                await learn(await _dms_told(socket))
                self._is_unasked = False
                # At any moment, the saved position is of a session that reports new events.
                await self.note(client, _READY)
        except (aiohttp.ClientError, OSError, TimeoutError) as trouble:
            log.info("The session on Discord from before could not be asked: %s.", type(trouble).__name__)


@asynccontextmanager
async def _resumed(client: discord.Client, position: Mapping[str, Any]) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Resume a session for the block, then end it. Raises connection errors, TimeoutError."""
    async with asyncio.timeout(_PATIENCE):
        socket = await client.http.ws_connect(str(yarl.URL(position["url"]).with_query(v="10", encoding="json")))
    try:
        await socket.send_str(resume_frame(client.http.token or "", position["session"], position["sequence"]))
        yield socket
    finally:
        # After this code Discord drops the session.
        await socket.close(code=1000)


async def _dms_told(socket: aiohttp.ClientWebSocketResponse) -> Sequence[str]:
    """Return the ids of DMs with messages in the replay of a session, each once. Raises TimeoutError."""
    found: dict[str, None] = {}
    async with asyncio.timeout(_PATIENCE):
        while (frame := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
            told = json.loads(frame.data)
            if told["op"] == _INVALID or told.get("t") == "RESUMED":
                break
            if told["op"] == _DISPATCH and told["t"] == "MESSAGE_CREATE" and "guild_id" not in told["d"]:
                found[told["d"]["channel_id"]] = None
    return list(found)
