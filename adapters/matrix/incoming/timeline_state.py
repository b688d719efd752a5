"""What hearing remembers beside the rooms: events, threads, edits, what waits for its key, and what the account's data tell.

Edits are remembered with their originals, because a redacted edit no longer names its own. Lyra's threads are those she
wrote in, and those under something she said.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from nio import AsyncClient, TagEvent, UnknownAccountDataEvent

from adapters.listener import Notes
from adapters.matrix.homeserver import Pace
from adapters.matrix.incoming.event import part
from adapters.matrix.incoming.event_lookups import Lookups
from adapters.matrix.incoming.references import References
from adapters.matrix.incoming.undecrypted import Undecrypted
from adapters.recent import Recent

TAGS, _SERVER_NOTICE = "m.tag", "m.server_notice"
IGNORED, _IGNORED_NOTE = "m.ignored_user_list", "ignored"

V = TypeVar("V")

log = logging.getLogger(__name__)


class ServerNotices:
    """The rooms in which a homeserver talks to her account, of terms or limits: nobody there asks her anything, or can be answered.

    The homeserver tags them; the first sync of a connection tells all of them.
    """

    def __init__(self) -> None:
        self._rooms: set[str] = set()

    def learn(self, room: str, account_data: Iterable[object]) -> None:
        """Take over how a room is tagged."""
        if any(isinstance(event, TagEvent) and _SERVER_NOTICE in event.tags for event in account_data):
            self._rooms.add(room)

    def passes_over(self, room: str) -> bool:
        """Return whether what is said in a room is the homeserver's, for whoever runs her."""
        if room in self._rooms:
            log.warning("The homeserver has something to say to Lyra's account; sign in as her to read it.")
        return room in self._rooms


class IgnoredUsers:
    """The people whom her account ignores, as last reported: the homeserver tells her nothing of what they say or take back."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._ids: set[str] = set()
        self._kept: set[str] = set()

    async def load(self) -> None:
        """Load what was saved."""
        self._ids = set(await self._notes.get(_IGNORED_NOTE) or ())
        self._kept = set(self._ids)

    def follow(self, account_data: Iterable[object]) -> bool:
        """Take over what a sync says of them; return whether somebody is no longer ignored, whose messages she may have missed."""
        for event in account_data:
            if isinstance(event, UnknownAccountDataEvent) and event.type == IGNORED:
                self._ids = set(part(event.content, "ignored_users"))
        if self._ids - self._kept:
            log.warning("Lyra's account ignores somebody on Matrix: she is not told what they take back until it does not.")
        return bool(self._kept - self._ids)

    async def settle(self) -> None:
        """Save changes."""
        if self._ids != self._kept:
            await self._notes.put(_IGNORED_NOTE, sorted(self._ids))
            self._kept = set(self._ids)


class RoomNotes(Generic[V]):
    """Values by event id that survive restarts, for each room the newest `most`, kept under `note` and the room's id."""

    note: ClassVar[str]
    most: ClassVar[int]

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._rooms: dict[str, Recent[str, V]] = {}
        self._changed: set[str] = set()

    async def meet(self, room: str) -> None:
        """Load what is known of a room."""
        if room not in self._rooms:
            self._rooms[room] = Recent(self.most, await self._notes.get(self._name(room)) or {})

    async def settle(self) -> None:
        """Save changes."""
        while self._changed:
            room = self._changed.pop()
            await self._notes.put(self._name(room), self._rooms[room])

    def _name(self, room: str) -> str:
        return f"{self.note} {room}"


class Threads(RoomNotes[bool]):
    """The threads of her rooms in which something was said. The oldest are forgotten first: there she has to be mentioned again."""

    note = "threads"
    most = 300

    def is_own(self, room: str, root: str) -> bool | None:
        """Return whether a thread is hers, None if nothing was heard of it yet."""
        return self._rooms[room].get(root)

    def of_room(self, room: str) -> Sequence[str]:
        """Return a room's threads, oldest first."""
        return list(self._rooms[room])

    def record(self, room: str, root: str, *, is_own: bool) -> None:
        """Record a thread. Once hers, it stays hers."""
        known = self._rooms[room]
        if root not in known or (is_own and not known[root]):
            known[root] = is_own
            self._changed.add(room)


class Edits(RoomNotes[str]):
    """The latest edits, each with the event that it changed."""

    note = "edits"
    most = 500

    def __init__(self, notes: Notes) -> None:
        super().__init__(notes)
        self._of_all_rooms: dict[str, str] = {}

    async def load(self) -> None:
        """Load what earlier versions kept of all rooms together."""
        self._of_all_rooms = await self._notes.get(self.note) or {}

    def add(self, room: str, edit: str, original: str) -> None:
        """Record an edit."""
        if edit not in self._rooms[room]:
            self._changed.add(room)
        self._rooms[room][edit] = original

    def original(self, room: str, edit: str) -> str:
        """Return the event that an edit changed, '' for none."""
        return self._rooms[room].get(edit) or self._of_all_rooms.get(edit, "")


class TimelineState:
    """The whole timeline state of one connection."""

    def __init__(self, client: AsyncClient, notes: Notes, pace: Pace, references: type[References] = References) -> None:
        self.lookups = Lookups(client)
        self.references = references(client)
        self.threads = Threads(notes)
        self.edits = Edits(notes)
        self.undecrypted = Undecrypted(client, notes, pace)
        self.ignored = IgnoredUsers(notes)
        self.server_notices = ServerNotices()

    async def load(self) -> None:
        """Load what was saved."""
        await self.edits.load()
        await self.undecrypted.load()
        await self.ignored.load()

    async def meet(self, room: str) -> None:
        """Load what is known of a room."""
        await self.threads.meet(room)
        await self.edits.meet(room)

    async def settle(self) -> None:
        """Save changes, and drop what was only needed for the last batch."""
        self.lookups.settle()
        self.references.settle()
        await self.threads.settle()
        await self.edits.settle()
        await self.undecrypted.settle()
        await self.ignored.settle()
