"""Compares stored messages with the platforms' histories, in the background, after a gap.

Covers what was said last at each place, as far as a thousand requests go, newest places first but for every fourth request, and
only while nobody talks with Lyra. A request covers a hundred messages of a place: in a DM all of them may be stored, in a busy
channel one. Progress is stored, so that a restart resumes if nothing can have been missed meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from adapters.base import Adapter
from adapters.events import Vanished
from bot.reconciliation.message_verification import MessageVerification, Verdict
from bot.service.log import log
from bot.service.priority import Priority
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.forget.comparison_state import PlaceComparison
from memory.ports import Clock
from memory.store.cancellation import end_if_asked

MOST = 1_000
"""How many requests are made for a place; messages beyond are checked when they are about to be used."""
_AT_ONCE = 100
_TURN = 4
_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Spot:
    platform: str
    place: str


@dataclass(eq=False)
class HistoryComparison:
    """Compares places, one request at a time. `vanish` is called with places that turn out to be gone."""

    memory: Memory
    verification: MessageVerification
    vanish: Callable[[Vanished], Awaitable[None]]
    adapters: Mapping[str, Adapter]
    priority: Priority
    clock: Clock

    def __post_init__(self) -> None:
        self._unverified = self.verification.unverified
        self._due: dict[_Spot, int] = {}
        """The places to compare, with the time of the next message to check."""
        self._aside: dict[_Spot, int] = {}
        """The places that could not be read, with their failure counts."""
        self._steps = 0
        self._work = asyncio.Event()
        self._begun: set[str] = set()
        self._through = {platform: asyncio.Event() for platform in self.adapters}

    async def through(self, platform: str) -> None:
        """Wait until every unverified place of a platform was compared, or cannot be read now."""
        await self._through[platform].wait()

    async def begin(self, platform: str) -> None:
        """Start comparing the unverified places of a platform."""
        for spot in [*self._due, *self._aside]:
            if spot.platform == platform:
                self._done(spot)
        for place, last_at in (await self.memory.verified.places(platform)).items():
            if self.adapters[platform].holds(place) and self._unverified.gap(platform, place):
                comparison = self._unverified.comparison(platform, place)
                self._due[_Spot(platform, place)] = comparison.through[0] if comparison else last_at
        self._begun.add(platform)
        self._unverified.incomplete.add(platform)
        self._through[platform].clear()
        self._work.set()

    def tick(self) -> None:
        """Retry places that could not be read, a few times."""
        for spot, failures in self._aside.items():
            if failures < _TRIES:
                self._due.setdefault(spot, 0)
                self._through[spot.platform].clear()
        self._work.set()

    async def run(self) -> None:
        """Compare due places, until cancelled."""
        while True:
            await self._work.wait()
            while self._due:
                await self.priority.free()
                spot = self._next()
                try:
                    await self._step(spot)
                except MemoryFailure as error:
                    log.info("compare.later", why=type(error).__name__)
                    self._put_aside(spot)
                    end_if_asked()
                self._tell()
            self._work.clear()
            self._tell()

    def _next(self) -> _Spot:
        """Return the place with the newest message to check, and every fourth time the one that waits longest.

        Where gaps come faster than all places are compared, the others would never have their turn.
        """
        self._steps += 1
        if self._steps % _TURN:
            return max(self._due, key=lambda one: self._due[one])
        return min(self._due, key=lambda one: self._unverified.compared_at(one.platform, one.place))

    def _tell(self) -> None:
        left = {spot.platform for spot in self._due}
        for platform, through in self._through.items():
            if platform not in left and platform in self._begun:
                through.set()
                self._unverified.incomplete.discard(platform)

    async def _step(self, spot: _Spot) -> None:
        """Check the next messages of a place with one request."""
        platform, place = spot.platform, spot.place
        comparison, now = self._unverified.comparison(platform, place), self.clock.now()
        requests = comparison.requests if comparison else 0
        some = await self.memory.verified.before(
            platform, place, comparison.through if comparison else None, self._unverified.gap(platform, place), _AT_ONCE
        ) if requests < MOST else []  # fmt: skip
        if not some:
            self._done(spot)
            return
        ids = [id for one in some for id in one.ids]
        presences = await self.adapters[platform].message_presences(place, ids, patient=True) if ids else {}
        last = None
        for one in some:
            if await self.verification.follow(platform, place, one, presences) is Verdict.UNKNOWN:
                break
            last = one
        if last is None:
            for event in await self.adapters[platform].vanished([place]):
                await self.vanish(event)
            self._put_aside(spot)
            return
        begun_at = comparison.at if comparison else now
        await self._unverified.record_comparison(platform, place, PlaceComparison(begun_at, last.position, requests + 1))
        self._aside.pop(spot, None)
        if spot in self._due:
            self._due[spot] = last.said_at

    def _put_aside(self, spot: _Spot) -> None:
        self._due.pop(spot, None)
        self._aside[spot] = self._aside.get(spot, 0) + 1

    def _done(self, spot: _Spot) -> None:
        self._due.pop(spot, None)
        self._aside.pop(spot, None)
