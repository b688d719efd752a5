"""The rooms that Lyra is in, as places, in the state last reported by the homeserver.

A room continues the rooms that it replaced, as far as everyone who can read it could read them. Anybody can claim that
their room replaces another one, so both have to name each other. Members and invitees count as a room's readers, and where
others can join or look in, so do they.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace

from nio import AsyncClient

from adapters.errors import PlaceHidden
from adapters.events import Circle, Place, Reach
from adapters.listener import Notes
from adapters.matrix.rooms.room import Room, RoomRecord, RoomShape
from localization.sentences import lazy

_MOST = 20
"""How many upgrades to follow back."""


class Succession:
    """Follows upgrades back. `past` returns a room as last known, `present` says whether Lyra sees its current state."""

    def __init__(self, past: Callable[[str], Room | None], present: Callable[[str], bool]) -> None:
        self._past = past
        self._present = present

    def earlier(self, room: Room) -> tuple[Circle, ...]:
        """Return the readers of the rooms that one replaced, newest first, up to the first that somebody could not read."""
        found: list[Circle] = []
        successor, old, met = room.id, room.state.predecessor, {room.id}
        while old and old not in met and len(found) < _MOST:
            met.add(old)
            past = self._past(old)
            ending = past.record.ending if past else None
            if past is None or ending is None or ending.successor != successor or not self.may_know(room, past):
                break
            found.append(Circle(Reach.ROOM, old, ending.epoch))
            successor, old = old, ending.predecessor
        return tuple(found)

    def may_know(self, room: Room, past: Room) -> bool:
        """Return whether everyone who can read a room could read everything said in an earlier one."""
        if past.record.encrypted and not room.record.encrypted:
            return False
        anybody = self._could_anybody(past)
        if anybody and past.state.is_public:
            return all(past.state.membership(user) != "ban" for user in room.others)
        readers = set(past.record.ending.readers) if past.record.ending else set()
        if room.state.asked_by_address or not readers.issuperset(room.others):
            return False
        if room.is_closed or room.record.encrypted:
            return True
        # Whoever can join now could have joined before.
        alike = anybody and room.state.join_rules == past.state.join_rules
        return not room.state.is_world_readable and (alike or not room.state.opens_history)

    def _could_anybody(self, past: Room) -> bool:
        """Return whether anyone who joins an earlier room now can read everything said there until it ended."""
        ending = past.record.ending
        return ending is not None and ending.open and not past.record.admitted and self._present(past.id)


_GONE = lazy("Lyra is not in that room any more; invite her again to talk to her there.")


class Rooms:
    """The rooms of one connection.

    A room's record is saved before the events that changed it are committed, together with the previous record: `since`,
    which advances with the commit, tells which of both is valid.
    """

    succession: type[Succession] = Succession

    def __init__(self, client: AsyncClient, notes: Notes, waived: Callable[[str], bool] | None = None) -> None:
        """Know nothing yet; `waived` says of which rooms newcomers may be told what they cannot read, by default of none."""
        self._client = client
        self._notes = notes
        self._rooms: dict[str, Room] = {}
        self._left: dict[str, Room] = {}
        self._succession = self.succession(self._past, self._is_seen)
        self._kept: dict[str, RoomRecord | None] = {}
        self._unsettled: set[str] = set()
        self._expected: set[str] = set()
        self._told = asyncio.Condition()
        self.complete = False
        """Whether the homeserver has reported all rooms."""
        self.waived = waived or (lambda room: False)
        self.away: Callable[[], bool] = bool
        """Whether the homeserver has not answered for too long."""

    # Places

    def place(self, room_id: str, thread: str = "") -> Place | None:
        """Return a room, or a thread of it, as a place; None if it is unknown now. Raises PlaceGone."""
        room = self.room(room_id)
        if room is None:
            return None
        place = room.place(thread)
        if not place.circle:
            return place
        earlier = self._succession.earlier(room)
        unheard = tuple(circle for circle in earlier if not self.hears(circle.id))
        return replace(place, earlier=earlier, unheard=unheard)

    def successor(self, room_id: str) -> Place | None:
        """Return the room that replaces one, if Lyra is there and it is known now, else None."""
        past = self._past(room_id)
        ending = past.record.ending if past else None
        try:
            return self.place(ending.successor) if ending else None
        except PlaceHidden:
            return None

    def hears(self, room_id: str) -> bool:
        """Return whether Lyra hears of redactions in a room."""
        room = self._rooms.get(room_id)
        return room is not None and room.is_member

    def room(self, room_id: str) -> Room | None:
        """Return a room that Lyra is in, None if it is unknown now. Raises PlaceGone."""
        room = self._rooms.get(room_id)
        if not self.complete or self.away() or room_id in self._unsettled or (room is None and room_id in self._expected):
            return None
        if room is None or not room.is_member:
            # Somebody may let her in again: what waits for the room waits for that.
            raise PlaceHidden(_GONE)
        return room

    def get(self, room_id: str) -> Room | None:
        """Return a room that Lyra is in and that is known now, else None."""
        try:
            return self.room(room_id)
        except PlaceHidden:
            return None

    def peek(self, room_id: str) -> Room | None:
        """Return a room as last reported, even if it is changing."""
        return self._rooms.get(room_id)

    def dm_of(self, user_id: str, *, encrypted: bool = False) -> str | None:
        """Return a room where a person is alone with Lyra, preferably an encrypted one; None if there is none.

        Rooms that the person has not joined yet come last; `encrypted` requires an encrypted one.
        """
        found = [one for one in self._rooms.values() if self._is_dm(one, user_id) and (one.record.encrypted or not encrypted)]
        found.sort(key=lambda one: (one.state.membership(user_id) != "join", not one.record.encrypted))
        return found[0].id if found else None

    def shares(self, user_id: str) -> bool:
        """Return whether a person is in a room with Lyra that is no DM."""
        rooms = (one for one in self._rooms.values() if one.is_member and not one.is_private)
        return any(one.state.membership(user_id) == "join" for one in rooms)

    async def arrived(self, room_id: str, alone: str, seconds: float = 30.0) -> Place | None:
        """Wait until a room with nobody but one person and Lyra has been reported, and return its place.

        None if that takes too long. Raises PlaceGone.
        """
        # Until then it is unknown, and not gone.
        self._expected.add(room_id)
        try:
            async with asyncio.timeout(seconds), self._told:
                await self._told.wait_for(lambda: self.is_settled(room_id) and self._rooms[room_id].alone == alone)
        except TimeoutError:
            return None
        return self.place(room_id)

    def is_settled(self, room_id: str) -> bool:
        """Return whether a room was reported and is not changing again."""
        return room_id in self._rooms and room_id not in self._unsettled

    async def at_rest(self, seconds: float = 10.0) -> bool:
        """Wait until all rooms were reported and none is changing; return whether all are known now."""
        try:
            async with asyncio.timeout(seconds), self._told:
                await self._told.wait_for(lambda: self.complete and not self._unsettled)
        except TimeoutError:
            return False
        return not self.away()

    def _crowded(self, room_id: str) -> bool:
        room = self._rooms.get(room_id)
        return room is None or room.record.shape is RoomShape.ROOM

    def _past(self, room_id: str) -> Room | None:
        return self._rooms.get(room_id) or self._left.get(room_id)

    def _is_seen(self, room_id: str) -> bool:
        return self.hears(room_id) and room_id not in self._unsettled

    def _is_dm(self, room: Room, user_id: str) -> bool:
        usable = room.is_member and room.id not in self._unsettled and not room.state.is_space and not room.state.replaced
        return usable and room.alone == user_id and room.is_private

    # Updates

    def unsettle(self, room_ids: Iterable[str]) -> None:
        """Treat rooms as unknown until they are settled, because they are changing."""
        self._unsettled.update(room_ids)

    async def meet(self, room_id: str, since: str) -> Room:
        """Return a room, with its saved record as of `since`."""
        if room_id not in self._rooms:
            note = await self._notes.get(_note(room_id))
            found = note and note["was" if note["at"] == since else "is"]
            record = RoomRecord.from_note(found) if found else None
            self._kept[room_id] = record
            return Room(room_id, self._client.user_id, record, lambda room: self.waived(room), self._crowded)
        return self._rooms[room_id]

    async def settle(self, rooms: Sequence[Room], since: str) -> None:
        """Save the rooms' records before the events that advanced them are committed; `since` is where those begin."""
        self._rooms |= {room.id: room for room in rooms}
        for room in rooms:
            was = self._kept.get(room.id)
            if room.record != was and (was or room.is_member):
                note = {"at": since, "was": was and asdict(was), "is": asdict(room.record)}
                await self._notes.put(_note(room.id), note)
                self._kept[room.id] = room.record
            await self._look_back(room, since)
            self._expected.discard(room.id)
            self._unsettled.discard(room.id)
        self.complete = True
        async with self._told:
            self._told.notify_all()

    async def _look_back(self, room: Room, since: str) -> None:
        """Load the records of a room's predecessors that Lyra is no longer in."""
        old = room.state.predecessor
        while old and old not in self._rooms and old not in self._left:
            self._left[old] = past = await self.meet(old, since)
            old = past.record.ending.predecessor if past.record.ending else ""


def _note(room_id: str) -> str:
    return f"room {room_id}"
