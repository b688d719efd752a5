"""Whether a referenced event may be shown beside another: only if everyone who reads the room now could read it then.

What Lyra heard belongs to the epoch in which it came. For anything else, the homeserver is asked for the room's state at
the event: the order of the room decides, not a time that a sender can set. What is uncertain is not shown.
"""

import json

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.matrix.homeserver import Json, RequestRefused, SignedOut, ask
from adapters.matrix.incoming.event import word
from adapters.matrix.incoming.scrollback import MEMBER, VISIBILITY
from adapters.matrix.rooms.audience import Audience
from adapters.matrix.rooms.room import Room, RoomShape
from adapters.matrix.rooms.state import State
from adapters.recent import Recent

_MOST = 20_000
_FILTER = json.dumps({"types": ["m.room.create", MEMBER, VISIBILITY, "m.room.join_rules", "m.room.third_party_invite"]})


class References:
    """Knows which events of one connection's rooms may be shown."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._epochs: Recent[tuple[str, str], int] = Recent(_MOST)
        self._then: dict[tuple[str, str], State] = {}

    def hear(self, room: Room, event: str) -> None:
        """Record the epoch in which an event came."""
        self._epochs[room.id, event] = room.record.epoch

    async def look_up(self, room: str, event: str) -> None:
        """Fetch the room's state at an event that was not heard, kept until `settle`. Raises SignedOut."""
        key = (room, event)
        if key in self._epochs or key in self._then:
            return
        try:
            query = {"limit": "0", "filter": _FILTER}
            found = await ask(self._client, "GET", "rooms", room, "context", event, query=query)
        except SignedOut:
            raise
        except (RequestRefused, PlatformFailure):
            return
        # The reported state is the one after the last event shown.
        if isinstance(told := found.get("state"), list) and not found.get("events_after"):
            self._then[key] = State(one for one in told if _is_state(one))

    def settle(self) -> None:
        """Drop what was fetched for the last batch."""
        self._then.clear()

    def may_show(self, room: Room, event: str) -> bool:
        """Return whether everyone who reads a room now could read an event of it, or may be shown it anyway."""
        key = (room.id, event)
        if key in self._epochs:
            is_known_to_all = room.tells_newcomers or not room.record.admitted
            return self._epochs[key] == room.record.epoch and is_known_to_all
        then = self._then.get(key)
        if then is None or not then.is_complete or (room.record.shape is RoomShape.ROOM and then.is_private(room.me)):
            return False
        return room.tells_newcomers or Audience(room).at(then).reads


def _is_state(raw: Json) -> bool:
    return isinstance(raw, dict) and bool(word(raw, "type")) and isinstance(raw.get("state_key"), str)
