"""Hands a gateway session over to the next process, which resumes it.

The notes and the saved session hold the same mark, so that a session is not resumed if another process did so since, or if the
memory was restored.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from adapters.discord.client import Client
from adapters.discord.incoming.hearing import Hearing
from adapters.discord.resuming import payloads
from adapters.discord.resuming.resumption import GatewaySession, Packing, SavedSession, SessionTerms
from adapters.discord.session_client import ConnectionChange
from adapters.listener import Notes

_RESUMABLE = 4000
"""A close code after which Discord keeps the session; 1000 and 1001 end it."""
_PATIENCE = 10.0
_NOTE = "left"

log = logging.getLogger(__name__)


class SealedStorage(Protocol):
    """Encrypted storage by name. Its methods block on the disk."""

    def put(self, name: str, data: bytes) -> None:
        """Store data, replacing any earlier. Raises OSError."""

    def take(self, name: str) -> bytes | None:
        """Return and remove stored data; None if there is none. Raises ValueError if it was changed, OSError."""


class SessionHandover:
    """The saved sessions of an account's shards. Instants are microseconds UTC."""

    def __init__(self, vault: SealedStorage | None, notes: Notes, now: Callable[[], int]) -> None:
        """Prepare; without a vault, no session is saved."""
        self._vault = vault
        self._notes = notes
        self._now = now

    async def take(self, terms: SessionTerms) -> SavedSession | None:
        """Return the saved session for these terms, once; None if there is none that Discord may still have."""
        if self._vault is None:
            return None
        if mark := await self._notes.get(_NOTE):
            await self._notes.put(_NOTE, "")
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

    async def leave(self, client: Client, hearing: Hearing, listening: asyncio.Task[None], terms: SessionTerms) -> None:
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
        await self._notes.put(_NOTE, mark)
        try:
            await asyncio.to_thread(self._vault.put, _name(terms), packing.packed(session, terms))
        except OSError as error:
            log.info("The session on Discord is not kept for the next start: %s.", type(error).__name__)


def _name(terms: SessionTerms) -> str:
    return f"discord-{terms.shard}-of-{terms.shards}"
