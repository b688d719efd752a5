"""What an adapter is given: who consumes its events, and what it keeps."""

import sys
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from adapters.command_table import CommandSpec
from adapters.events import Event, MenuCall, Message
from adapters.recent import Recent

V = TypeVar("V")


class Listener(Protocol):
    """The consumer of one platform's events."""

    @property
    def table(self) -> Mapping[str, CommandSpec]:
        """The commands, by name."""

    async def ready(self) -> None:
        """Called once the platform is connected: places can be looked up, and leftovers are sent and answered now."""

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Record that deletes and edits may have been missed until now at the places whose key starts with `prefix`.

        () is the whole platform, (server,) one server, (server, channel) one channel with its threads.
        """

    async def cursors(self) -> Mapping[str, str]:
        """Return the cursor of each stream."""

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = ...) -> Awaitable[None]:
        """Commit events and cursors together; return an awaitable that completes once the events are answered."""

    async def keep(self, ahead: Message) -> None:
        """Commit a message typed while another was being answered; it is answered only once it is heard."""

    async def suggest(self, asked: MenuCall, parameter: str, typed: str) -> Sequence[str]:
        """Return suggestions for a parameter, at most 25 of at most 100 characters."""


class Notes(Protocol):
    """An adapter's own small values that survive restarts, by name; never anybody's words."""

    async def get(self, name: str) -> Any:
        """Return a stored value, or None if there is none."""

    async def put(self, name: str, value: Any) -> None:
        """Store a JSON-serializable value."""


class NotedValues(Generic[V]):
    """Values by id that survive restarts, kept under the name `note`, the newest `most`. Whoever changes them sets `_changed`."""

    note: ClassVar[str]
    most: ClassVar[int] = sys.maxsize

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._values: Recent[str, V] = Recent(self.most)
        self._changed = False

    async def load(self) -> None:
        """Load what was saved."""
        self._values = Recent(self.most, await self._notes.get(self.note) or {})

    async def settle(self) -> None:
        """Save changes."""
        if self._changed:
            self._changed = False
            try:
                await self._notes.put(self.note, self._values)
            except BaseException:
                self._changed = True
                raise
