"""Events that others refer to: cached for a while, or requested again."""

import logging
from collections import Counter, OrderedDict
from contextlib import suppress

from nio import AsyncClient, EncryptionError, Event, MegolmEvent

from adapters.errors import PlatformFailure
from adapters.matrix.account.tolerant_olm import ODD
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming.event import RoomEvent, part

_MOST = 2_000
_TRIES = 3

log = logging.getLogger(__name__)


class Lookups:
    """The events of one connection's rooms, in their current state."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._events: OrderedDict[tuple[str, str], RoomEvent | None] = OrderedDict()
        self._failed: Counter[tuple[str, str]] = Counter()

    def remember(self, room: str, event: RoomEvent) -> None:
        """Cache an event."""
        self._put((room, event.id), event)

    def revise(self, room: str, event: str, new: Json, at: int) -> None:
        """Replace a cached event's content with its content since `at`."""
        if (found := self._events.get((room, event))) is not None:
            self._events[room, event] = found.revised(new, at)

    def forget(self, room: str, event: str) -> None:
        """Drop a redacted event."""
        self._put((room, event), None)

    def drop(self, room: str) -> None:
        """Drop everything cached of a room."""
        for key in [key for key in self._events if key[0] == room]:
            del self._events[key]

    def settle(self) -> None:
        """Drop the oldest. Until then everything that a batch refers to stays cached, however large it is."""
        while len(self._events) > _MOST:
            self._events.popitem(last=False)

    def cached(self, room: str, event: str) -> RoomEvent | None:
        """Return a cached event."""
        return self._events.get((room, event))

    def reply_target(self, room: str, event: str) -> RoomEvent | None:
        """Return the message that a reply to an event means: for an edit, the edited message.

        An edit's words stay readable on the homeserver after its message was redacted or forgotten. One that does not count
        means nothing.
        """
        found = self.cached(room, event) if event else None
        if found is None or not found.replaces:
            return found
        original = self.cached(room, found.replaces)
        return original if original and original.is_edited_by(found) else None

    async def find(self, room: str, event: str, *, anew: bool = False) -> RoomEvent | None:
        """Return an event of a room; None if it does not exist or is unavailable. With `anew`, request it even if cached.

        Raises PlatformFailure while the homeserver is away; what stays unavailable is given up.
        """
        key = (room, event)
        if anew or key not in self._events:
            try:
                self._put(key, await self._fetch(room, event))
            except PlatformFailure:
                self._failed[key] += 1
                if self._failed[key] < _TRIES:
                    raise
                log.warning("An event that another one refers to could not be read.")
                self._put(key, None)
        return self._events[key]

    async def _fetch(self, room: str, event: str) -> RoomEvent | None:
        try:
            raw = await ask(self._client, "GET", "rooms", room, "event", event)
        except RequestRefused:
            return None
        found = self.opened(room, raw)
        if found is None or found.is_redacted:
            return None
        newest = self._newest(room, found, raw)
        return newest[0] if newest else found

    def standing(self, room: str, raw: Json) -> tuple[RoomEvent, int] | None:
        """Return an event with its newest words, and when it got them, in microseconds UTC, 0 for never edited.

        None if it is no event, or if its newest words cannot be read.
        """
        found = self.opened(room, raw)
        return self._newest(room, found, raw) if found else None

    def _newest(self, room: str, found: RoomEvent, raw: Json) -> tuple[RoomEvent, int] | None:
        edit = part(part(part(raw, "unsigned"), "m.relations"), "m.replace")
        newer = self.opened(room, edit)
        if found.is_redacted or not edit or (newer and not found.is_edited_by(newer)):
            return found, 0
        new = part(newer.content, "m.new_content") if newer else {}
        return (found.revised(new, newer.at), newer.at) if newer and new else None

    def opened(self, room: str, raw: Json) -> RoomEvent | None:
        """Convert a raw event, decrypted if its key is there."""
        try:
            event = Event.parse_event({**raw, "room_id": room})
        except ODD:
            return None
        if isinstance(event, MegolmEvent) and self._client.olm:
            with suppress(EncryptionError):
                event = self._client.decrypt_event(event)
        return RoomEvent.of(event)

    def _put(self, key: tuple[str, str], event: RoomEvent | None) -> None:
        self._failed.pop(key, None)
        self._events[key] = event
        self._events.move_to_end(key)
