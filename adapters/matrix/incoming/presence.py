"""What a room's history says of messages: whether they are there, and with which words.

What was taken back stays in the history as an empty event: that alone counts as removed. An event that is not to be had may
have been purged by the homeserver, or be hidden; of it nothing is known.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nio import AsyncClient

from adapters.base import Presence
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import split_key
from adapters.matrix.homeserver import Denied, ask
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.lookups import Lookups
from adapters.matrix.incoming.past import MESSAGE, SEALED
from adapters.matrix.incoming.saying import Saying
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms

_PAGE = 100
_FILTER = json.dumps({"types": [MESSAGE, SEALED]})


@dataclass(frozen=True, slots=True)
class Presences:
    """Looks into the rooms of one connection."""

    client: AsyncClient
    rooms: Rooms
    lookups: Lookups
    saying: Saying

    async def of(self, place: str, ids: Sequence[str]) -> Mapping[str, Presence]:
        """Look at the hundred messages around the first of these; return what is known of those among them."""
        room_id = split_key(place)[1]
        try:
            room = self.rooms.room(room_id)
            if room is None or not ids:
                return {}
            around = {"limit": str(_PAGE), "filter": _FILTER}
            page = await ask(self.client, "GET", "rooms", room_id, "context", ids[0], query=around)
        except (Denied, PlaceGone, PlatformFailure):
            return {}
        found: dict[str, Presence] = {}
        for raw in _events(page):
            if raw.get("event_id") in ids and (presence := self._presence(room, raw)):
                found[raw["event_id"]] = presence
        return found

    def _presence(self, room: Room, raw: Any) -> Presence | None:
        """Return what an event says now; None where that cannot be told."""
        standing = self.lookups.standing(room.id, raw)
        if standing is None:
            return None
        seen, edited_at = standing
        if seen.is_redacted:
            return Presence(there=False)
        if seen.sealed is not None or not convert.is_heard(seen.content):
            return Presence(there=True, edited_at=edited_at, person=seen.sender)
        text, attachments = self.saying.words(room, seen)
        return Presence(there=True, text=text, edited_at=edited_at, attachments=attachments, person=seen.sender)


def _events(page: Any) -> list[Any]:
    parts = [page.get("event"), *_list(page.get("events_before")), *_list(page.get("events_after"))]
    return [one for one in parts if isinstance(one, dict)]


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
