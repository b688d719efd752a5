"""What a room goes on with: the rooms that it replaced, as far as everyone who can read it could read them.

Anybody can say that a room of theirs replaces another one, so both have to name each other. Whoever is in a room or invited
counts as its reader, and wherever others can come in or look in, so do they.
"""

from collections.abc import Callable

from adapters.events import Circle, Reach
from adapters.matrix.rooms.room import Room

_MOST = 20
"""How many upgrades are followed back."""


class Succession:
    """Follows upgrades back. `past` gives a room by what was last known of it, `present` says whether Lyra sees what it is now."""

    def __init__(self, past: Callable[[str], Room | None], present: Callable[[str], bool]) -> None:
        self._past = past
        self._present = present

    def earlier(self, room: Room) -> tuple[Circle, ...]:
        """Return who could read the rooms that one replaced, the newest first, up to the first that somebody here could not."""
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
        """Say whether everyone who can read a room could read all that was said in one before it."""
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
        # Who can come in now could have come in before.
        alike = anybody and room.state.join_rules == past.state.join_rules
        return not room.state.is_world_readable and (alike or not room.state.opens_history)

    def _could_anybody(self, past: Room) -> bool:
        """Whether whoever comes to an earlier room now, if they may, can read all that was said there until it ended."""
        ending = past.record.ending
        return ending is not None and ending.open and not past.record.admitted and self._present(past.id)
