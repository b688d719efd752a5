"""Makes one connection to Discord, which is one shard of the account, and says what its end means."""

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
from adapters.discord.pace import Pace
from adapters.discord.resuming.session import SessionTerms
from adapters.errors import PlatformFailure, PlatformRefused
from adapters.listener import Notes
from localization.sentences import lazy

_CLOSING = 10.0

_PASSING = (
    *(discord.DiscordException, aiohttp.ClientError, OSError, RuntimeError),
    # A first connection that fails ends discord.py 2.7.1 with an AttributeError, and an event that it cannot parse with these.
    *(AttributeError, LookupError, TypeError, ValueError),
)


class Disconnected(Exception):
    """A connection ended in a way that trying again can mend; the text names the error."""


class ConnectionLoss:
    """Whether a connection is lost just now; `patience` is how many seconds it has to come back in."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._away = asyncio.Event()
        self._back = asyncio.Event()

    def begin(self) -> None:
        """The connection was lost."""
        self._back.clear()
        self._away.set()

    def end(self) -> None:
        """It is there."""
        self._away.clear()
        self._back.set()

    async def too_long(self) -> None:
        """End when it does not come back in time. Raises Disconnected."""
        while True:
            await self._away.wait()
            try:
                async with asyncio.timeout(self._patience):
                    await self._back.wait()
            except TimeoutError:
                raise Disconnected("it did not come back") from None


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """How to reach an account. `bots` are the ids of the bots and webhooks that are listened to like people.

    `shards` is into how many connections it is divided where several processes have one each, "auto" for what Discord advises.
    """

    token: str = field(repr=False)
    api_url: str = ""
    gateway_url: str = ""
    message_content: bool = True
    bots: frozenset[str] = frozenset()
    shards: int | Literal["auto"] = 1


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What a client is made with: may it read all messages, the bots it listens to, who is everyone of a server, and which of
    how many shards it is.
    """

    content: bool
    bots: frozenset[str]
    gate: Gate
    pace: Pace
    shard: int = 0
    shards: int = 1

    @property
    def intents(self) -> discord.Intents:
        """What a client asks to hear of."""
        intents = discord.Intents.default()
        intents.typing = False
        intents.message_content = self.content
        return intents

    def terms(self, token: str) -> SessionTerms:
        """Return what a session is bound to."""
        return SessionTerms(token, self.intents.value, self.shard, self.shards)

    def arguments(self) -> dict[str, Any]:
        """Return them as discord.py takes them."""
        # Lyra does not speak aloud, and needs nothing for it.
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
    """The notes of the shard that an adapter is now; of the first, and where there is only one, they are the account's."""

    def __init__(self, notes: Notes, adapter: Adapter) -> None:
        self._notes = notes
        self._adapter = adapter

    async def get(self, name: str) -> Any:
        """Return a value as it was put, or, where this shard never put one, as the account had it before it was divided."""
        own = await self._notes.get(self._named(name))
        return await self._notes.get(name) if own is None else own

    async def put(self, name: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        await self._notes.put(self._named(name), value)

    def _named(self, name: str) -> str:
        return f"{name} {self._adapter.unit}/{self._adapter.units}" if self._adapter.unit > 0 else name


@contextmanager
def pointed_at(access: AccountAccess) -> Iterator[None]:
    """Have discord.py talk to these addresses while this lasts. It keeps them in one place for the whole process."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = access.api_url or before[0]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(access.gateway_url) if access.gateway_url else before[1]
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before


async def stay(client: discord.Client, token: str) -> None:
    """Keep a client connected for as long as it goes. Raises PlatformRefused, PrivilegedIntentsRequired or Disconnected."""
    try:
        await client.start(token)
    except discord.PrivilegedIntentsRequired:
        raise
    except _PASSING as error:
        raise _refusal(error) or Disconnected(type(error).__name__) from None
    raise Disconnected("closed")


async def close(client: discord.Client) -> None:
    """Close a client and a connection that it only began, without waiting long for a network that is away."""
    try:
        async with asyncio.timeout(_CLOSING):
            for socket in _begun(client):
                await socket.close(code=1000)
            await client.close()
    except TimeoutError:
        await client.http.close()


def _begun(client: discord.Client) -> list[DiscordWebSocket]:
    """Return the connections that said hello and are not yet the client's.

    discord.py forgets one that it gives up then, and the thread of its heartbeats would go on alone.
    """
    threads = [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler)]
    return [one.ws for one in threads if one.ws._connection is client._connection and one.ws is not client.ws]


async def advised(access: AccountAccess) -> int:
    """Return into how many connections Discord advises to divide an account. Raises PlatformFailure."""
    with pointed_at(access):
        url = Route("GET", "/gateway/bot").url
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_CLOSING)) as session:
            told = await session.get(url, headers={"Authorization": f"Bot {access.token}"}, raise_for_status=True)
            return int((await told.json())["shards"])
    except (aiohttp.ClientError, TimeoutError, LookupError, ValueError) as error:
        raise PlatformFailure(
            lazy("Discord does not say into how many shards to divide her servers ({error}).", error=type(error).__name__)
        ) from None


def _refusal(error: Exception) -> PlatformRefused | None:
    code = error.code if isinstance(error, discord.ConnectionClosed) else 0
    if isinstance(error, discord.LoginFailure) or code == 4004:
        return PlatformRefused(
            lazy(
                "Discord does not accept the token. Make a new one in the Developer Portal → Bot → Reset Token, and give "
                "it to Lyra."
            )
        )
    if code == 4011:
        return PlatformRefused(
            lazy(
                'Discord wants a bot of so many servers to connect in shards: keep the memory in a database, set shards = "auto" in [discord], '
                "and run a process with --role platform for each."
            )
        )
    if code in (4010, 4012, 4013):
        return PlatformRefused(lazy("Discord does not accept this way to connect ({code}); update Lyra.", code=code))
    return None
