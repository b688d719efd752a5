"""The loopback Discord in a thread of its own, for tests that wait for processes."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, Self, TypeVar

from tests.fakes.discord import Channel, DiscordServer, Message
from tests.fakes.discord.people import Person
from tests.fakes.pulse import PATIENCE
from tests.kits.discord_quick import answers_to

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
        # Longer than what is waited for there: it says what did not come.
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE + 10)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in the server's loop, where nothing else runs meanwhile, and return its result."""

        async def called() -> T:
            return function(*args, **kwargs)

        return self.do(called())

    # What people do, and what they read

    def person(self, name: str) -> Person:
        """Someone by name; the same one each time."""
        return self.call(self.server.person, name)

    def dm(self, name: str) -> Channel:
        """The DM of someone with Lyra."""
        return self.do(self.person(name).opens_dm())

    def ask(self, name: str, place: Channel, text: str) -> Message:
        """Let someone ask Lyra something: in a DM as it is, in a channel with a mention."""
        text = text if place.recipient else f"{self.server.mention} {text}"
        return self.do(self.person(name).says(place, text))

    def answers(self, question: Message) -> list[str]:
        """What answers a message now, as people read it."""
        return self.call(answers_to, self.server, question)

    def answered(self, question: Message, times: int = 1) -> list[str]:
        """Wait until a message is answered, and give the answers."""
        self.until(lambda: len(answers_to(self.server, question)) >= times, "an answer")
        return self.answers(question)

    def until(self, look: Callable[[], object], what: str) -> None:
        """Wait until a look at the world finds something true. Raises AssertionError where it takes too long."""
        self.do(self.server.pulse.until(look, what))

    def config(self, more: str = "") -> str:
        """Return the part of a configuration that has Lyra talk to this server; `more` goes into [discord]."""
        urls = f'api_url = "{self.server.api_url}"\ngateway_url = "{self.server.gateway_url}"\n'
        return f'[discord]\ntoken_env = "{TOKEN_ENV}"\n{urls}{more}\n'

    @property
    def variables(self) -> dict[str, str]:
        """The environment that holds the bot's token."""
        return {TOKEN_ENV: self.server.token}


class Door:
    """A way to the server that is shut at first: until it is opened, whoever comes is refused the connection."""

    def __init__(self, discord: DiscordThread) -> None:
        self._discord = discord
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        self._pipes: set[asyncio.Task[None]] = set()

    def config(self) -> str:
        """Return the part of a configuration that has Lyra come through this door."""
        return self._discord.config().replace(f"127.0.0.1:{self._discord.server.port}", f"127.0.0.1:{self._port}")

    @contextmanager
    def open(self) -> Iterator[None]:
        """Let people through for the block."""
        listening = self._discord.do(asyncio.start_server(self._through, "127.0.0.1", self._port))
        try:
            yield
        finally:
            self._discord.do(self._shut(listening))

    async def _shut(self, listening: asyncio.Server) -> None:
        listening.close()
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _through(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, forth = await asyncio.open_connection("127.0.0.1", self._discord.server.port)
        self._pipes = {asyncio.create_task(_pipe(near, forth)), asyncio.create_task(_pipe(far, back)), *self._pipes}


async def _pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()
    except ConnectionError:
        pass
    finally:
        target.close()
