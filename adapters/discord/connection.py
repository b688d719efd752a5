"""One connection to Discord, which is one shard of the account: its options, its loss and its end."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import Route

from adapters.base import Adapter
from adapters.discord.access.readers import Gate
from adapters.discord.resuming.resumption import SessionTerms
from adapters.errors import PlatformFailure, PlatformRefused
from adapters.listener import Notes
from adapters.pace import Patience

_CLOSING = 10.0

_PASSING = (
    *(discord.DiscordException, aiohttp.ClientError, OSError, RuntimeError),
    # A first connection that fails ends discord.py 2.7.1 with an AttributeError, and an event that it cannot parse with these.
    *(AttributeError, LookupError, TypeError, ValueError),
)


@dataclass(frozen=True, slots=True)
class Pace(Patience):
    """Waits, in seconds.

    `ready` is how long the last server may be late after a start; `patience` is how long a lost connection may take to come
    back before a new one is made. A call waits `commit` for its commit before it is acknowledged, `suggest` for suggestions,
    and `confirm` for a yes or no.
    """

    ready: float = 2.0
    patience: float = 180.0
    commit: float = 2.0
    suggest: float = 2.0
    confirm: float = 60.0


class Disconnected(Exception):
    """A connection ended, and a retry can help; the text names the error."""


class ConnectionLoss:
    """Watches whether a connection is lost; it has `patience` seconds to come back."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._away = asyncio.Event()
        self._back = asyncio.Event()

    def begin(self) -> None:
        """Record that the connection was lost."""
        self._back.clear()
        self._away.set()

    def end(self) -> None:
        """Record that the connection is back."""
        self._away.clear()
        self._back.set()

    async def too_long(self) -> None:
        """Wait until the connection stays lost for too long. Raises Disconnected."""
        while True:
            await self._away.wait()
            try:
                async with asyncio.timeout(self._patience):
                    await self._back.wait()
            except TimeoutError:
                raise Disconnected("it did not come back") from None


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """The access to an account. `bots` are the ids of bots and webhooks that Lyra listens to like people.

    `shards` is the number of connections if several processes hold one each, "auto" for as many as Discord recommends.
    """

    token: str = field(repr=False)
    api_url: str = ""
    gateway_url: str = ""
    message_content: bool = True
    bots: frozenset[str] = frozenset()
    shards: int | Literal["auto"] = 1


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The options of a client: whether it reads all messages, the bots it listens to, each server's role for everyone, and its shard."""

    content: bool
    bots: frozenset[str]
    gate: Gate
    pace: Pace
    shard: int = 0
    shards: int = 1

    @property
    def intents(self) -> discord.Intents:
        """The gateway intents."""
        intents = discord.Intents.default()
        intents.typing = False
        intents.message_content = self.content
        return intents

    def terms(self, token: str) -> SessionTerms:
        """Return the terms of its sessions."""
        return SessionTerms(token, self.intents.value, self.shard, self.shards)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of discord.Client."""
        # Lyra has no voice support, and needs no warning about it.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        return {
            "intents": self.intents,
            "max_messages": None,
            "allowed_mentions": discord.AllowedMentions(everyone=False, users=False, roles=False, replied_user=True),
            "max_ratelimit_timeout": 60.0,
            "guild_ready_timeout": self.pace.ready,
            "shard_id": self.shard,
            "shard_count": self.shards,
        }


class ShardNotes:
    """The notes of an adapter's present shard; the first shard has those of the account."""

    def __init__(self, notes: Notes, adapter: Adapter) -> None:
        self._notes = notes
        self._adapter = adapter

    async def get(self, name: str) -> Any:
        """Return a stored value, or the account's if this shard never stored one."""
        own = await self._notes.get(self._named(name))
        return await self._notes.get(name) if own is None else own

    async def put(self, name: str, value: Any) -> None:
        await self._notes.put(self._named(name), value)

    def _named(self, name: str) -> str:
        return f"{name} {self._adapter.unit}/{self._adapter.units}" if self._adapter.unit > 0 else name


@contextmanager
def pointed_at(access: AccountAccess) -> Iterator[None]:
    """Point discord.py to these addresses during the block; they are global to the process."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = access.api_url or before[0]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(access.gateway_url) if access.gateway_url else before[1]
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before


async def stay(client: discord.Client, token: str) -> None:
    """Run a client until its connection ends. Raises PlatformRefused, PrivilegedIntentsRequired, Disconnected."""
    try:
        await client.start(token)
    except discord.PrivilegedIntentsRequired:
        raise
    except _PASSING as error:
        raise _refusal(error) or Disconnected(type(error).__name__) from None
    raise Disconnected("closed")


async def close(client: discord.Client) -> None:
    """Close a client and a half-opened connection, without waiting long for the network."""
    try:
        async with asyncio.timeout(_CLOSING):
            for socket in _begun(client):
                await socket.close(code=1000)
            await client.close()
    except TimeoutError:
        await client.http.close()


def _begun(client: discord.Client) -> list[DiscordWebSocket]:
    """Return half-opened connections: those that received HELLO, but are not yet the client's.

    discord.py does not close one that it gives up at that point, and its heartbeat thread would run on.
    """
    threads = [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler)]
    return [one.ws for one in threads if one.ws._connection is client._connection and one.ws is not client.ws]


async def advised(access: AccountAccess) -> int:
    """Return the number of shards that Discord recommends. Raises PlatformFailure."""
    with pointed_at(access):
        url = Route("GET", "/gateway/bot").url
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_CLOSING)) as session:
            told = await session.get(url, headers={"Authorization": f"Bot {access.token}"}, raise_for_status=True)
            return int((await told.json())["shards"])
    except (aiohttp.ClientError, TimeoutError, LookupError, ValueError) as error:
        raise PlatformFailure(
            "Discord does not say into how many shards to divide her servers ({error}).", error=type(error).__name__
        ) from None


def _refusal(error: Exception) -> PlatformRefused | None:
    code = error.code if isinstance(error, discord.ConnectionClosed) else 0
    if isinstance(error, discord.LoginFailure) or code == 4004:
        return PlatformRefused(
            "Discord does not accept the token. Make a new one in the Developer Portal → Bot → Reset Token, and give it to Lyra."
        )
    if code == 4011:
        return PlatformRefused(
            'Discord wants a bot of so many servers to connect in shards: keep the memory in a database, set shards = "auto" in [discord], '
            "and run a process with --role platform for each."
        )
    if code in (4010, 4012, 4013):
        return PlatformRefused("Discord does not accept this way to connect ({code}); update Lyra.", code=code)
    return None
