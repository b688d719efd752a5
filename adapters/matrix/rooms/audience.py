"""Who could read what was said in a room: followed back from now, or from the room's state then."""

from collections.abc import Collection
from typing import Self

from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.matrix.incoming.scrollback import MEMBER, VISIBILITY
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.state import OPEN, State, visibility


class Audience:
    """Some current members of a room or, for `readers` None, everybody who reads what is said there now.

    The latter are members and invitees, whoever joins later if they can read it, and the whole world if the room is
    world-readable. Of the former, only those in the room count. In an encrypted room everyone reads only what was said
    while they were there: they have no keys to more, whatever history the homeserver hands out.
    """

    def __init__(self, room: Room, readers: Collection[str] | None = None) -> None:
        reading = {user for user in room.state.inside if room.state.reads(user)}
        self._readers = reading if readers is None else room.state.joined & set(readers)
        self._everyone = readers is None
        self._encrypted = room.record.encrypted
        self._outside = self._everyone and not room.record.encrypted
        self._room = room
        self._memberships: dict[str, str] = {}
        self._visibility = room.state.visibility
        self._reads: bool | None = None

    def at(self, then: State) -> Self:
        """Go back to where the room had a given state."""
        self._reads = None
        self._visibility = then.visibility
        self._memberships = {user: then.membership(user) or "leave" for user in self._readers}
        return self

    def before(self, event: RoomEvent) -> None:
        """Go back to before an event."""
        if not event.is_state or event.kind not in (MEMBER, VISIBILITY):
            return
        self._reads = None
        was = part(part(event.raw, "unsigned"), "prev_content")
        if event.kind == VISIBILITY:
            # If the homeserver names no former value, it was the default, or is unknown.
            known = "replaces_state" not in part(event.raw, "unsigned")
            self._visibility = visibility(was) if was or known else "joined"
            return
        user = event.raw["state_key"]
        if self._everyone and user not in self._memberships and word(event.content, "membership") == "join":
            # Somebody joined whom the last sync did not show yet.
            self._readers.add(user)
        self._memberships[user] = word(was, "membership") or "leave"

    @property
    def reads(self) -> bool:
        """Whether all of them could read what was said then."""
        if self._reads is None:
            outside = not self._outside or self._could_be_read_outside()
            self._reads = outside and bool(self._readers) and all(map(self._could_read, self._readers))
        return self._reads

    def _could_be_read_outside(self) -> bool:
        """Return whether outsiders who can read what is said now, possibly after joining, could read what was said then."""
        if self._room.state.is_world_readable:
            return self._visibility == "world_readable"
        return self._visibility in OPEN or not self._room.state.opens_history

    def _could_read(self, user: str) -> bool:
        if self._visibility in OPEN and not self._encrypted:
            return True
        membership = self._memberships.get(user) or self._room.state.membership(user)
        return membership == "join" or (membership == "invite" and self._visibility != "joined")
