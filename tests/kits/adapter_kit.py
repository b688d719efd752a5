"""An adapter under test: what listens to it, and what it keeps."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import pytest

from adapters.base import Adapter, Sending
from adapters.command_table import CommandSpec
from adapters.errors import SendFailed
from adapters.events import Circle, Event, MenuCall, Message, Place, Reach, conversation_of
from adapters.listener import Listener
from tests.fakes.pulse import Pulse

E = TypeVar("E", bound=Event)

NO_COMMANDS: Mapping[str, CommandSpec] = {}
NO_CURSORS: Mapping[str, str] = {}
_SECOND = 1_000_000


class Silent(Adapter):
    """A platform where nothing is said or sent, for tests of what else it knows."""

    async def run(self, listener: Listener) -> None:
        raise AssertionError("nobody listens to this platform")

    async def send(self, sending: Sending) -> str:
        raise AssertionError("nothing is sent to this platform")

    async def locate_key(self, key: str) -> Place | None:
        return conversation_of(self.platform, key)


class SendsParts(Protocol):
    """What sends parts to a platform."""

    async def send(self, sending: Sending) -> str:
        """Send a part; return its id."""
        ...


class SendingDesk:
    """Where a test hands in parts to be sent."""

    sender: SendsParts

    async def insists(self, sending: Sending) -> str:
        """Send a part whose first attempt does not tell whether it arrived, then once more."""
        await self.delayed(sending)
        return await self.sender.send(replace(sending, unsure=True))

    async def refused(self, sending: Sending) -> str:
        """Send a part that is refused for good, and return the reason."""
        return await self._failed(sending, final=True)

    async def delayed(self, sending: Sending) -> str:
        """Send a part that cannot go now, and return the reason."""
        return await self._failed(sending, final=False)

    async def _failed(self, sending: Sending, *, final: bool) -> str:
        with pytest.raises(SendFailed) as failed:
            await self.sender.send(sending)
        assert failed.value.final is final
        return str(failed.value)


def server_circle(id: object) -> Circle:
    """Return all of a server."""
    return Circle(Reach.PUBLIC, str(id))


def channel_circle(id: object) -> Circle:
    """Return who can read a channel, or a private thread, that not all of its server can."""
    return Circle(Reach.RESTRICTED, str(id))


def room_circle(id: str, epoch: int = 0) -> Circle:
    """Return who can read a room."""
    return Circle(Reach.ROOM, id, epoch)


class Notebook:
    """Notes in memory. They outlive an adapter, as real ones do a process."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    async def get(self, name: str) -> Any:
        """Return a value."""
        return deepcopy(self.values.get(name))

    async def put(self, name: str, value: Any) -> None:
        """Keep a value, as JSON has it."""
        self.values[name] = json.loads(json.dumps(value))

    def forget(self, name: str) -> None:
        """Lose a note of every account, as with a database that is older than what followed."""
        for one in [one for one in self.values if one.startswith(f"{name} ")]:
            del self.values[one]


class Ear:
    """A listener that commits to a list. While `held` is set it keeps the adapter waiting for its commits."""

    def __init__(self, table: Mapping[str, CommandSpec] = NO_COMMANDS, cursors: Mapping[str, str] | None = None) -> None:
        self.table = table
        self.kept = dict(cursors or {})
        """How far each stream was heard. Give it to the next ear, as after a restart."""
        self.events: list[Event] = []
        self.batches: list[list[Event]] = []
        self.times_ready = 0
        self.missing: list[tuple[str, ...]] = []
        """Where something may not have been heard, as it was told."""
        self.go = asyncio.Event()
        self.go.set()
        self.pulse = Pulse()

    async def ready(self) -> None:
        """Count."""
        self.times_ready += 1
        self.pulse.beat()

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Note it."""
        self.missing.append(tuple(prefix))
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

    async def keep(self, ahead: Message) -> None:
        raise NotImplementedError  # only terminals read ahead

    async def suggest(self, asked: MenuCall, parameter: str, typed: str) -> Sequence[str]:
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


@asynccontextmanager
async def running(adapter: Adapter, ear: Ear) -> AsyncIterator[asyncio.Task[None]]:
    """Run an adapter, and end it; raise what it ended with."""
    task = asyncio.create_task(adapter.run(ear))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def connected(adapter: Adapter, ear: Ear) -> AsyncIterator[None]:
    """Run an adapter, and wait until it listens and has told so."""
    async with running(adapter, ear) as task:
        ready = asyncio.create_task(ear.pulse.until(lambda: ear.times_ready, "a listener that is told of the connection"))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            task.result()
        await ready
        yield


class Clock:
    """The time now, in microseconds UTC, and what a test adds to it."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return time.time_ns() // 1000 + self.ahead

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        self.ahead += round(seconds * _SECOND)
