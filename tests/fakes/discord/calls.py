"""A request to the REST interface as it came, and the ways to refuse it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.paths import Operation
from tests.fakes.discord.things import Json

if TYPE_CHECKING:
    from tests.fakes.discord.hub import Hub


@dataclass(frozen=True)
class File:
    """A file that came with a request."""

    field: str
    name: str
    data: bytes


@dataclass(eq=False)
class Call:
    """One request. `operation` is its name in Discord's description, empty when it has none; `status` is the answer's."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    content_type: str = ""
    body: Any = None
    files: list[File] = field(default_factory=list)
    operation: str = ""
    values: dict[str, str] = field(default_factory=dict)
    status: int = 0
    fault: str = ""
    """What the test made go wrong with it."""
    at: float = field(default_factory=time.monotonic)

    def number(self, name: str) -> int:
        """An id of the path."""
        return int(self.values[name])

    def asked(self, name: str) -> str | None:
        """A value of the query."""
        return self.query[name][-1] if name in self.query else None

    @property
    def major(self) -> str:
        """What a limit on this route counts by."""
        return "/".join(self.values.get(name, "") for name in ("channel_id", "guild_id", "webhook_id", "webhook_token"))


class Refusal(Exception):
    """The request is refused: with a status and Discord's code. `wrong` says what a test must be told, too."""

    def __init__(self, status: int, code: int, message: str, wrong: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.wrong = status, code, message, wrong


@dataclass(frozen=True)
class Answer:
    """What a request is answered with; nothing at all is 204."""

    body: Json | list[Json] | None = None
    status: int = 200


Handler = Callable[["Hub", Call], Answer]


@dataclass(frozen=True)
class Route:
    """An operation that this server can do."""

    operation: Operation
    handle: Handler
    tokenless: bool = False


def route(name: str, method: str, path: str, *, tokenless: bool = False) -> Callable[[Handler], Route]:
    """Make a route of a handler. `tokenless` needs no Authorization."""
    return lambda handle: Route(Operation.at(name, method, path), handle, tokenless)


NOTHING = Answer(None, 204)
UNKNOWN_CHANNEL = (404, 10003, "Unknown Channel")
UNKNOWN_GUILD = (404, 10004, "Unknown Guild")
UNKNOWN_MEMBER = (404, 10007, "Unknown Member")
UNKNOWN_MESSAGE = (404, 10008, "Unknown Message")
UNKNOWN_USER = (404, 10013, "Unknown User")
UNKNOWN_WEBHOOK = (404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION = (404, 10062, "Unknown interaction")
UNKNOWN_COMMAND = (404, 10063, "Unknown application command")
MISSING_ACCESS = (403, 50001, "Missing Access")
NOT_THE_AUTHOR = (403, 50005, "Cannot edit a message authored by another user")
EMPTY_MESSAGE = (400, 50006, "Cannot send an empty message")
DM_CLOSED = (403, 50007, "Cannot send messages to this user")
MISSING_PERMISSIONS = (403, 50013, "Missing Permissions")
WRONG_CHANNEL = (400, 50024, "Cannot execute action on this channel type")
INVALID_FORM = (400, 50035, "Invalid Form Body")
THREAD_ARCHIVED = (400, 50083, "Thread is archived")
ACKNOWLEDGED = (400, 40060, "Interaction has already been acknowledged.")
FOLLOWED_UP = (400, 40094, "This interaction has hit the maximum number of follow up messages")
TOKEN_EXPIRED = (401, 50027, "Invalid Webhook Token")
NO_HISTORY = (400, 160002, "Cannot reply without permission to read message history")
HAS_THREAD = (400, 160004, "A thread has already been created for this message")
THREAD_LOCKED = (400, 160005, "Thread is locked")
