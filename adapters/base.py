"""What an adapter must be able to do.

An adapter turns a platform's events into those of adapters/events.py and hands them to its listener, in order; it is told
when they are committed and when they are answered. It sends frozen parts under their keys, and says what became of those
whose fate is unknown. What it says of a place is true now, or it says that it does not know.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from adapters.command_table import Action, Card, CardLimits, CommandSpec, File, Surface
from adapters.events import Asked, Attachment, Circle, Contents, Event, Message, Person, Place, Quote, Reach, Vanished, split_key
from localization.sentences import Said


@dataclass(frozen=True, slots=True)
class Sending:
    """A part on its way out.

    `operation` is send, preview (a message that is edited later), edit, delete, offer, which puts `actions` under a message that
    says what it said, or unname, which has the thread of the place be called nothing that was said. Edit, delete and offer change
    the message whose id is `target`; that is empty where it is not known whether that one arrived: then the platform's history
    tells. `answers` is the message or call that is answered, '' for none. `first` says that this is the answer's first part.
    `unsure` says that an earlier attempt under this key may have arrived; `since` is when it was queued, in microseconds UTC.
    `notice` says that it is no conversation: a command's result, a status, an error. `reflection` says that it is a thought of
    hers, said unasked: it is marked as one, and its actions can be reached from it. `files` go with it. `cards` stand in the
    place of the text.
    """

    key: str
    place: str
    text: str
    operation: str
    answers: str = field(repr=False)
    unsure: bool
    target: str = ""
    actions: tuple[Action, ...] = ()
    first: bool = True
    since: int = 0
    notice: bool = False
    reflection: bool = False
    files: tuple[File, ...] = ()
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Presence:
    """What a platform's history says of a message: whether it is still there, and what it says now.

    One that is not `there` was removed for sure. `text` is None where the words cannot be read; `edited_at` is when they were
    changed last, in microseconds UTC, 0 for never. `person` is the account that said it.
    """

    there: bool
    text: str | None = None
    edited_at: int = 0
    attachments: tuple[Attachment, ...] = ()
    person: str = ""


class Preview(Protocol):
    """An answer that is shown while it is made. It ends with the sending of its final text, or is dropped."""

    async def show(self, piece: str) -> None:
        """Show the next piece."""
        ...

    async def drop(self) -> None:
        """Take back what was shown: the answer failed or is made anew."""
        ...

    async def withhold(self) -> None:
        """Take back what was shown, or say that nothing more comes: what it was made from was taken back meanwhile."""
        ...


class Listener(Protocol):
    """Who listens to one platform."""

    @property
    def table(self) -> Mapping[str, CommandSpec]:
        """The commands, by name."""
        ...

    async def ready(self) -> None:
        """The platform is connected: places can be looked up, and what was left over is sent and answered now."""
        ...

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Commit that deletes and edits may not have been heard at the places whose key begins with a prefix, until now.

        () is the whole platform, (server,) one server, (server, channel) one channel with its threads.
        """
        ...

    async def cursors(self) -> Mapping[str, str]:
        """Return how far each stream was heard."""
        ...

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = ...) -> Awaitable[None]:
        """Commit events and cursors together; return what to await until the events are answered."""
        ...

    async def keep(self, ahead: Message) -> None:
        """Commit a message that is to be answered only once it is heard: it was written while another one was answered."""
        ...

    async def suggest(self, asked: Asked, parameter: str, typed: str) -> Sequence[str]:
        """Return values that a person may want to give a parameter, at most 25 of at most 100 characters."""
        ...


class Notes(Protocol):
    """What an adapter keeps for itself over restarts: small values by name, never anybody's words."""

    async def get(self, name: str) -> Any:
        """Return a value as it was put, None where there is none."""
        ...

    async def put(self, name: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        ...


class Adapter(ABC):
    """One platform, connected. What a platform does not have keeps its default here."""

    platform: str
    prefix = ""
    """What a line begins with that calls a command; '' where commands are called through menus alone."""
    leaving = ""
    """What is typed to leave; '' where nobody leaves by a word."""
    opens_threads = False
    """Whether she can open a thread on a message, which then has that one's id."""
    replies = False
    """Whether a typed line can answer a message, which then is what the line is about."""
    introduces = True
    """Whether Lyra says what she is at the first contact; False where the platform greets by itself."""
    most_characters = 100_000
    """The longest part, counted in UTF-16 units."""
    card_limits: CardLimits | None = None
    """What a message takes that shows cards; None where there are none."""
    most_bytes = 0
    """How many bytes the files that go with one message have together at most; 0 where none can be sent."""
    presses = True
    """Whether people can press what stands under an answer."""
    removes = True
    """Whether what was said there can be removed again."""
    takes_back_edits = False
    """Whether people can take an edit back, so that a message has again the words from before it."""
    verifies = False
    """Whether people can compare emoji with her, so that they know each other's keys."""
    links_names = False
    """Whether clients make a link of any name with a dot, and of the names of people and rooms."""
    shares_places = False
    """Whether several processes may be at one place at once, as a terminal and the memory page are."""
    divided, unit, units = False, 0, 1
    """Whether other processes have connections of the account, and which of how many this is; -1 is none."""
    edit_seconds = 0.0
    """How many seconds must lie between two edits of a message; 0 where messages cannot be edited."""

    @abstractmethod
    async def run(self, listener: Listener) -> None:
        """Listen until the platform ends the conversation or the task is cancelled. Raises PlatformRefused."""

    @abstractmethod
    async def send(self, sending: Sending) -> str:
        """Send a part and return the platform's id of it. Raises SendFailed."""

    async def locate(self, place: Place) -> Place | None:
        """Return a place as it is and as who can read it now; None where that is not known now. Raises PlaceGone."""
        return place

    async def locate_key(self, key: str) -> Place | None:
        """As `locate`, for the key of a place."""
        server, channel, thread = split_key(key)
        return Place(self.platform, channel, "", Reach.DIRECT, thread, server)

    async def stands(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        """Look once into the history of a place, from the first of these messages back; return what it says of those it shows.

        A look is a page of about 100 messages. What it does not reach, or cannot read, is not in the answer. A `patient`
        caller is kept to a pace that leaves room for everything else.
        """
        return {}

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        """Return what of these places, or of what they belong to, does not exist any more for Lyra, for sure.

        A failure, an outage or a missing permission is no disappearance.
        """
        return ()

    def server_name(self, server: str) -> str:
        """Return what a server is called, or was last; '' where there is none of that id, or nobody knows."""
        return ""

    async def ruled(self, person: Person, server: str) -> bool | None:
        """Say whether a person rules a server now; None where that cannot be asked, for example because she is not in it."""
        return None

    async def open_thread(self, place: Place, name: str) -> Place | None:
        """Return the place of the thread that a message of its channel begins, whose id is the thread's, opened under a name if need be.

        None where Lyra may not open it. Raises PlatformFailure where that cannot be done now.
        """
        return None

    def opened_at(self, place: Place) -> int:
        """Return since when (microseconds UTC) people see the thread of a place, as the platform told; 0 where they do not yet."""
        return 0

    async def connections(self) -> int:
        """Return how many connections the account is divided into; each is one process's."""
        return 1

    def stand_by(self) -> None:
        """Hold no place until a connection is taken."""
        self.divided, self.unit = True, -1

    def take(self, unit: int, units: int) -> None:
        """Connect as one of so many from the next `run` on."""
        self.unit, self.units = unit, units

    def holds(self, place: str) -> bool:
        """Say whether a place is heard on this connection of the account, and said to by nobody else."""
        return self.unit >= 0

    def at_hand(self, place: str) -> bool:
        """Say whether what is left over at a place may be said there by this process; else it waits for whoever is there."""
        return self.holds(place)

    async def dm(self, person: Person) -> Place | None:
        """Return the place where a person alone reads Lyra, if there is one already and the platform tells."""
        return None

    async def rules(self, person: Person, place: Place) -> bool:
        """Say whether a person rules a place; asked for commands that are typed."""
        return False

    async def called(self, place: Place, accounts: Collection[str]) -> Sequence[Person]:
        """Return those who are present at a place, under each name that others see there.

        They are those who are known without asking, and those of these accounts that are there.
        """
        return ()

    async def bore(self, place: Place) -> Sequence[Person]:
        """Return those who are present at a place, under each name that they ever bore there, as far as the platform tells.

        The name that was borne first comes first.
        """
        return ()

    async def sealed(self, circles: Collection[Circle]) -> set[Circle]:
        """Return those circles where what is said is, or ever was, readable at its ends alone."""
        return set()

    async def attends(self, person: Person, place: Place) -> bool:
        """Say whether a person is among those who can read a place now."""
        return True

    async def aside(self, person: Person, *, encrypted: bool = False) -> Place | None:
        """Return where a person alone reads what they are told, made if need be; None where an answer can be private anywhere.

        `encrypted` says that it has to be readable at its ends alone. Raises PlatformFailure where there is no such place now.
        """
        return None

    async def reach(self, person: Person) -> Place | None:
        """Return where a person can be told something unasked, made if need be; None where there is no such place.

        Raises PlatformFailure where there is none now.
        """
        return await self.aside(person)

    def preview(self, place: str) -> Preview | None:
        """Return where an answer can be shown while it is made, without a message of its own; None where it cannot."""
        return None

    def surface(self, event_id: str) -> Surface | None:
        """Return the person who waits for the answer to an event, or None where nobody can be asked."""
        return None

    @asynccontextmanager
    async def thinking(self, place: str) -> AsyncIterator[None]:
        """Show at a place that an answer is being made."""
        yield

    async def before(self, place: str, message: str, n: int, reader: Person | None = None) -> Sequence[Quote]:
        """Return the n messages before one (before now, for ''), oldest first, as far as `reader` and Lyra may read them."""
        return ()

    async def read(self, message: Message) -> Sequence[Contents]:
        """Return what can be read of a message's attachments, within bounds, one for each, in order."""
        return ()

    async def readable(self, person: Person, circles: Collection[Circle]) -> set[Circle]:
        """Return those circles that a person can read now, for sure."""
        return set()

    async def shares(self, person: Person) -> bool:
        """Say whether a person is for sure in a server or a room of several together with Lyra."""
        return False

    async def outside(self, place: Place, accounts: Collection[str]) -> set[str]:
        """Return those accounts that cannot read what is said at a place now, for sure."""
        return set()

    async def verify(self, person: Person, place: Place, answer: bool | None) -> Said:
        """Begin a verification with a person, or take their answer whether the emoji are the same; return what to say, '' for nothing.

        Raises PlatformFailure where that cannot be now.
        """
        return ""

    def link(self, place: str, message: str) -> str:
        """Return the address of a message, '' where there is none."""
        return ""

    def describe(self) -> str:
        """Say how the platform is connected, in a sentence; '' where there is nothing to say."""
        return ""
