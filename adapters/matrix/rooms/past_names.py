"""Former names of people in a room and its predecessors, read from their history and not kept."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nio import AsyncClient

from adapters.display import line
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.event import part, word
from adapters.matrix.incoming.scrollback import MEMBER
from adapters.matrix.rooms.room import Room

_FILTER = json.dumps({"types": [MEMBER]})
_PAGE = 100
_MOST_PAGES = 20


class PastNames:
    """The names that a room's members bore there or in the rooms it replaced, each once, first borne first.

    Read again once somebody's name changes. Of a long history the last two thousand membership events count; if it cannot
    be read, nothing is known of it.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._read: dict[str, tuple[Mapping[str, str], Sequence[Person]]] = {}

    async def of(self, room: Room, earlier: Sequence[str] = ()) -> Sequence[Person]:
        """Return those names with their accounts. `earlier` are the predecessors that count, newest first."""
        now = {one: room.state.shown_name(one) for one in room.state.inside}
        found: dict[Person, None] = {}
        for one in (*reversed(earlier), room.id):
            found |= dict.fromkeys(await self._in(one, now))
        return [one for one in found if one.id in now]

    async def _in(self, room: str, now: Mapping[str, str]) -> Sequence[Person]:
        """Return the former names in one room, read again unless all current names are the same as at the last read."""
        known = self._read.get(room)
        if known is None or known[0] != now:
            try:
                known = now, tuple(_borne(await self._changes(room)))
            except (RequestRefused, PlaceGone, PlatformFailure):
                return ()
            self._read[room] = known
        return known[1]

    async def _changes(self, room: str) -> list[Json]:
        """Return the membership events, oldest first."""
        found: list[Json] = []
        start = ""
        for _ in range(_MOST_PAGES):
            query = {"dir": "b", "limit": str(_PAGE), "filter": _FILTER} | ({"from": start} if start else {})
            page = await ask(self._client, "GET", "rooms", room, "messages", query=query)
            found += _events(page.get("chunk"))
            end = page.get("end")
            if not isinstance(end, str) or end == start:
                break
            start = end
        return found[::-1]


def _borne(changes: Sequence[Json]) -> dict[Person, None]:
    found: dict[Person, None] = {}
    for event in changes:
        for content in (part(part(event, "unsigned"), "prev_content"), part(event, "content")):
            if name := line(word(content, "displayname")):
                found.setdefault(Person(PLATFORM, word(event, "state_key"), name))
    return found


def _events(found: Any) -> list[Json]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
