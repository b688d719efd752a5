"""Which threads are Lyra's: those that she wrote in, and those under something she said."""

from collections.abc import Sequence

from adapters.base import Notes

_MOST = 300
"""Of one room. The oldest are forgotten first: in these she has to be named again."""


class Threads:
    """The threads of her rooms in which something was said."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._rooms: dict[str, dict[str, bool]] = {}
        self._changed: set[str] = set()

    async def meet(self, room: str) -> None:
        """Read what is known of a room."""
        if room not in self._rooms:
            self._rooms[room] = await self._notes.get(_note(room)) or {}

    def hers(self, room: str, root: str) -> bool | None:
        """Whether a thread is hers, None where nothing was heard of it yet."""
        return self._rooms[room].get(root)

    def known(self, room: str) -> Sequence[str]:
        """Return the threads of a room, the oldest first."""
        return list(self._rooms[room])

    def note(self, room: str, root: str, *, hers: bool) -> None:
        """Note a thread. One that was hers stays so."""
        known = self._rooms[room]
        if root not in known or (hers and not known[root]):
            known[root] = hers
            self._changed.add(room)
        while len(known) > _MOST:
            del known[next(iter(known))]

    async def settle(self) -> None:
        """Keep what changed."""
        while self._changed:
            room = self._changed.pop()
            await self._notes.put(_note(room), self._rooms[room])


def _note(room: str) -> str:
    return f"threads {room}"
