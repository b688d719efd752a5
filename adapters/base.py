"""What every platform is made of: people, places, messages, commands, and the few things an adapter must be able to do.

An adapter turns a platform's events into `Message`s and hands them over; it is told when they are committed and when they
are answered. It sends frozen parts under their keys, and says what became of those whose fate is unknown.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Protocol


class Reach(StrEnum):
    """Who can read a place now: one person, everyone of its server or space, or only some."""

    DIRECT = "direct"
    PUBLIC = "public"
    RESTRICTED = "restricted"


@dataclass(frozen=True, slots=True)
class Person:
    """An immutable account, and the name it shows today. The id decides; the name is display only."""

    platform: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said. Ids are opaque; `name` is what people call it."""

    platform: str
    channel: str
    name: str
    reach: Reach
    thread: str = ""
    server: str = ""

    @property
    def key(self) -> str:
        """The place as one string, unique within its platform."""
        return json.dumps([self.server, self.channel, self.thread], ensure_ascii=False)


def conversation(platform: str, person: str, thread: str) -> Place:
    """Return the place of one of the conversations that a person has alone with Lyra, told apart by their threads."""
    return Place(platform, person, thread, Reach.DIRECT, thread=thread)


def thread_of(key: str) -> str:
    """Return the thread of a place's key."""
    return str(json.loads(key)[2])


@dataclass(frozen=True, slots=True)
class Message:
    """Something a person said at a place; `said_at` in microseconds UTC."""

    id: str
    place: Place
    person: Person
    text: str
    said_at: int

    def payload(self) -> str:
        """Return the message as JSON, to be kept until it is answered."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def read(cls, payload: str) -> "Message":
        """Return the message that `payload` wrote."""
        raw = json.loads(payload)
        place = Place(**{**raw["place"], "reach": Reach(raw["place"]["reach"])})
        return cls(raw["id"], place, Person(**raw["person"]), raw["text"], raw["said_at"])


@dataclass(frozen=True, slots=True)
class Sending:
    """A part on its way out. `unsure` says that an earlier attempt under this key may have arrived."""

    key: str
    place: str
    text: str
    operation: str
    answers: str
    unsure: bool


class Preview(Protocol):
    """An answer that is shown while it is made. It ends with the sending of its final text, or is dropped."""

    async def show(self, piece: str) -> None:
        """Show the next piece."""
        ...

    async def drop(self) -> None:
        """Take back what was shown: the answer failed or is made anew."""
        ...


Hear = Callable[[Sequence[Message]], Awaitable[Awaitable[None]]]
"""Hand messages over: returns when they are committed, with what to await until they are answered."""


class Adapter(Protocol):
    """One platform, connected."""

    platform: str

    async def run(self, hear: Hear) -> None:
        """Listen until the platform ends the conversation or the task is cancelled."""
        ...

    async def send(self, sending: Sending) -> str:
        """Send a part and return the platform's id of it. Raises adapters.errors.SendFailed."""
        ...

    def preview(self, place: str) -> Preview | None:
        """Return where an answer can be shown while it is made, or None where it goes out whole."""
        ...

    def surface(self, place: str) -> "Surface | None":
        """Return the person waiting at a place, or None where nobody can be asked."""
        ...


class Surface(Protocol):
    """What a command may ask of the place it was called at, while the person waits."""

    async def confirm(self, question: str) -> bool:
        """Ask the person, and return whether the answer was yes."""
        ...

    def enter(self, session: str) -> None:
        """Go on in another session of this person."""
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One typed word of a command; `rest` takes everything that follows."""

    name: str
    help: str
    type: type = str
    required: bool = False
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A command as called: who, where, with what."""

    person: Person
    place: Place
    arguments: Mapping[str, str | int]
    surface: Surface | None = None


class Audience(StrEnum):
    """Who may call a command, and who reads its answer."""

    ANYONE = "anyone"
    OWNER = "owner"
    PRIVATE = "private"
    HERE = "here"


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command of the table that every platform renders in its own way."""

    name: str
    help: str
    handler: Callable[[Call], Awaitable[str]]
    parameters: tuple[Parameter, ...] = ()
    who: Audience = Audience.ANYONE
    answer: Audience = Audience.PRIVATE
    examples: tuple[str, ...] = field(default=())
