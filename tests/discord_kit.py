"""Discord's adapter under test: what listens to it, what it keeps, and how it is run."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from adapters.discord.adapter import Access, Discord
from adapters.discord.pace import Pace
from adapters.events import Asked, Event, Message
from adapters.table import CommandSpec
from tests.fakes.discord import DiscordServer
from tests.fakes.discord.pulse import Pulse

E = TypeVar("E", bound=Event)

NO_COMMANDS: Mapping[str, CommandSpec] = {}
NO_CURSORS: Mapping[str, str] = {}


class Notebook:
    """Notes in memory. They outlive an adapter, as real ones do a process."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    async def get(self, name: str) -> Any:
        """Return a value."""
        return self.values.get(name)

    async def put(self, name: str, value: Any) -> None:
        """Keep a value."""
        self.values[name] = value


class Ear:
    """A listener that commits to a list. While `held` is set it keeps the adapter waiting for its commits."""

    def __init__(self, table: Mapping[str, CommandSpec] = NO_COMMANDS, cursors: Mapping[str, str] | None = None) -> None:
        self.table = table
        self.kept = dict(cursors or {})
        """How far each stream was heard. Give it to the next ear, as after a restart."""
        self.events: list[Event] = []
        self.batches: list[list[Event]] = []
        self.times_ready = 0
        self.go = asyncio.Event()
        self.go.set()
        self.pulse = Pulse()

    async def ready(self) -> None:
        """Count."""
        self.times_ready += 1
        self.pulse.beat()

    async def cursors(self) -> Mapping[str, str]:
        """Return how far each stream was heard."""
        return dict(self.kept)

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Commit at once, or when the test lets it."""
        await self.go.wait()
        self.events += events
        self.batches.append(list(events))
        self.kept |= cursors
        self.pulse.beat()
        return _answered()

    async def suggest(self, asked: Asked, parameter: str, typed: str) -> Sequence[str]:
        """Suggest nothing."""
        return ()

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [one for one in self.events if isinstance(one, kind)]

    @property
    def texts(self) -> list[str]:
        """What was said, in order."""
        return [one.text for one in self.of(Message)]

    async def heard(self, kind: type[E], number: int = 1) -> E:
        """Wait for that many events of a kind, and return the last of them."""
        found = await self.pulse.until(lambda: self.of(kind)[number - 1 : number], f"{kind.__name__} number {number}")
        return found[0]

    async def moved(self, stream: str, position: int) -> None:
        """Wait until a stream was heard as far as that."""
        await self.pulse.until(lambda: int(self.kept.get(stream, 0)) >= position, f"stream {stream} at {position}")


async def _answered() -> None:
    """Nothing is answered here."""


class Clock:
    """Real time, and what was waited: a wait takes no time at all, or moves the clock where `jumps` says so."""

    def __init__(self, *, jumps: bool = False) -> None:
        self._jumps = jumps
        self._ahead = 0
        self.waits: list[float] = []
        self.pulse = Pulse()

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return time.time_ns() // 1000 + self._ahead

    async def pause(self, seconds: float) -> None:
        """Note a wait."""
        self.waits.append(seconds)
        self._ahead += round(seconds * 1_000_000) if self._jumps else 0
        self.pulse.beat()
        await asyncio.sleep(0.01)

    def pace(self, **changes: Any) -> Pace:
        """Return a pace by this clock."""
        return Pace(**{"pause": self.pause, "chance": lambda: 1.0, "ready": 0.05, **changes})


def everyone(_: str) -> str:
    """No role is named as everyone of a server."""
    return ""


def adapter_for(
    server: DiscordServer,
    *,
    gate: Callable[[str], str] = everyone,
    notes: Notebook | None = None,
    clock: Clock | None = None,
    pace: Pace | None = None,
    kind: type[Discord] = Discord,
    **access: Any,
) -> Discord:
    """Make an adapter that will talk to a server; `kind` is one that lacks a guard, in a test of that guard."""
    clock = clock or Clock()
    wanted = Access(**{"token": server.token, "api_url": server.api_url, "gateway_url": server.gateway_url, **access})
    return kind(wanted, notes or Notebook(), gate, clock.now, pace=pace or clock.pace())


@asynccontextmanager
async def running(adapter: Discord, ear: Ear) -> AsyncIterator[asyncio.Task[None]]:
    """Run an adapter, and end it; raise what it ended with."""
    task = asyncio.create_task(adapter.run(ear))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def listening(server: DiscordServer, ear: Ear, **changes: Any) -> AsyncIterator[Discord]:
    """Run an adapter, as `adapter_for` makes it, and wait until it listens and has told so."""
    adapter = adapter_for(server, **changes)
    async with running(adapter, ear) as task:
        ready = asyncio.create_task(ear.pulse.until(lambda: ear.times_ready, "a listener that is told of the connection"))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            task.result()
        await ready
        yield adapter
