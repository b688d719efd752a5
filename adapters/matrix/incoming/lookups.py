"""Events that others refer to: remembered for a while, or asked for again."""

import logging
from collections import Counter, OrderedDict
from contextlib import suppress
from dataclasses import replace

from nio import AsyncClient, EncryptionError, Event, MegolmEvent

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.homeserver import Denied, Json, ask
from adapters.matrix.incoming.event import Seen, part

_MOST = 2_000
_TRIES = 3

log = logging.getLogger(__name__)


class Lookups:
    """The events of one connection's rooms, as they stand now."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._events: OrderedDict[tuple[str, str], Seen | None] = OrderedDict()
        self._failed: Counter[tuple[str, str]] = Counter()

    def remember(self, room: str, seen: Seen) -> None:
        """Remember an event."""
        self._put((room, seen.id), seen)

    def revise(self, room: str, event: str, new: Json, at: int) -> None:
        """Give an event that is remembered the content that it has since `at`."""
        if (found := self._events.get((room, event))) is not None:
            self._events[room, event] = _revised(found, new, at)

    def forget(self, room: str, event: str) -> None:
        """Forget an event that was taken back."""
        self._put((room, event), None)

    def drop(self, room: str) -> None:
        """Remember nothing of a room any more."""
        for key in [key for key in self._events if key[0] == room]:
            del self._events[key]

    def known(self, room: str, event: str) -> Seen | None:
        """Return an event that is remembered."""
        return self._events.get((room, event))

    def answered(self, room: str, event: str) -> Seen | None:
        """Return the message that is meant by an answer to an event: that of an edit is the one that it edits.

        The words of an edit stay readable at the homeserver when the message was taken back or forgotten. Somebody else's edit is
        of nothing.
        """
        found = self.known(room, event) if event else None
        if found is None or not found.replaces:
            return found
        original = self.known(room, found.replaces)
        return original if original and original.sender == found.sender else None

    async def find(self, room: str, event: str, *, anew: bool = False) -> Seen | None:
        """Return an event of a room; None where it is not there, or not to be had. Asks again where `anew`.

        Raises PlatformFailure while the homeserver is away; what cannot be had again and again is given up.
        """
        key = (room, event)
        if anew or key not in self._events:
            try:
                self._put(key, await self._asked(room, event))
            except PlatformRefused:
                raise
            except PlatformFailure:
                self._failed[key] += 1
                if self._failed[key] < _TRIES:
                    raise
                log.warning("An event that another one refers to could not be read.")
                self._put(key, None)
        return self._events[key]

    async def _asked(self, room: str, event: str) -> Seen | None:
        try:
            raw = await ask(self._client, "GET", "rooms", room, "event", event)
        except Denied:
            return None
        found = self.opened(room, raw)
        if found is None or found.is_redacted:
            return None
        newest = self._newest(room, found, raw)
        return newest[0] if newest else found

    def standing(self, room: str, raw: Json) -> tuple[Seen, int] | None:
        """Return an event with its newest words, and when it got them, in microseconds UTC, 0 for never.

        None where it is no event, or where its newest words cannot be read.
        """
        found = self.opened(room, raw)
        return self._newest(room, found, raw) if found else None

    def _newest(self, room: str, found: Seen, raw: Json) -> tuple[Seen, int] | None:
        edit = part(part(part(raw, "unsigned"), "m.relations"), "m.replace")
        # The homeserver takes other people's edits, too.
        if found.is_redacted or edit.get("sender") != found.sender:
            return found, 0
        newer = self.opened(room, edit)
        new = part(newer.content, "m.new_content") if newer else {}
        return (_revised(found, new, newer.at), newer.at) if newer and new else None

    def opened(self, room: str, raw: Json) -> Seen | None:
        """Return an event as it is read here, decrypted where its key is there."""
        event = Event.parse_event({**raw, "room_id": room})
        if isinstance(event, MegolmEvent) and self._client.olm:
            with suppress(EncryptionError):
                event = self._client.decrypt_event(event)
        return Seen.of(event)

    def _put(self, key: tuple[str, str], seen: Seen | None) -> None:
        self._failed.pop(key, None)
        self._events[key] = seen
        self._events.move_to_end(key)
        if len(self._events) > _MOST:
            self._events.popitem(last=False)


def _revised(seen: Seen, new: Json, at: int) -> Seen:
    """Return an event with new content; where it stands does not change."""
    kept = {"m.relates_to": seen.content["m.relates_to"]} if "m.relates_to" in seen.content else {}
    return replace(seen, content={**{name: value for name, value in new.items() if name != "m.relates_to"}, **kept}, edited_at=at)
