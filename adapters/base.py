"""The adapter contract.

An adapter converts a platform's events to those of adapters/events.py and passes them to its listener, in order; it is told
when they are committed and when they are answered. It sends frozen parts under their keys, and reports what became of those
whose fate is unknown. What it reports about a place is true now, or it reports that it does not know.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from adapters.command_table import Action, Card, CardLimits, File, Surface
from adapters.events import Circle, Message, Person, Place, Vanished
from adapters.listener import Listener
from adapters.message_parts import Attachment, Contents, Quote
from adapters.platform_clock import PlatformClock
from localization.sentences import Said


@dataclass(frozen=True, slots=True)
class Sending:
    """An outgoing part.

    `operation` is send, preview (a message that is edited later), edit, delete, offer (put `actions` under a message whose
    text stays) or unname (remove the name of the place's thread). Edit, delete and offer change the message with id
    `target`; it is '' if it is unknown whether that message arrived, in which case the platform's history tells. `answers`
    is the message or call that is answered, '' for none. `first` marks the answer's first part. `unsure` means an earlier
    attempt under this key may have arrived; `since` is when it was queued, in microseconds UTC. `notice` marks what is not
    conversation: a command's result, a status, an error. `reflection` marks an unprompted thought of Lyra's: it is shown as
    one, with its actions reachable from it. `files` are attached. `cards` replace the text.
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
    """A message's state in the platform's history: whether it still exists, and its current content.

    Unless `there`, it was certainly removed. `text` is None if the words cannot be read; `edited_at` is when they were last
    edited, in microseconds UTC, 0 for never. `person` is the account that said it.
    """

    there: bool
    text: str | None = None
    edited_at: int = 0
    attachments: tuple[Attachment, ...] = ()
    person: str = ""


class Preview(Protocol):
    """An answer that is shown while it is made. It ends when its final text is sent, or is dropped."""

    async def show(self, piece: str) -> None:
        """Show the next piece."""

    async def drop(self) -> None:
        """Remove what was shown: the answer failed or is generated again."""

    async def withhold(self) -> None:
        """Remove what was shown, or say that nothing more follows: something it was made from was taken back meanwhile."""


class Adapter(ABC):
    """One connected platform. The defaults here stand for what a platform lacks."""

    platform: str
    prefix = ""
    """The prefix of a line that calls a command; '' if commands are only called through menus."""
    leaving = ""
    """What to type to leave; '' if no word does."""
    opens_threads = False
    """Whether Lyra can open a thread on a message; the thread's id is then the message's."""
    replies = False
    """Whether a typed line can reply to a message, which is then what the line is about."""
    introduces = True
    """Whether Lyra introduces herself at first contact; False if the platform does so itself."""
    most_characters = 100_000
    """The longest part, in UTF-16 units."""
    card_limits: CardLimits | None = None
    """The limits of a message with cards; None if the platform has no cards."""
    most_bytes = 0
    """The most bytes of all files attached to one message; 0 if none can be sent."""
    presses = True
    """Whether people can press buttons under an answer."""
    removes = True
    """Whether posted messages can be deleted."""
    takes_back_edits = False
    """Whether people can undo an edit, so that a message has its earlier words again."""
    verifies = False
    """Whether people can compare emoji with Lyra to verify each other's keys."""
    links_names = False
    """Whether clients turn any name with a dot, and the names of people and rooms, into links."""
    shares_places = False
    """Whether several processes may be at one place at once, as a terminal and the memory page are."""
    divided, unit, units = False, 0, 1
    """Whether other processes hold connections of the account, and which of how many this one is; -1 is none."""
    edit_seconds = 0.0
    """The least seconds between two edits of a message; 0 if messages cannot be edited."""
    platform_clock = PlatformClock()
    """The clock by which messages have their times; this machine's own, as long as no other is known."""

    @abstractmethod
    async def run(self, listener: Listener) -> None:
        """Listen until the platform closes the connection or the task is cancelled. Raises PlatformRefused."""

    @abstractmethod
    async def send(self, sending: Sending) -> str:
        """Send a part and return its platform id. Raises SendFailed."""

    def goes_apart(self, answers: str) -> bool:
        """Return whether the answer to this event is sent by another route than its place's messages, and so does not wait for them."""
        return False

    @abstractmethod
    async def locate_key(self, key: str) -> Place | None:
        """Return the place with a key as it is now, its readers included; None if these are unknown. Raises PlaceGone.

        Every part is sent only if the readers are still those it was written for.
        """

    async def locate(self, place: Place) -> Place | None:
        """Return a place with its current state and readers, or None if these are unknown now. Raises PlaceGone."""
        return place

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        """Look once into a place's history, backwards from the first of these messages; return the state of those it covers.

        A look is a page of about 100 messages. What it does not reach, or cannot read, is not in the result. A `patient`
        caller is paced so that everything else has room.
        """
        return {}

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        """Return which of these places, or of what contains them, certainly no longer exist for Lyra.

        A failure, an outage or a missing permission does not count.
        """
        return ()

    def server_name(self, server: str) -> str:
        """Return the current or last name of a server; '' if it is unknown."""
        return ""

    async def administers_server(self, person: Person, server: str) -> bool | None:
        """Return whether a person certainly administers a server now; None if nobody can tell, as when Lyra is not in it."""
        return None

    async def open_thread(self, place: Place, name: str) -> Place | None:
        """Return the place of the thread on a channel message, opening it under `name` if need be; its id is the message's.

        None if Lyra may not open it. Raises PlatformFailure if it cannot be done now.
        """
        return None

    def note(self, text: str) -> None:  # noqa: B027 - most have nobody to tell
        """Show something beside the answers to the user of a pipe; other platforms show nothing."""

    def thread_opened_at(self, place: Place) -> int:
        """Return since when (microseconds UTC) people see the thread of a place, as the platform told; 0 if not yet."""
        return 0

    async def connections(self) -> int:
        """Return how many connections the account is divided into, one per process."""
        return 1

    def stand_by(self) -> None:
        """Hold no place until `take` assigns a connection."""
        self.divided, self.unit = True, -1

    def take(self, unit: int, units: int) -> None:
        """Connect as connection `unit` of `units` from the next `run` on."""
        self.unit, self.units = unit, units

    def holds(self, place: str) -> bool:
        """Return whether this connection, and no other, hears a place and posts to it."""
        return self.unit >= 0

    def at_hand(self, place: str) -> bool:
        """Return whether this process may deliver leftovers at a place; otherwise they wait for the process that can."""
        return self.holds(place)

    async def dm(self, person: Person) -> Place | None:
        """Return the existing place where a person alone reads Lyra, or None if there is none or it is unknown."""
        return None

    async def successor(self, place: Place) -> Place | None:
        """Return the place that replaces one for good, as far as Lyra is there, or None."""
        return None

    async def administers(self, person: Person, place: Place) -> bool:
        """Return whether a person administers a place; used for typed commands."""
        return False

    async def member_names(self, place: Place, accounts: Collection[str]) -> Sequence[Person]:
        """Return those present at a place, once for each name that others see there.

        Covers the members known without a request, and those of these accounts that are present.
        """
        return ()

    async def past_member_names(self, place: Place) -> Sequence[Person]:
        """Return those present at a place, once for each name they ever bore there, as far as the platform tells.

        In the order in which the names were borne.
        """
        return ()

    async def encrypted_circles(self, circles: Collection[Circle]) -> set[Circle]:
        """Return which of these circles are, or ever were, end-to-end encrypted."""
        return set()

    async def is_reader(self, person: Person, place: Place) -> bool:
        """Return whether a person is among the current readers of a place."""
        return True

    async def private_place(self, person: Person, *, encrypted: bool = False) -> Place | None:
        """Return the place for telling a person something privately, created if need be.

        None if answers can be private anywhere. `encrypted` requires end-to-end encryption. Raises PlatformFailure if there
        is no such place now.
        """
        return None

    async def unprompted_place(self, person: Person) -> Place | None:
        """Return the place for telling a person something unprompted, created if need be; None if there is none.

        Raises PlatformFailure if it is unavailable now.
        """
        return await self.private_place(person)

    def preview(self, place: str) -> Preview | None:
        """Return a preview that needs no message of its own; None if the platform has none."""
        return None

    def surface(self, event_id: str) -> Surface | None:
        """Return the person waiting for the answer to an event, or None if nobody can be asked."""
        return None

    def thinking(self, place: str) -> AbstractAsyncContextManager[None]:
        """Show at a place that an answer is being made, for the block."""
        return nullcontext()

    async def messages_before(self, place: str, message: str, n: int, reader: Person | None = None) -> Sequence[Quote]:
        """Return the n messages before one ('': before now), oldest first, that both `reader` and Lyra may read."""
        return ()

    async def read_attachments(self, message: Message) -> Sequence[Contents]:
        """Return the readable contents of a message's attachments, within limits, one per attachment, in order."""
        return ()

    async def readable_circles(self, person: Person, circles: Collection[Circle], spoken: Collection[Circle] = ()) -> set[Circle]:
        """Return which circles a person can certainly read now, all that was said there included; they spoke in those of `spoken`."""
        return set()

    async def belongs(self, person: Person, circles: Collection[Circle]) -> bool | None:
        """Return whether a person is in one of these servers or rooms now, or has one of these roles; None if that is uncertain."""
        return False

    async def has_place_in_common(self, person: Person) -> bool:
        """Return whether a person certainly shares a server, or a room of several, with Lyra."""
        return False

    async def non_readers(self, place: Place, accounts: Collection[str]) -> set[str]:
        """Return which of these accounts certainly cannot read a place now."""
        return set()

    async def verify(self, person: Person, place: Place, answer: bool | None) -> Said:
        """Start verifying a person, or take their answer on whether the emoji match; return what to say, '' for nothing.

        Raises PlatformFailure if that is impossible now.
        """
        return ""

    def link(self, place: str, message: str) -> str:
        """Return the URL of a message, '' if there is none."""
        return ""

    def describe(self) -> str:
        """Return a sentence on how the platform is connected; '' if there is nothing to say."""
        return ""
