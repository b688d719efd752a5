"""Former names of people in a room and its predecessors, read from their history and not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nio import AsyncClient

from adapters.display import line
from adapters.events import Person
from adapters.matrix.failures import TROUBLE
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.matrix.incoming.scrollback import MEMBER, Scrollback
from adapters.matrix.rooms.room import Room

_MOST = 2_000


@dataclass(frozen=True, slots=True)
class NamesRead:
    """What a room's history told when its members' names were `now`: the names up to its `newest` membership event."""

    now: Mapping[str, str]
    newest: str
    names: Sequence[Person]


class PastNames:
    """The names that a room's members bore there or in the rooms it replaced, each once, first borne first.

    Read on once somebody's name changes. Of a long history the last two thousand membership events count, and two thousand
    names; if it cannot be read, nothing is known of it.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._read: dict[str, NamesRead] = {}

    async def accounts(self, room: Room, earlier: Sequence[str] = ()) -> Sequence[Person]:
        """Return those names with their accounts. `earlier` are the predecessors that count, newest first."""
        now = {one: room.state.shown_name(one) for one in room.state.inside}
        found: dict[Person, None] = {}
        for one in (*reversed(earlier), room.id):
            found |= dict.fromkeys(await self._in(one, now))
        return [one for one in found if one.id in now]

    async def _in(self, room: str, now: Mapping[str, str]) -> Sequence[Person]:
        """Return the former names in one room, read on unless all current names are the same as at the last read."""
        known = self._read.get(room) or NamesRead({}, "", ())
        if known.now != now:
            try:
                changes = await self._since(room, known.newest)
            except TROUBLE:
                return ()
            names = dict.fromkeys(known.names) | _borne(reversed(changes))
            known = NamesRead(now, changes[0].id if changes else known.newest, tuple(names)[-_MOST:])
            self._read[room] = known
        return known.names

    async def _since(self, room: str, newest: str) -> list[RoomEvent]:
        """Return a room's membership events after one, newest first; all of them for ''."""
        changes: list[RoomEvent] = []
        async for event in Scrollback(self._client, room, _MOST, [MEMBER]):
            if event.id == newest:
                break
            changes.append(event)
        return changes


def _borne(changes: Iterable[RoomEvent]) -> dict[Person, None]:
    found: dict[Person, None] = {}
    for event in changes:
        for content in (part(part(event.raw, "unsigned"), "prev_content"), event.content):
            if name := line(word(content, "displayname")):
                found.setdefault(Person(PLATFORM, word(event.raw, "state_key"), name))
    return found
