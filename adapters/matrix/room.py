"""One room: what it is now, and what has to be remembered of it so that nobody is told what they could not read."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from adapters.events import Person, Place, Reach
from adapters.matrix.convert import PLATFORM
from adapters.matrix.homeserver import Json
from adapters.matrix.names import line, localpart, short
from adapters.matrix.state import State

_LONGEST = 100
_NAMED = 2


class Shape(StrEnum):
    """What a room was so far: nobody else was there yet, one other person alone, the same encrypted, or a third, too."""

    UNKNOWN = ""
    DIRECT = "direct"
    SEALED = "sealed"
    ROOM = "room"


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept of a room over restarts.

    `hidden` says that something of this epoch was said while who came later could not have read it; `admitted` that somebody
    came all the same and goes on in it, as that is waived; `inside` that Lyra is in it.
    """

    epoch: int = 0
    shape: Shape = Shape.UNKNOWN
    encrypted: bool = False
    hidden: bool = False
    admitted: bool = False
    inside: bool = False

    @classmethod
    def noted(cls, note: Json) -> "Record":
        """Return the record of a note."""
        return cls(**{**note, "shape": Shape(note["shape"])})

    def note(self) -> Json:
        """Return what to keep of it."""
        return asdict(self)


class Room:
    """A room that Lyra is in, was in, or is asked into. It is moved on by the events of its timeline, in their order.

    `waived` says for which rooms newcomers may be told what they cannot read, `crowded` which ones a third was in.
    """

    def __init__(
        self, id: str, me: str, record: Record | None, waived: Callable[[str], bool], crowded: Callable[[str], bool]
    ) -> None:
        self.id = id
        self.me = me
        self.record = record or Record()
        self.state = State()
        self._known = record is not None
        self._waived = waived
        self._crowded = crowded

    # How it goes on

    def begin(self, state: State, *, whole: bool) -> None:
        """Go on with a state; not `whole` means that there is no telling what happened before it since the last one."""
        came = state is not self.state and bool(self.state.inside) and bool(state.joined - self.state.joined)
        self.state = state
        if self.record.inside and (came or not whole):
            self._newcomer()
        self._settle()

    def apply(self, event: Json) -> None:
        """Go on to after an event of the state."""
        key = event["state_key"]
        before = self.state.membership(key) if event["type"] == "m.room.member" else ""
        self.state.apply(event)
        came = event["type"] == "m.room.member" and before != "join" == self.state.membership(key)
        if came and key != self.me and self.record.inside:
            self._newcomer()
        self._settle()

    def _newcomer(self) -> None:
        if not (self._known and self.record.hidden):
            return
        if self._waived(self.id):
            self.record = replace(self.record, admitted=True)
        else:
            self.record = replace(self.record, epoch=self.record.epoch + 1, hidden=False)

    def _settle(self) -> None:
        """Take over from the state what stays true of a room for good."""
        if self.is_member and not self.record.inside:
            # While she was away, anybody may have come.
            self._newcomer()
        record = self.record
        encrypted = record.encrypted or self.state.is_encrypted
        shape = self._shape(encrypted)
        changed = self._known and shape is not record.shape and record.shape is not Shape.UNKNOWN
        # Whoever comes to an encrypted room has no keys to what was said before; to one of two nobody new can come.
        sealed = encrypted and shape is Shape.ROOM
        hidden = (record.hidden and not changed) or (self.is_member and (sealed or not self.state.opens_history))
        self.record = Record(record.epoch + changed, shape, encrypted, hidden, record.admitted, self.is_member)
        self._known = self._known or self.is_member

    def _shape(self, encrypted: bool) -> Shape:
        was = self.record.shape
        if was is Shape.ROOM or self.state.count_ever(self.me) > 1:
            return Shape.ROOM
        # Those who read the room that this one replaces have not come over yet.
        if was is Shape.UNKNOWN and (old := self.state.predecessor) and self._crowded(old):
            return Shape.ROOM
        if was is Shape.UNKNOWN and not self.alone:
            return was
        return Shape.SEALED if encrypted else Shape.DIRECT

    # What it is now

    @property
    def is_member(self) -> bool:
        """Whether Lyra is in it."""
        return self.state.membership(self.me) == "join"

    @property
    def others(self) -> Sequence[str]:
        """Who is in it beside Lyra, or invited."""
        return [one for one in self.state.inside if one != self.me]

    @property
    def alone(self) -> str:
        """The one person who is in it beside Lyra or invited, '' where there are more or none."""
        inside = self.state.inside
        return self.others[0] if len(inside) == 2 and self.me in inside else ""

    @property
    def is_direct(self) -> bool:
        """Whether one person alone reads it beside Lyra, always did, and the homeserver can read it, too."""
        return bool(self.alone) and self.record.shape is Shape.DIRECT and not self.record.encrypted

    @property
    def name(self) -> str:
        """What people call it."""
        if title := line(self.state.title, _LONGEST):
            return title
        others = self.others
        shown = [self.person(one).name for one in others[:_NAMED]]
        if len(others) > _NAMED:
            more = len(others) - _NAMED
            return f"{', '.join(shown)} and {more} other{'s' if more > 1 else ''}"
        return " and ".join(shown) or "an empty room"

    def called(self, name: str, thread: str) -> str:
        """Return what a thread is called in a room of that name; '' is its main timeline."""
        return f"{name}: thread {short(thread)}" if thread else name

    def person(self, user: str) -> Person:
        """Return someone under the name that is shown here: one line, at most 64 characters, never empty."""
        return Person(PLATFORM, user, line(self.state.shown_name(user)) or line(localpart(user)) or user)

    def place(self, thread: str = "") -> Place:
        """Return the room, or a thread of it, as a place with those who can read it."""
        name = self.called(self.name, thread)
        if self.is_direct:
            return Place(PLATFORM, self.id, name, Reach.DIRECT, thread, alone=self.alone)
        return Place(
            *(PLATFORM, self.id, name, Reach.ROOM, thread),
            circle=self.id,
            epoch=self.record.epoch,
            alone=self.alone,
            encrypted=self.record.encrypted,
            crowded=self.record.shape is Shape.ROOM,
        )

    def readable(self, user: str) -> bool:
        """Whether someone can read now, for sure, all that was said here while Lyra listened."""
        # Whoever came later and could not read what was said before began an epoch, or was let in on it.
        return self.state.membership(user) == "join" and not self.record.epoch and not self.record.admitted
