"""Points discord.py at the server, and runs a client there."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import yarl
from discord import Client, Intents, TextChannel
from discord.app_commands import CommandTree
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.fakes.discord.server import DiscordServer
from tests.fakes.discord.things import Channel
from tests.fakes.pulse import Pulse

C = TypeVar("C", bound=Client)


@contextmanager
def pointed_at(server: DiscordServer) -> Iterator[None]:
    """Every client of this process talks to the server while this lasts. Two class attributes hold Discord's addresses."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = server.api_url, yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before


@asynccontextmanager
async def running(server: DiscordServer, client: C) -> AsyncIterator[C]:
    """Start a client, wait until it listens, and close it in the end. Raises what the client ended with."""
    with pointed_at(server):
        task = asyncio.create_task(client.start(server.token))
        waiting = asyncio.create_task(server.connected())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
            await waiting
            yield client
        finally:
            waiting.cancel()
            await client.close()
            await asyncio.wait({task, waiting})
            failed = task.exception()
        if failed:
            raise failed


class Listener(Client):
    """A client that keeps everything it hears, and identifies again without a pause."""

    def __init__(self, intents: Intents | None = None) -> None:
        chosen = intents or Intents.default()
        chosen.message_content = chosen.message_content or intents is None
        super().__init__(intents=chosen, guild_ready_timeout=0.05)
        self.tree = CommandTree(self)
        self.heard: list[tuple[str, tuple[Any, ...]]] = []
        self.errors: list[str] = []
        """Events whose handlers failed."""
        self._pulse = Pulse()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Keep an event, then let it take its way."""
        self.heard.append((event, args))
        super().dispatch(event, *args, **kwargs)
        self._pulse.beat()

    async def got(self, event: str, number: int = 1) -> Any:
        """Wait for that many events of a kind, and give the last one's only argument, or all of them."""

        def those() -> list[tuple[Any, ...]]:
            return [args for name, args in self.heard if name == event]

        await self._pulse.until(lambda: len(those()) >= number, f"{event} number {number}")
        args = those()[number - 1]
        return args[0] if len(args) == 1 else args

    async def text(self, place: Channel) -> TextChannel:
        """Wait until the client knows a text channel of a guild, and give it."""
        found = await self._pulse.until(lambda: self.get_channel(place.id), f"channel {place.name}")
        assert isinstance(found, TextChannel)
        return found

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for nothing."""

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Remember the failure."""
        self.errors.append(event_method)
        await super().on_error(event_method, *args, **kwargs)
