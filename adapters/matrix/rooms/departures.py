"""What has to be known of a room once Lyra has left it: its name, who administered it, whether it continues elsewhere."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nio import AsyncClient

from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Event, Vanished, split_key
from adapters.listener import Notes
from adapters.matrix.homeserver import RequestRefused, ask
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.event import word
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import State


@dataclass(frozen=True, slots=True)
class KnownRoom:
    """What is noted of a room while she is in it. `successor` is the room that replaced it, '' for none."""

    name: str
    rulers: tuple[str, ...]
    successor: str

    @classmethod
    def of(cls, room: Room) -> "KnownRoom":
        """Return what to note of a room now."""
        return cls(room.name, tuple(one for one in room.state.rulers if one != room.me), room.state.successor)


class Departures:
    """Notes rooms while she is in them, and tells which of them she has left."""

    def __init__(self, client: AsyncClient, rooms: Rooms, notes: Notes) -> None:
        self._client = client
        self._rooms = rooms
        self._notes = notes
        self._known: dict[str, KnownRoom | None] = {}

    async def settle(self, rooms: Iterable[Room]) -> None:
        """Note the current state of these rooms."""
        for room in rooms:
            if room.is_member and (now := KnownRoom.of(room)) != await self._noted(room.id):
                self._known[room.id] = now
                await self._notes.put(_note(room.id), asdict(now))

    async def with_last_known_room(self, event: Event) -> Event | None:
        """Return an event; of her leaving, with the room as she last knew it, or None if the room continues elsewhere.

        What comes with her leaving may say little about the room.
        """
        if not isinstance(event, Vanished):
            return event
        known = await self._noted(event.prefix[1])
        if known is None:
            return event
        return None if known.successor else gone(event.prefix[1], known)

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        """Return which of these places' rooms she has certainly left, except those that continue elsewhere."""
        found: list[Vanished] = []
        for room in dict.fromkeys(split_key(place)[1] for place in places):
            if self._is_left(room) and (known := await self._noted(room) or await self._fetch(room)) and not known.successor:
                found.append(gone(room, known))
        return found

    def _is_left(self, room: str) -> bool:
        try:
            self._rooms.room(room)
        except PlaceGone:
            return True
        return False

    async def _noted(self, room: str) -> KnownRoom | None:
        if room not in self._known:
            note = await self._notes.get(_note(room))
            self._known[room] = KnownRoom(note["name"], tuple(note["rulers"]), note["successor"]) if note else None
        return self._known[room]

    async def _fetch(self, room: str) -> KnownRoom | None:
        """Ask the homeserver about a room that she left before it was noted; None if that is unknown now."""
        try:
            levels, tombstone = [await self._part(room, kind) for kind in ("m.room.power_levels", "m.room.tombstone")]
        except PlatformFailure:
            return None
        state = State([{"type": "m.room.power_levels", "state_key": "", "sender": "", "content": levels}])
        rulers = [one for one in levels.get("users", {}) if one != self._client.user_id and state.rules(one)]
        return KnownRoom("", tuple(rulers), word(tombstone, "replacement_room"))

    async def _part(self, room: str, kind: str) -> dict[str, Any]:
        try:
            return await ask(self._client, "GET", "rooms", room, "state", kind)
        except RequestRefused:
            return {}


def gone(room: str, known: KnownRoom) -> Vanished:
    """Return the event of her having left a room."""
    return Vanished(PLATFORM, ("", room), known.name, known.rulers)


def _note(room: str) -> str:
    return f"known {room}"
