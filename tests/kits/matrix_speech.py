"""Matrix's sender under test: Lyra's account at a real homeserver, by way of a proxy, without the rest of her."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nio import AsyncClient, SyncResponse

from adapters.base import Sending
from adapters.errors import PlaceGone, PlatformFailure
from adapters.matrix.account.account import Account, Credentials
from adapters.matrix.outgoing.posts import Sender
from adapters.matrix.outgoing.wire import Wire
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import State
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.pulse import Pulse
from tests.kits.adapter_kit import Clock, Notebook, SendingDesk

_numbers = itertools.count(1)


class Ears:
    """Keeps Lyra's rooms and keys up to date, and hears nothing else."""

    def __init__(self, account: Account, rooms: Rooms) -> None:
        self.pulse = Pulse()
        self._account, self._rooms = account, rooms
        self._begun: set[str] = set()

    async def listen(self) -> None:
        """Hear until cancelled."""
        while True:
            try:
                answer = await self._account.client.sync(timeout=30_000)
                if isinstance(answer, SyncResponse):
                    await self._take(answer)
                    self.pulse.beat()
                    await self._account.keep_keys(answer)
            except (PlatformFailure, OSError):
                await asyncio.sleep(0.02)

    async def _take(self, answer: SyncResponse) -> None:
        moved = []
        for room_id, part in answer.rooms.join.items():
            room = await self._rooms.meet(room_id, "")
            if room_id not in self._begun:
                room.begin(State(one.source for one in part.state), complete=True)
                self._begun.add(room_id)
            for event in part.timeline.events:
                if "state_key" in event.source and "event_id" in event.source:
                    room.apply(event.source)
            moved.append(room)
        await self._rooms.settle(moved, "")


@dataclass
class Desk(SendingDesk):
    """What a test speaks through."""

    client: AsyncClient
    rooms: Rooms
    sender: Sender
    clock: Clock
    notes: Notebook
    proxy: Proxy
    ears: Ears

    @property
    def user(self) -> str:
        """Lyra's id."""
        return str(self.client.user_id)

    async def joins(self, room: str) -> str:
        """Go into a room, and wait until it is known."""
        await self.client.join(room)
        await self.knows(room)
        return room

    async def knows(self, room: str, look: Callable[[], bool] = lambda: True) -> None:
        """Wait until a room is known, and something about it is so."""

        def found() -> bool:
            try:
                return self.rooms.place(room) is not None and look()
            except PlaceGone:
                return False

        await self.ears.pulse.until(found, "the room")


@dataclass
class Town:
    """Where Lyra lives in a test: a homeserver with people, the way to it, and her folder."""

    people: People
    proxy: Proxy
    folder: Path
    notes: Notebook = field(default_factory=Notebook)
    access: Credentials | None = None

    def loses_keys(self) -> None:
        """Let Lyra be a new device from now on: what she kept of the old one is gone."""
        self.notes, self.folder = Notebook(), self.folder / "again"

    @asynccontextmanager
    async def desk(self, *, seconds: float = 60.0, wire: type[Wire] = Wire) -> AsyncIterator[Desk]:
        """Connect, as the same account each time, and give what speaks."""
        if self.access is None:
            lyra = await self.people.person("lyra", listens=False)
            self.access = Credentials(self.proxy.url, lyra.user, lyra.password)
        account = Account(self.access, self.folder / "keys", self.notes)
        client = await account.open()
        rooms, clock = Rooms(client, self.notes), Clock()
        ears = Ears(account, rooms)
        listening = asyncio.create_task(ears.listen())
        sender = Sender(client, wire(client, rooms), clock, seconds=seconds)
        try:
            yield Desk(client, rooms, sender, clock, self.notes, self.proxy, ears)
        finally:
            self.proxy.faults.lift()
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await account.close()

    @asynccontextmanager
    async def beside(
        self, *people: Person, seconds: float = 60.0, wire: type[Wire] = Wire, **made: Any
    ) -> AsyncIterator[tuple[Desk, str]]:
        """Connect so, and give what speaks with a room of these people, made as `beside` does."""
        async with self.desk(seconds=seconds, wire=wire) as it:
            yield it, await beside(it, *people, **made)


async def beside(it: Desk, *people: Person, encrypted: bool = False, direct: bool = False, **more: Any) -> str:
    """Let the first person make a room where all are in, Lyra too, and return it."""
    first, *others = people
    invite = [other.user for other in others] + [it.user]
    room = await first.creates(encrypted=encrypted, direct=direct, invite=invite, **more)
    for other in others:
        await other.accepts(room)
    return await it.joins(room)


def part(room: str, text: str, *, thread: str = "", **more: Any) -> Sending:
    """Return a part for a room or a thread of it, under a key of its own."""
    usual: dict[str, Any] = {"key": f"{next(_numbers):032x}", "operation": "send", "answers": "", "unsure": False}
    return Sending(place=key_of(room, thread), text=text, **usual | more)


def key_of(room: str, thread: str = "") -> str:
    """Return the key of a room as a place."""
    return json.dumps(["", room, thread])
