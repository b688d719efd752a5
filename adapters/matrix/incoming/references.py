"""Whether an event that another one refers to may be shown beside it: where everyone who reads the room now could read it then.

What Lyra heard belongs to the epoch in which it came. Of what she does not know that way, the homeserver is asked which state
the room had there: the order of the room decides, and no time that a sender may set. What is not sure is not shown.
"""

import json
from collections import OrderedDict

from nio import AsyncClient

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.homeserver import Denied, Json, ask
from adapters.matrix.incoming.event import word
from adapters.matrix.incoming.past import MEMBER, VISIBILITY
from adapters.matrix.rooms.audience import Audience
from adapters.matrix.rooms.room import Room, Shape
from adapters.matrix.rooms.state import State

_MOST = 20_000
_FILTER = json.dumps({"types": ["m.room.create", MEMBER, VISIBILITY, "m.room.join_rules", "m.room.third_party_invite"]})


class References:
    """Knows of events of one connection's rooms whether they may be shown."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._epochs: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._then: dict[tuple[str, str], State] = {}

    def hear(self, room: Room, event: str) -> None:
        """Note the epoch in which an event came."""
        self._epochs[room.id, event] = room.record.epoch
        if len(self._epochs) > _MOST:
            self._epochs.popitem(last=False)

    async def look_up(self, room: str, event: str) -> None:
        """Have at hand which state a room had at an event that was not heard, until `settle`. Raises PlatformRefused."""
        key = (room, event)
        if key in self._epochs or key in self._then:
            return
        try:
            query = {"limit": "0", "filter": _FILTER}
            found = await ask(self._client, "GET", "rooms", room, "context", event, query=query)
        except PlatformRefused:
            raise
        except (Denied, PlatformFailure):
            return
        # What is told is the state after the last event that is shown.
        if isinstance(told := found.get("state"), list) and not found.get("events_after"):
            self._then[key] = State(one for one in told if _is_state(one))

    def settle(self) -> None:
        """Let go of what was looked up for what was just gone through."""
        self._then.clear()

    def may_show(self, room: Room, event: str) -> bool:
        """Whether everyone who reads a room as it is now could read an event of it, or is let know all the same."""
        key = (room.id, event)
        if key in self._epochs:
            is_known_to_all = room.tells_newcomers or not room.record.admitted
            return self._epochs[key] == room.record.epoch and is_known_to_all
        then = self._then.get(key)
        if then is None or not then.is_whole or (room.record.shape is Shape.ROOM and then.is_private(room.me)):
            return False
        return room.tells_newcomers or Audience(room).at(then).reads


def _is_state(raw: Json) -> bool:
    return isinstance(raw, dict) and bool(word(raw, "type")) and isinstance(raw.get("state_key"), str)
