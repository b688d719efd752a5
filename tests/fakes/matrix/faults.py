"""What can go wrong with a request to the homeserver, on demand: limits, errors, refusals, lost and late answers."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tests.fakes.failing import Held as Held
from tests.fakes.failing import Lost as Lost
from tests.fakes.failing import Status as Status

SYNC = "GET /sync"
SEND = "PUT /rooms/*/send/*"
REDACT = "PUT /rooms/*/redact/*"
MESSAGES = "GET /rooms/*/messages"
CONTEXT = "GET /rooms/*/context/*"
TO_DEVICE = "PUT /sendToDevice/*"
KEYS = "POST /keys/*"
UPLOAD = "POST /_matrix/media/v3/upload"
DOWNLOAD = "GET /_matrix/client/v1/media/download/*"


@dataclass(frozen=True)
class RateLimit:
    """Refuse with 429, and say how many seconds to wait, in the body and in the header."""

    retry_after: float = 0.1


@dataclass(frozen=True)
class Refuse:
    """Refuse as the homeserver does, with one of Matrix's codes. The request takes no effect."""

    status: int
    errcode: str
    error: str = "Refused"
    soft: bool = False
    """Whether a client keeps its device, and what it knows (`soft_logout`)."""


@dataclass
class Late:
    """Close the connection; the request takes effect only once the test lets it go, as `over` says then."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0


@dataclass(frozen=True)
class Then:
    """Take effect, then do something before the answer is sent: stop the homeserver, say more."""

    do: Callable[[], Awaitable[None]]


Fault = RateLimit | Status | Refuse | Lost | Held | Late | Then
UNKNOWN_TOKEN = Refuse(401, "M_UNKNOWN_TOKEN", "Invalid access token passed.")


class Faults:
    """The faults to come. An operation is a method and a path without `/_matrix/client/v3`, where `*` stands for anything."""

    def __init__(self) -> None:
        self._script: dict[str, deque[Fault]] = {}
        self._standing: dict[str, Fault] = {}

    def script(self, operation: str, *faults: Fault) -> None:
        """Queue faults for the next requests of an operation."""
        self._script.setdefault(operation, deque()).extend(faults)

    def always(self, operation: str, fault: Fault) -> None:
        """Let every request of an operation meet a fault, once its script is over, until it is lifted."""
        self._standing[operation] = fault

    def left(self, operation: str) -> int:
        """Return how many of an operation's queued faults no request has met yet."""
        return len(self._script.get(operation, ()))

    def lift(self) -> None:
        """Let nothing go wrong any more."""
        self._script.clear()
        self._standing.clear()

    def next(self, request: str) -> Fault | None:
        """The fault of this request, if it has one."""
        for operation, queue in self._script.items():
            if queue and matches(request, operation):
                return queue.popleft()
        return next((fault for operation, fault in self._standing.items() if matches(request, operation)), None)


def matches(request: str, operation: str) -> bool:
    """Whether a request is one of an operation."""
    return fnmatchcase(request, operation)
