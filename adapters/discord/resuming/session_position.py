"""Where a gateway session stands, kept for a process that comes after a kill: what was said to her alone meanwhile is in no list.

A server's channels say what was said there last. Discord lists no DMs, and of one in which nothing of hers stands yet it tells
only in the session. So the next process resumes that once, for nothing but the DMs that it tells of.
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
"""Microseconds between two notes: what was heard since the last is told once more, and known by its cursor."""
_PATIENCE = 10.0
_READY = 1
"""The number of the first event of every session."""
_DISPATCH, _INVALID = 0, 9

log = logging.getLogger(__name__)


class SessionPosition:
    """The position of one account's session, noted now and then. Instants are microseconds UTC."""

    def __init__(self, notes: Notes, now: Callable[[], int]) -> None:
        self._notes = notes
        self._now = now
        self._session: str | None = None
        self._noted_at = 0
        self._is_unasked = False

    async def note(self, client: discord.Client, sequence: int | None) -> None:
        """Note that all that the session told up to `sequence` is passed on: at once for a new session, else every ten seconds."""
        session = client.ws.session_id
        if session is None or sequence is None or self._is_unasked:
            return
        if session == self._session and 0 <= self._now() - self._noted_at < _BETWEEN_NOTES:
            return
        self._session, self._noted_at = session, self._now()
        await self._notes.put(_NOTE, {"session": session, "url": str(client.ws.gateway), "sequence": sequence})

    async def begin(self, client: discord.Client, learn: Callable[[Sequence[str]], Awaitable[None]]) -> None:
        """Note that a new session begins; have `learn` called before with the DMs of which the last one tells since its note.

        Where Discord has it no more, there is nothing to learn; where it is out of reach, the next session asks.
        """
        position = await self._notes.get(_NOTE)
        self._is_unasked = bool(position)
        if not position:
            return await self.note(client, _READY)
        try:
            async with _resumed(client, position) as socket:
                await learn(await _dms_told(socket))
                self._is_unasked = False
                # At any moment one of both sessions is noted that tells of what comes now.
                await self.note(client, _READY)
        except (aiohttp.ClientError, OSError, TimeoutError) as trouble:
            log.info("The session on Discord from before could not be asked: %s.", type(trouble).__name__)


@asynccontextmanager
async def _resumed(client: discord.Client, position: Mapping[str, Any]) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Resume a session for the block, and end it. Raises what a connection raises, and TimeoutError."""
    async with asyncio.timeout(_PATIENCE):
        socket = await client.http.ws_connect(str(yarl.URL(position["url"]).with_query(v="10", encoding="json")))
    try:
        await socket.send_str(resume_frame(client.http.token or "", position["session"], position["sequence"]))
        yield socket
    finally:
        # With this code Discord gives the session up.
        await socket.close(code=1000)


async def _dms_told(socket: aiohttp.ClientWebSocketResponse) -> Sequence[str]:
    """Return the ids of the DMs in which a resumed session tells of a message, each once. Raises TimeoutError."""
    found: dict[str, None] = {}
    async with asyncio.timeout(_PATIENCE):
        while (frame := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
            told = json.loads(frame.data)
            if told["op"] == _INVALID or told.get("t") == "RESUMED":
                break
            if told["op"] == _DISPATCH and told["t"] == "MESSAGE_CREATE" and "guild_id" not in told["d"]:
                found[told["d"]["channel_id"]] = None
    return list(found)
