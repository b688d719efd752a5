"""Matrix's adapter under test at a real homeserver, by way of a proxy, and how it is run."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from adapters.errors import PlaceGone
from adapters.events import Place
from adapters.matrix.account.account import Credentials
from adapters.matrix.adapter import Matrix
from adapters.matrix.homeserver import Pace
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.pulse import Pulse
from tests.kits.adapter_kit import Ear, Notebook, connected

__all__ = [
    "Clock",
    "Ear",
    "Home",
    "Notebook",
    "adapter_for",
    "dm",
    "home",
    "in_dm",
    "in_room",
    "listening",
    "place_of",
    "room_of",
    "sees_inside",
]


class Clock:
    """Real time, and what was waited before trying again: such a wait takes no time at all."""

    def __init__(self) -> None:
        self.ahead = 0.0
        """How many seconds it is ahead."""
        self.waits: list[float] = []
        self.pulse = Pulse()

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return time.time_ns() // 1000

    def elapsed(self) -> float:
        """Seconds since some moment."""
        return time.monotonic() + self.ahead

    async def pause(self, seconds: float) -> None:
        """Note a wait."""
        self.waits.append(seconds)
        self.pulse.beat()
        await asyncio.sleep(0.01)

    def pace(self, **changes: Any) -> Pace:
        """Return a pace by this clock."""
        return Pace(**{"pause": self.pause, "chance": lambda: 1.0, "elapsed": self.elapsed, **changes})


class Lodging(Protocol):
    """Where Lyra lives, as people know it."""

    @property
    def user(self) -> str:
        """Her id."""
        ...


@dataclass
class Home:
    """Where Lyra lives over restarts. `owner` is her account as people and its owner know it: no device of hers."""

    owner: Person
    proxy: Proxy
    folder: Path
    notes: Notebook = field(default_factory=Notebook)
    clock: Clock = field(default_factory=Clock)

    @property
    def user(self) -> str:
        """Her id."""
        return self.owner.user


async def home(people: People, proxy: Proxy, folder: Path) -> Home:
    """Return a home for a new account, in which nothing was done yet."""
    return Home(await people.person("lyra", listens=False), proxy, folder / "matrix")


def adapter_for(home: Home, *, kind: type[Matrix] = Matrix, pace: Pace | None = None, **changes: Any) -> Matrix:
    """Make an adapter; `kind` is one that lacks a guard, in a test of that guard."""
    access = Credentials(home.proxy.url, home.user, home.owner.password)
    wanted: dict[str, Any] = {"invites": "anyone", "pace": pace or home.clock.pace(), **changes}
    return kind(access, home.folder, home.notes, home.clock.now, **wanted)


@asynccontextmanager
async def listening(home: Home, ear: Ear, **changes: Any) -> AsyncIterator[Matrix]:
    """Run an adapter, as `adapter_for` makes it, and wait until it listens and has told so."""
    adapter = adapter_for(home, **changes)
    async with connected(adapter, ear):
        yield adapter


async def sees_inside(person: Person, room: str, user: str) -> None:
    """Wait until someone is in a room, as another one sees it."""
    await person.hears(room, lambda event: event.state_key == user and event.content.get("membership") == "join")


async def place_of(adapter: Matrix, ear: Ear, room: str, look: Callable[[Place], bool] = bool) -> Place:
    """Wait until she knows a room as one that fits, and return its place."""
    key = json.dumps(["", room, ""])
    while True:
        heard = len(ear.batches)
        with suppress(PlaceGone):
            if (place := await adapter.locate_key(key)) and look(place):
                return place
        await ear.pulse.until(lambda before=heard: len(ear.batches) > before, "a place that fits")  # type: ignore[misc]


async def dm(home: Lodging, person: Person, *, encrypted: bool = False) -> str:
    """Let a person open a DM with Lyra, and return it when she is in it."""
    room = await person.opens_dm(home.user, encrypted=encrypted)
    await sees_inside(person, room, home.user)
    return room


async def room_of(home: Lodging, *people: Person, name: str = "Garden", **made: Any) -> str:
    """Let the first make a room for all and Lyra, and return it when all are in it, she last."""
    first, *others = people
    room = await first.creates(name, **made)
    for other in others:
        await first.invites(room, other.user)
        await other.joins(room)
    await first.invites(room, home.user)
    await sees_inside(first, room, home.user)
    return room


@asynccontextmanager
async def in_dm(
    people: People, proxy: Proxy, folder: Path, *, encrypted: bool = False, encrypts: bool = False, **changes: Any
) -> AsyncIterator[tuple[Home, Person, Ear, str]]:
    """Run an adapter of a new home for the block, and let Ada open a DM with Lyra; give home, Ada, who listens, and the DM.

    Ada's client encrypts where `encrypts` or the DM says so; `changes` are as in `adapter_for`.
    """
    lyra, ada, ear = await home(people, proxy, folder), await people.person("ada", encrypts=encrypts or encrypted), Ear()
    async with listening(lyra, ear, **changes):
        yield lyra, ada, ear, await dm(lyra, ada, encrypted=encrypted)


@asynccontextmanager
async def in_room(
    people: People, proxy: Proxy, folder: Path, other: str = "bo"
) -> AsyncIterator[tuple[Home, Person, Person, Ear, str]]:
    """Run an adapter so, and let Ada make a room for another one and Lyra; give home, both, who listens, and the room."""
    lyra, ada, bo = await home(people, proxy, folder), await people.person("ada"), await people.person(other)
    ear = Ear()
    async with listening(lyra, ear):
        yield lyra, ada, bo, ear, await room_of(lyra, ada, bo)
