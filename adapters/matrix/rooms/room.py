"""One room: its state, and what has to be remembered so that nobody is told what they could not read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from adapters.display import line
from adapters.events import Circle, Person, Place, Reach
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.scrollback import MEMBER, VISIBILITY
from adapters.matrix.rooms.state import State

_LONGEST = 100
_SHORT = 6
_NAMED = 2


class RoomShape(StrEnum):
    """What a room has been so far: nobody else was there yet, a DM with one person, the same encrypted, or anything else.

    A DM lasts only as long as nobody else was ever there or invited, could join, or could read.
    """

    UNKNOWN = ""
    DIRECT = "direct"
    SEALED = "sealed"
    ROOM = "room"


@dataclass(frozen=True, slots=True)
class RoomEnding:
    """How a room ended: its successor, and who could read everything said in its last epoch.

    `open` means that whoever joins there later can read all of that as well. `predecessor` is the room that it replaced
    itself, '' for none.
    """

    successor: str
    epoch: int
    readers: tuple[str, ...]
    open: bool = False
    predecessor: str = ""


@dataclass(frozen=True, slots=True)
class RoomRecord:
    """What is kept of a room across restarts.

    `hidden` means that something of this epoch was said while later members could not have read it; `shut` that something
    of it was said while outsiders could not; `admitted` that somebody joined this epoch all the same, because that is
    waived; `inside` that Lyra is in it; `ending` is how it ended, if another room replaces it.
    """

    epoch: int = 0
    shape: RoomShape = RoomShape.UNKNOWN
    encrypted: bool = False
    hidden: bool = False
    admitted: bool = False
    inside: bool = False
    shut: bool = False
    ending: RoomEnding | None = None

    @classmethod
    def from_note(cls, note: Json) -> "RoomRecord":
        """Deserialize a record from a note."""
        was = note.get("ending")
        ending = RoomEnding(**{**was, "readers": tuple(was["readers"])}) if was else None
        # Notes from before `shut` existed: as far as is known, not all the world could read it.
        return cls(**{"shut": True, **note, "shape": RoomShape(note["shape"]), "ending": ending})


class Room:
    """A room that Lyra is in, was in, or is invited to. The events of its timeline advance it, in order.

    `waived` says for which rooms newcomers may be told what they cannot read, `crowded` in which ones there was a third
    person.
    """

    def __init__(
        self, id: str, me: str, record: RoomRecord | None, waived: Callable[[str], bool], crowded: Callable[[str], bool]
    ) -> None:
        self.id = id
        self.me = me
        self.record = record or RoomRecord()
        self.state = State()
        self._known = record is not None
        self._waived = waived
        self._crowded = crowded

    # Progress

    def begin(self, state: State, *, complete: bool) -> None:
        """Continue from a state; unless `complete`, it is unknown what happened since the last one."""
        was, self.state = self.state, state
        came = state is not was and bool(was.inside) and any(state.reads(one) and not was.reads(one) for one in state.inside)
        if self.record.inside and (came or not complete):
            self._newcomer()
        self._settle()

    def apply(self, event: Json) -> None:
        """Advance past a state event."""
        concerned = [event["state_key"]] if event["type"] == MEMBER else self.others if event["type"] == VISIBILITY else ()
        outside = [user for user in concerned if user != self.me and not self.state.reads(user)]
        self.state.apply(event)
        if any(map(self.state.reads, outside)) and self.record.inside:
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
            # While she was away, anybody may have joined.
            self._newcomer()
        record = self.record
        encrypted = record.encrypted or self.state.is_encrypted
        shape, ending = self._shape(encrypted), self._ending()
        changed = self._known and shape is not record.shape and record.shape is not RoomShape.UNKNOWN
        # Outsiders have no keys.
        open_to_all = self.is_member and self.state.is_world_readable and not encrypted
        open_to_later = self.is_member and self.state.opens_history and not encrypted and not self._waived(self.id)
        opened = self._known and ((open_to_all and record.shut) or (open_to_later and record.hidden))
        anew = changed or opened or self._has_lost(ending)
        # Newcomers to an encrypted room have no keys to what was said before; to a DM nobody new can come.
        sealed = encrypted and shape is RoomShape.ROOM
        hidden = (record.hidden and not anew) or (self.is_member and (sealed or not self.state.opens_history))
        shut = (record.shut and not anew) or (self.is_member and not open_to_all)
        self.record = RoomRecord(record.epoch + anew, shape, encrypted, hidden, record.admitted, self.is_member, shut, ending)
        self._known = self._known or self.is_member

    def _shape(self, encrypted: bool) -> RoomShape:
        was = self.record.shape
        if was is RoomShape.ROOM or self.state.count_ever(self.me) > 1 or not self.is_closed:
            return RoomShape.ROOM
        # Those who read its predecessor have not come over yet.
        if was is RoomShape.UNKNOWN and (old := self.state.predecessor) and self._crowded(old):
            return RoomShape.ROOM
        if was is RoomShape.UNKNOWN and not self.alone:
            return was
        return RoomShape.SEALED if encrypted else RoomShape.DIRECT

    def _ending(self) -> RoomEnding | None:
        """Return how the room ended; None if it goes on, or if its end was announced by somebody who may not."""
        record, named = self.record, self.state.successor
        was = record.ending
        if not (self.is_member and self.state.is_complete):
            return was
        is_new = was is None or was.successor != named
        if not named or (is_new and not self.state.has_entitled_successor):
            return None
        if was is None:
            was = RoomEnding(named, record.epoch, (), predecessor=self.state.predecessor)
        if record.epoch == was.epoch and not record.admitted:
            # Whoever is there can read all of this epoch.
            readers = {*was.readers, *self.state.joined} - {self.me}
            public = self.state.opens_history and not (record.hidden or record.encrypted or self.state.is_encrypted)
            was = replace(was, readers=tuple(sorted(readers)), open=public)
        return replace(was, successor=named)

    def _has_lost(self, ending: RoomEnding | None) -> bool:
        """Return whether somebody left who could read everything until the room ended: they cannot read what follows."""
        if ending is None or ending.epoch != self.record.epoch or not (self.is_member and self.state.is_complete):
            return False
        return not self.state.joined.issuperset(ending.readers)

    # Current state

    @property
    def is_member(self) -> bool:
        """Whether Lyra is in it."""
        return self.state.membership(self.me) == "join"

    @property
    def is_closed(self) -> bool:
        """Whether nobody can join or read it without an invitation."""
        return self.state.is_by_invitation and not self.state.is_world_readable

    @property
    def tells_newcomers(self) -> bool:
        """Whether newcomers may be told what they cannot read."""
        return self._waived(self.id) and not self.state.is_world_readable

    @property
    def others(self) -> Sequence[str]:
        """Its other members and invitees."""
        return [one for one in self.state.inside if one != self.me]

    @property
    def alone(self) -> str:
        """The one other member or invitee, '' if there are more or none."""
        inside = self.state.inside
        return self.others[0] if len(inside) == 2 and self.me in inside else ""

    @property
    def is_private(self) -> bool:
        """Whether exactly one other person can read it, and always could."""
        return bool(self.alone) and self.record.shape is not RoomShape.ROOM

    @property
    def is_direct(self) -> bool:
        """Whether it is private and unencrypted, so that the homeserver can read it too."""
        return self.is_private and self.record.shape is RoomShape.DIRECT and not self.record.encrypted

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
        """Return the name of a thread in a room named `name`; '' is the main timeline."""
        return f"{name}: thread {short(thread)}" if thread else name

    def person(self, user: str) -> Person:
        """Return a person under their name in this room: one line, at most 64 characters, never empty."""
        return Person(PLATFORM, user, line(self.state.shown_name(user)) or line(localpart(user)) or line(user) or "@")

    def place(self, thread: str = "") -> Place:
        """Return the room, or a thread of it, as a place with its readers."""
        name = self.called(self.name, thread)
        if self.is_direct:
            return Place(PLATFORM, self.id, name, Reach.DIRECT, thread, alone=self.alone)
        return Place(
            *(PLATFORM, self.id, name, Reach.ROOM, thread),
            circle=Circle(Reach.ROOM, self.id, self.record.epoch),
            alone=self.alone,
            encrypted=self.record.encrypted,
            crowded=self.record.shape is RoomShape.ROOM,
        )

    def readable(self, user: str, epoch: int) -> bool:
        """Return whether a user can certainly read now all that was said in an epoch while Lyra listened."""
        if self.state.membership(user) != "join":
            return False
        if (ending := self.record.ending) and ending.epoch == epoch:
            return user in ending.readers
        # A newcomer who could not read what was said before began a new epoch, or was admitted.
        return epoch == self.record.epoch and not self.record.admitted


def localpart(user: str) -> str:
    """Return a user id's part before the server."""
    return user.removeprefix("@").partition(":")[0]


def short(event: str) -> str:
    """Return the start of an event id, by which people tell threads apart."""
    return "".join(one for one in event if one.isalnum())[:_SHORT] or "?"
