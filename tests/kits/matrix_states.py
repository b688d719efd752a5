"""Rooms made of state events alone, without a homeserver."""

from collections.abc import Iterable
from typing import Any

from nio import AsyncClient

from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms, Succession
from adapters.matrix.rooms.state import State
from tests.kits.adapter_kit import Notebook

ME, ADA, BO, CY = "@lyra:lyra.test", "@ada:lyra.test", "@bo:lyra.test", "@cy:lyra.test"
OLD, NEW, NEWEST = "!old", "!new", "!newest"
Json = dict[str, Any]


def says(kind: str, content: Json, key: str = "", sender: str = ADA) -> Json:
    """Return an event of the state."""
    return {"type": kind, "state_key": key, "content": content, "sender": sender}


def member(user: str, membership: str = "join") -> Json:
    """Return that somebody is in a room, or whatever else they are."""
    return says("m.room.member", {"membership": membership}, user)


def replaced(by: str, sender: str = ADA) -> Json:
    """Return that a room ended."""
    return says("m.room.tombstone", {"replacement_room": by}, sender=sender)


def joining(rule: Any, **more: Any) -> Json:
    """Return who can come in."""
    return says("m.room.join_rules", {"join_rule": rule, **more})


def history(visibility: Any) -> Json:
    """Return who reads what is said from then on."""
    return says("m.room.history_visibility", {"history_visibility": visibility})


ENCRYPTED = says("m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"})
PUBLIC, SPACE = joining("public"), joining("restricted", allow=[{"type": "m.room_membership", "room_id": "!space"}])


def made(replaces: str = "") -> Json:
    """Return how a room began."""
    return says("m.room.create", {"room_version": "10"} | ({"predecessor": {"room_id": replaces}} if replaces else {}))


class Line:
    """The rooms of one connection, as a homeserver told of them. `kind` may lack a guard."""

    def __init__(self, notes: Notebook | None = None, kind: type[Succession] = Succession) -> None:
        client = AsyncClient("http://127.0.0.1:1", ME)
        client.user_id = ME
        of = type("_Rooms", (Rooms,), {"succession": kind})
        self.rooms: Rooms = of(client, notes or Notebook())

    async def told(self, id: str, *events: Json, inside: Iterable[str] = (ME, ADA, BO), replaces: str = "") -> Room:
        """Begin with a room in this state."""
        room = await self.rooms.meet(id, "s1")
        room.begin(State([made(replaces), *map(member, inside), *events]), complete=True)
        await self.rooms.settle([room], "s1")
        return room

    async def happens(self, id: str, *events: Json) -> None:
        """Go on with events of a room."""
        room = await self.rooms.meet(id, "s2")
        for event in events:
            room.apply(event)
        await self.rooms.settle([room], "s2")

    def earlier(self, id: str = NEW) -> list[str]:
        """Return which rooms are read in one beside itself, with the epoch of each."""
        place = self.rooms.place(id)
        assert place
        return [f"{one.id} {one.epoch}" for one in place.earlier]
