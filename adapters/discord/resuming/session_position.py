"""What is saved of a gateway session: its position, by which new DMs are found after a kill, and all of it at an orderly end.

Missed messages in servers are found through the last message ids of channels. But Discord does not list DMs, and a first DM of somebody is only reported
in the session. So the next process resumes the old session once, just for the ids of DMs.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import aiohttp
import discord
import yarl

from adapters.discord.client import Client
from adapters.discord.resuming import payloads
from adapters.discord.resuming.resumption import GatewaySession, Packing, SavedSession, SessionTerms, resume_frame
from adapters.discord.session_client import ConnectionChange
from adapters.listener import Notes

if TYPE_CHECKING:
    from adapters.discord.incoming.hearing import Hearing

_POSITION_NOTE, _LEFT_NOTE = "position", "left"
_BETWEEN_NOTES = 10_000_000
"""Microseconds between two notes; what came after the last is replayed, and recognized by its cursor."""
_PATIENCE = 10.0
_READY = 1
"""The number of the first event of every session."""
_DISPATCH, _INVALID = 0, 9
_RESUMABLE = 4000
"""A close code after which Discord keeps the session; 1000 and 1001 end it."""

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
        await self._notes.put(_POSITION_NOTE, {"session": session, "url": str(client.ws.gateway), "sequence": sequence})

    async def begin(self, client: discord.Client, learn: Callable[[Sequence[str]], Awaitable[None]]) -> None:
        """Begin a new session; first call `learn` with the DMs in which the last session reports messages since its position.

        If Discord has dropped that session, there are none; if Discord is out of reach, the next session asks.
        """
        position = await self._notes.get(_POSITION_NOTE)
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


class SealedStorage(Protocol):
    """Encrypted storage by name. Its methods block on the disk."""

    def put(self, name: str, data: bytes) -> None:
        """Store data, replacing any earlier. Raises OSError."""

    def take(self, name: str) -> bytes | None:
        """Return and remove stored data; None if there is none. Raises ValueError if it was changed, OSError."""


class SessionHandover:
    """The saved sessions of an account's shards, which the next process resumes. Instants are microseconds UTC.

    The notes and the saved session hold the same mark, so that a session is not resumed if another process did so since, or if
    the memory was restored.
    """

    def __init__(self, vault: SealedStorage | None, notes: Notes, now: Callable[[], int]) -> None:
        """Prepare; without a vault, no session is saved."""
        self._vault = vault
        self._notes = notes
        self._now = now

    async def take(self, terms: SessionTerms) -> SavedSession | None:
        """Return the saved session for these terms, once; None if there is none that Discord may still have."""
        if self._vault is None:
            return None
        if mark := await self._notes.get(_LEFT_NOTE):
            await self._notes.put(_LEFT_NOTE, "")
        try:
            kept = await asyncio.to_thread(self._vault.take, _name(terms))
            if kept is None:
                return None
            left = SavedSession.opened(kept, terms)
            if left.session.mark != mark:
                raise ValueError("another process went on since")
            if not left.session.is_fresh(self._now()):
                raise ValueError("it is too old")
        except (ValueError, OSError) as error:
            why = error if isinstance(error, ValueError) else type(error).__name__
            log.info("The session on Discord from before is not resumed: %s.", why)
            return None
        return left

    async def leave(self, client: Client, hearing: "Hearing", listening: asyncio.Task[None], terms: SessionTerms) -> None:
        """Close a client's connection but not its session; save that, if the `listening` task passed on all of its events."""
        if self._vault is None or not client.live or not hearing.is_open:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await client.ws.close(_RESUMABLE)
        client.queue.put_nowait(ConnectionChange.LEFT)
        await asyncio.wait([listening], timeout=_PATIENCE)
        if hearing.is_through:
            await self._keep(client, terms, whole=hearing.is_complete)

    async def _keep(self, client: Client, terms: SessionTerms, *, whole: bool) -> None:
        if self._vault is None or client.ws.session_id is None or client.ws.sequence is None:
            return
        packing = Packing()
        there = {guild.id: guild for guild in client.guilds if not guild.unavailable}
        for guild in there.values():
            packing.add(payloads.guild(guild))
            await asyncio.sleep(0)
        away = [guild.id for guild in client.guilds if guild.unavailable]
        mark, url = secrets.token_hex(16), str(client.ws.gateway)
        session = GatewaySession(client.ws.session_id, url, client.ws.sequence, self._now(), mark, whole, [*there], away)
        await self._notes.put(_LEFT_NOTE, mark)
        try:
            await asyncio.to_thread(self._vault.put, _name(terms), packing.packed(session, terms))
        except OSError as error:
            log.info("The session on Discord is not kept for the next start: %s.", type(error).__name__)


def _name(terms: SessionTerms) -> str:
    return f"discord-{terms.shard}-of-{terms.shards}"
