"""The loopback Discord in a thread of its own, for tests that wait for processes."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, Self, TypeVar

from tests.fakes.discord import DiscordServer
from tests.lyra_kit import PATIENCE

P = ParamSpec("P")
T = TypeVar("T")

TOKEN_ENV = "DISCORD_TOKEN"


class DiscordThread:
    """The server and its loop. Build the world before the block or through `call`; once it runs, act through `do` and `call`.

    with DiscordThread() as discord:
        general = discord.world.channel(discord.world.guild("Home"), "general")
        home = Home(tmp_path, discord.config(), **discord.variables)
        ...start `lyra run`, then
        discord.do(discord.server.connected())
        discord.do(discord.server.person("ada").says(general, f"{discord.server.mention} hello"))
        [reply] = discord.do(discord.server.sent(1, general))
    """

    def __init__(self, *, content_intent: bool = True, members_intent: bool = False, heartbeat: float = 41.25) -> None:
        self.server = DiscordServer(content_intent=content_intent, members_intent=members_intent, heartbeat=heartbeat)
        self.world = self.server.world
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.do(self.server.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self.server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the server's loop, and return its result. Raises TimeoutError where it takes too long."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in the server's loop, where nothing else runs meanwhile, and return its result."""

        async def called() -> T:
            return function(*args, **kwargs)

        return self.do(called())

    def config(self, more: str = "") -> str:
        """Return the part of a configuration that has Lyra talk to this server; `more` goes into [discord]."""
        urls = f'api_url = "{self.server.api_url}"\ngateway_url = "{self.server.gateway_url}"\n'
        return f'[discord]\ntoken_env = "{TOKEN_ENV}"\n{urls}{more}\n'

    @property
    def variables(self) -> dict[str, str]:
        """The environment that holds the bot's token."""
        return {TOKEN_ENV: self.server.token}
