"""Lyra at a real homeserver for tests of who may know: people and places by name, guards to be switched off, a clock ahead."""

import json
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.events import Circle
from adapters.events import Person as Someone
from adapters.matrix.adapter import Matrix
from bot.app import App
from bot.conversation.domain_access import DomainAccess
from memory.ports import Clock
from memory.text.time.times import SystemClock
from tests.fakes.matrix import Call, Event, People, Person, Proxy
from tests.kits.awake import Awake, prompt
from tests.kits.discord_knowing import Everything, Thoughtful, Unguarded, everything
from tests.kits.given_time import Noon, going_by
from tests.kits.matrix_home import Home, dm, home, room_of, sees_inside

__all__ = ["Ahead", "Believing", "Everything", "Noon", "Thoughtful", "Town", "Unguarded", "everything", "sees_inside", "town_of"]

FACT = "my locker number is 7741"
CANARY = "7741"
ASKED = "what is my locker number?"


class Believing(Matrix):
    """The guard of what a person can read switched off: everybody can read everything."""

    async def readable_circles(
        self, person: Someone, circles: Collection[Circle], spoken: Collection[Circle] = ()
    ) -> set[Circle]:
        """Return all of them."""
        return set(circles)


class Ahead:
    """A clock that can be moved ahead of the system's."""

    def __init__(self) -> None:
        self.microseconds = 0
        self._clock = SystemClock()

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return self._clock.now() + self.microseconds


class Rewriting(Proxy):
    """A way to the homeserver on which what it answers is changed."""

    def rewritten(self, call: Call, status: int, answer: Any) -> tuple[int, Any]:
        """Return an answer as it is passed on."""
        return status, answer

    async def _forwarded(self, call: Call, request: web.Request) -> web.Response:
        call.headers.pop("accept-encoding", None)
        answer = await super()._forwarded(call, request)
        if answer.content_type != "application/json" or not isinstance(answer.body, bytes):
            return answer
        status, found = self.rewritten(call, answer.status, json.loads(answer.body))
        return web.json_response(found, status=status)


class Punctual(Rewriting):
    """The way to a homeserver whose clock is at noon, except for texts that are said at their own `times`, in milliseconds."""

    def __init__(self, upstream: str, noon: int, times: Mapping[str, int]) -> None:
        super().__init__(upstream)
        self._noon = noon
        self._times = times

    def rewritten(self, call: Call, status: int, answer: Any) -> tuple[int, Any]:
        """Give every event its time."""
        return status, self._timed(answer)

    def _timed(self, found: Any) -> Any:
        if isinstance(found, list):
            return [self._timed(one) for one in found]
        if not isinstance(found, dict):
            return found
        timed = {name: self._timed(value) for name, value in found.items()}
        if "origin_server_ts" in found and isinstance(content := found.get("content"), dict):
            timed["origin_server_ts"] = self._times.get(content.get("body", ""), self._noon)
        return timed


class Liar(Rewriting):
    """The way to a homeserver that, while it `lies`, denies that any room is encrypted."""

    lies = False

    def rewritten(self, call: Call, status: int, answer: Any) -> tuple[int, Any]:
        """Leave out every word of encryption."""
        if not self.lies:
            return status, answer
        if call.path.rstrip("/").endswith("/state/m.room.encryption"):
            return 404, {"errcode": "M_NOT_FOUND", "error": "Event not found."}
        return status, _without_encryption(answer)


def _without_encryption(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _without_encryption(value) for name, value in found.items()}
    if isinstance(found, list):
        return [_without_encryption(one) for one in found if not _turns_it_on(one)]
    return found


def _turns_it_on(found: Any) -> bool:
    return isinstance(found, dict) and found.get("type") == "m.room.encryption"


@dataclass
class Town:
    """A homeserver's people and rooms by name, a model, and a home for Lyra."""

    people: People
    home: Home
    model: Thoughtful
    rooms: dict[str, str] = field(default_factory=dict)
    _here: dict[str, Person] = field(default_factory=dict)

    @asynccontextmanager
    async def lyra(
        self, *, domains: type[DomainAccess] = DomainAccess, clock: Clock | None = None, **how: Any
    ) -> AsyncIterator[Awake]:
        """Wake Lyra for the block; after a first time, as after a restart. `how` is as in `Home.lyra`."""

        def changed(app: App) -> App:
            base = app.base
            return replace(app, domains=domains(app.memory, base.settings, app.preferences, base.clock, base.time_zone))

        with going_by(clock):
            async with self.home.lyra(self.model, changed=changed, **how) as lyra:
                yield lyra

    async def person(self, name: str) -> Person:
        """Someone by name, with keys."""
        if name not in self._here:
            self._here[name] = await self.people.person(name, encrypts=True)
        return self._here[name]

    async def room(self, name: str, *people: str, **made: Any) -> str:
        """Let the first make a room for all and Lyra."""
        self.rooms[name] = await room_of(self.home, *[await self.person(one) for one in people], name=name.title(), **made)
        return self.rooms[name]

    async def dm(self, who: str, *, encrypted: bool = False) -> str:
        """Let somebody open a DM with Lyra."""
        return await dm(self.home, await self.person(who), encrypted=encrypted)

    async def comes(self, who: str, room: str, asked_in_by: str = "ada") -> None:
        """Let somebody be asked into a room, and go in."""
        person = await self.person(who)
        await (await self.person(asked_in_by)).invites(room, person.user)
        await person.joins(room)

    async def asks(self, who: str, room: str, text: str, thread: str = "") -> Event:
        """Say something to Lyra, and return her answer."""
        return await self.home.asks(await self.person(who), room, text, mentions=[self.home.user], thread=thread)

    async def tells(self, who: str, room: str, command: str, thread: str = "") -> str:
        """Give a command in a room of several, and return what its asker alone is told."""
        return (await self.home.reads_aside(await self.person(who), room, command, thread=thread)).body

    async def sets(self, who: str, dm: str, setting: str) -> str:
        """Change something in a DM, and return what is told."""
        return (await self.asks(who, dm, f"!settings {setting}")).body

    async def leaks(self, who: str, room: str, thread: str = "") -> bool:
        """Ask in a room, and say whether the canary was in what the model was given then, or in the answer."""
        before = len(self.model.requests)
        answer = await self.asks(who, room, ASKED, thread)
        given = [prompt(request) for request in self.model.requests[before:]]
        assert given, "the model was not asked"
        return any(CANARY in text for text in (*given, answer.body))

    async def caught_up(self) -> None:
        """Wait until Lyra has heard all that happened so far."""
        if "a dm" not in self.rooms:
            self.rooms["a dm"] = await self.dm("zoe")
        await self.asks("zoe", self.rooms["a dm"], "!status")


@asynccontextmanager
async def town_of(people: People, proxy: Proxy, path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """Return a town in which nothing was done yet."""
    async with Thoughtful() as model:
        yield Town(people, await home(people, proxy, path, monkeypatch), model)


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """The town as a fixture, which a test module takes with `town = matrix_knowing.town`."""
    async with town_of(people, proxy, tmp_path, monkeypatch) as town:
        yield town
