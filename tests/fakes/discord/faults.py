"""What can go wrong with a request, on demand: limits, errors, lost and late answers."""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.fakes.discord.things import Json
from tests.fakes.failing import Held as Held
from tests.fakes.failing import Lost as Lost
from tests.fakes.failing import Status as Status


@dataclass(frozen=True)
class RateLimit:
    """Refuse with 429, and everything else on the route (or everywhere) until the time is over."""

    retry_after: float = 0.1
    everywhere: bool = False
    shared: bool = False
    via: bool = True
    """Without the Via header it looks like a ban at Discord's border, which discord.py does not wait out."""


@dataclass(frozen=True)
class Then:
    """Take effect, then do something before the answer is sent: cut the gateway, say more, forget a session."""

    do: Callable[[], Awaitable[None] | None]


Fault = RateLimit | Status | Lost | Held | Then


class Bucket:
    """A real limit on one route: so many requests in a window of seconds, announced in the headers."""

    def __init__(self, name: str, limit: int, window: float) -> None:
        self._name, self._limit, self._window = name, limit, window
        self._ends = 0.0
        self._left = limit

    def take(self) -> tuple[bool, dict[str, str]]:
        """Whether one more request is within the limit, and what the headers say."""
        now = time.monotonic()
        if now >= self._ends:
            self._ends, self._left = now + self._window, self._limit
        within = self._left > 0
        self._left -= within
        return within, _headers(self._name, self._limit, self._left, self._ends - now)


class Faults:
    """The faults to come, by operation; `None` is any operation."""

    def __init__(self) -> None:
        self._script: dict[str | None, deque[Fault]] = {}
        self._buckets: dict[str, tuple[int, float]] = {}
        self._filled: dict[tuple[str, str], Bucket] = {}
        self._closed: dict[str | None, float] = {}
        self.too_early: list[str] = []
        """Operations that were asked for again before a limit was over."""

    def script(self, operation: str | None, *faults: Fault) -> None:
        """Queue faults for the next requests of an operation, by its name in Discord's description."""
        self._script.setdefault(operation, deque()).extend(faults)

    def limit(self, operation: str, limit: int, window: float) -> None:
        """Enforce a limit on an operation, for each channel, guild or webhook by itself."""
        self._buckets[operation] = (limit, window)

    def next(self, operation: str) -> Fault | None:
        """The fault of this request, if it has one."""
        for key in (operation, None):
            if queue := self._script.get(key):
                return queue.popleft()
        return None

    def close(self, operation: str, fault: RateLimit) -> tuple[Json, int, dict[str, str]]:
        """Begin a limit, and give the refusal: body, status, headers."""
        self._closed[None if fault.everywhere else operation] = time.monotonic() + fault.retry_after
        return refusal(fault.retry_after, fault.everywhere), 429, _limit_headers(operation, fault)

    def forgive(self) -> None:
        """End every limit now, though those who were told of it do not know."""
        self._closed.clear()

    def too_soon(self, operation: str, exempt: bool) -> RateLimit | None:
        """The limit that still stands in the way of this request. Interactions know no global one."""
        for key in (operation,) if exempt else (operation, None):
            left = self._closed.get(key, 0.0) - time.monotonic()
            if left > 0:
                self.too_early.append(operation)
                return RateLimit(left, everywhere=key is None)
        return None

    def bucket(self, operation: str, major: str) -> Bucket | None:
        """The enforced limit that a request falls under."""
        if operation not in self._buckets:
            return None
        return self._filled.setdefault((operation, major), Bucket(operation, *self._buckets[operation]))


def refusal(retry_after: float, everywhere: bool = False) -> Json:
    """What a 429 says."""
    return {"message": "You are being rate limited.", "retry_after": round(retry_after, 3), "global": everywhere}


def _limit_headers(operation: str, fault: RateLimit) -> dict[str, str]:
    via = {"Via": "1.1 google"} if fault.via else {}
    if fault.everywhere:
        scope = {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}
    else:
        scope = _headers(operation, 1, 0, fault.retry_after) | {"X-RateLimit-Scope": "shared" if fault.shared else "user"}
    return via | scope | {"Retry-After": str(max(1, round(fault.retry_after)))}


def _headers(bucket: str, limit: int, left: int, wait: float) -> dict[str, str]:
    return {
        "X-RateLimit-Bucket": bucket,
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset-After": f"{wait:.3f}",
        "X-RateLimit-Reset": f"{time.time() + wait:.3f}",
    }
