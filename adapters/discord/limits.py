"""Discord's limits that outlive a process: starts a day, refused requests in ten minutes, and a stop for everything.

Whoever uses up the day's starts has the token taken away; 10,000 refused requests in ten minutes have the address banned.
"""

import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
from discord.http import Route

from adapters.discord.failures import seconds
from adapters.errors import SendFailed
from adapters.listener import Notes
from adapters.platform_clock import PlatformClock
from localization.sentences import lazy

MOST_REFUSED = 5_000
"""The most refused requests in ten minutes: half of what Discord bans for."""
SPARED_STARTS = 20
"""How many of the day's starts are never used."""

_SECOND = 1_000_000
_MINUTE = 60 * _SECOND
_DAY = 24 * 60 * _MINUTE
_WINDOW = 10
_BETWEEN_STARTS = 5 * _SECOND
_BETWEEN_WRITES = 3 * _SECOND
_USUAL_STARTS = 1000
_REQUESTS_A_SECOND, _AT_ONCE = 50, 5
Turn = Callable[[str, float], Awaitable[float]]
"""Reserves the next of some turns per second under a name; returns the seconds until then."""

log = logging.getLogger(__name__)


class StartsSpent(Exception):
    """Too few of the day's starts are left to use one now."""


class Limits:
    """Counts starts and refused requests as Discord does, across restarts, and waits where needed. Instants are microseconds UTC."""

    def __init__(
        self, notes: Notes, now: Callable[[], int], pause: Callable[[float], Awaitable[None]], own: Notes | None = None
    ) -> None:
        """Prepare; `own` stores the counts of this process, if others have counts as well."""
        self._notes = notes
        self._own = own or notes
        self._now = now
        self._pause = pause
        self._starts: list[int] = []
        self._total = _USUAL_STARTS
        self._left = _USUAL_STARTS
        self._resets = 0
        self._refused: dict[int, int] = {}
        self._until = 0
        self._written = 0
        self.turn: Turn | None = None
        """The rate limiter shared by all processes; None if there is only this one."""
        self.sharers = 1
        """The number of processes: their refused requests count against one address."""
        self._granted = 0
        self.platform_clock = PlatformClock()

    async def load(self) -> None:
        """Load the counts of earlier processes."""
        self._starts = [int(one) for one in await self._notes.get("starts") or ()]
        self._refused = {int(minute): int(number) for minute, number in (await self._own.get("refused") or {}).items()}
        self._until = int(await self._own.get("stopped_until") or 0)

    async def save(self) -> None:
        """Save the counts."""
        self._written = self._now()
        await self._own.put("refused", {str(minute): number for minute, number in self._recent().items()})
        await self._own.put("stopped_until", self._until)

    # Starts

    async def ask(self, client: discord.Client, *, wait: bool) -> None:
        """Ask Discord about today's starts and, if asked to, `wait` until enough of them are left. Raises what a request raises."""
        self.learn((await client.http.request(Route("GET", "/gateway/bot")))["session_start_limit"])
        while wait and (seconds := self._start_in()) > 0:
            log.warning("Discord allows only a few more connections today; the next one is made in %.0f minutes.", seconds / 60)
            await self._pause(seconds)

    def learn(self, session_start_limit: Mapping[str, Any]) -> None:
        """Record what Discord reports of today's starts."""
        self._total, self._left = int(session_start_limit["total"]), int(session_start_limit["remaining"])
        self._resets = self._now() + int(session_start_limit["reset_after"]) * 1000

    async def start(self, *, initial: bool) -> None:
        """Wait until five seconds after the last start, and count one. Raises StartsSpent."""
        await self._hear_of_others()
        if self._start_in() > 0:
            raise StartsSpent("no starts left today")
        last = self._starts[-1] if self._starts else 0
        seconds = 5.0 if not initial else (last + _BETWEEN_STARTS - self._now()) / _SECOND
        if self.turn is not None:
            seconds = await self.turn("discord.starts", _SECOND / _BETWEEN_STARTS)
        if seconds > 0:
            await self._pause(seconds if self.turn else min(seconds, 5.0))
        self._left -= 1
        # Turns are so far apart that no other process reads or writes in between.
        await self._hear_of_others()
        self._starts = sorted({one for one in self._starts if one > self._now() - _DAY} | {self._now()})
        await self._notes.put("starts", self._starts)

    async def _hear_of_others(self) -> None:
        if self.turn is not None:
            self._starts = sorted({*self._starts, *(int(one) for one in await self._notes.get("starts") or ())})

    def _start_in(self) -> float:
        now = self._now()
        if not now < self._resets <= now + 2 * _DAY:
            self._left, self._resets = self._total, now + _DAY
        own = [one for one in self._starts if now - _DAY < one <= now + _MINUTE]
        most = self._total - SPARED_STARTS
        told = self._resets - now if self._left < SPARED_STARTS else 0
        kept = own[len(own) - most - 1] + _DAY - now if len(own) > most else 0
        return max(told, kept) / _SECOND

    # Requests

    def trace(self) -> aiohttp.TraceConfig:
        """Return the trace hooks that count every response."""
        config = aiohttp.TraceConfig()
        config.on_request_start.append(self._asked)
        config.on_request_end.append(self._answered)
        return config

    async def _asked(self, session: aiohttp.ClientSession, _: SimpleNamespace, __: aiohttp.TraceRequestStartParams) -> None:
        """Keep to the requests that Discord allows a bot a second, a few at a time of those that all processes have together.

        Raises ClientConnectionError if the session was closed while a request waited for its turn.
        """
        if self.turn is None:
            return
        if not self._granted:
            self._granted = _AT_ONCE
            if (seconds := await self.turn("discord.requests", _REQUESTS_A_SECOND / _AT_ONCE)) > 0:
                await self._pause(seconds)
        self._granted -= 1
        # aiohttp looked for that before, and goes on with a session that has no connections any more.
        if session.closed:
            raise aiohttp.ClientConnectionError("closed")

    def require(self) -> None:
        """Admit a request. Raises SendFailed while no requests may be made."""
        if (until := self._closed_until()) > self._now():
            shown = datetime.fromtimestamp(until / _SECOND, UTC).strftime("%H:%M:%S UTC")
            left = (until - self._now()) / _SECOND
            said = lazy("Discord has refused too many requests; Lyra asks it for nothing until {shown}.", shown=shown)
            raise SendFailed(said, retry_after=left)

    async def hold(self) -> None:
        """Wait while no requests may be made."""
        while (left := self._closed_until() - self._now()) > 0:
            if left > _MINUTE:
                log.warning("Discord takes no requests now; the next one is made in %.0f minutes.", left / _MINUTE)
            await self._pause(left / _SECOND)

    async def _answered(self, _: aiohttp.ClientSession, __: SimpleNamespace, end: aiohttp.TraceRequestEndParams) -> None:
        status, headers = end.response.status, end.response.headers
        self.platform_clock.note(headers.get("Date"))
        scope = headers.get("X-RateLimit-Scope")
        if status not in (401, 403, 429) or (status == 429 and scope == "shared"):
            return
        minute = self._now() // _MINUTE
        self._refused[minute] = self._refused.get(minute, 0) + 1
        # A response without Via comes from Discord's edge, which bans IP addresses.
        everywhere = status == 429 and (scope == "global" or "Via" not in headers)
        if everywhere:
            self._until = max(self._until, self._now() + math.ceil(seconds(headers.get("Retry-After")) or 1) * _SECOND)
        if everywhere or self._now() - self._written >= _BETWEEN_WRITES:
            await self.save()

    def _closed_until(self) -> int:
        if self._until > self._now() + _DAY:
            # No stop lasts that long: the clock was ahead when it was noted.
            self._until = 0
        recent = self._recent()
        left = sum(recent.values())
        for minute in sorted(recent):
            if left < MOST_REFUSED // self.sharers:
                break
            left -= recent[minute]
            self._until = max(self._until, (minute + _WINDOW + 1) * _MINUTE)
        return self._until

    def _recent(self) -> dict[int, int]:
        last = self._now() // _MINUTE
        self._refused = {minute: number for minute, number in self._refused.items() if abs(last - minute) <= _WINDOW}
        return self._refused
