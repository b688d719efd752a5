"""A room's history, read and not kept: what was said before a message, and which messages still stand.

A redacted message stays in the history as an empty event: only that counts as removed. An event that cannot be fetched may
have been purged by the homeserver, or be hidden; nothing is known of it.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nio import AsyncClient

from adapters.base import Presence
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person, split_key
from adapters.matrix.failures import TROUBLE
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.event import MESSAGE, SPOKEN, RoomEvent, objects, part, word
from adapters.matrix.incoming.event_lookups import Lookups
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.scrollback import ENCRYPTED, Scrollback
from adapters.matrix.rooms.audience import Audience
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from adapters.message_parts import Quote

_OWN_NAME = "Lyra"
_MOST = 1000
_PAGE = 100
_FILTER = json.dumps({"types": [*SPOKEN, ENCRYPTED]})


async def before(
    client: AsyncClient, rooms: Rooms, place_key: str, message_id: str, n: int, reader: Person | None
) -> Sequence[Quote]:
    """Return the n messages before one, oldest first, from its thread, or from the main timeline.

    For '', they are those before now at the place. Edited ones have their newest words. Nothing is returned that Lyra
    cannot read or that `reader` could not; without a reader, nothing that any current reader of the room could not, unless
    that is waived for newcomers.
    """
    _, room_id, thread = split_key(place_key)
    try:
        room = rooms.room(room_id)
        if room is None:
            return ()
        waived = reader is None and room.tells_newcomers
        audience = None if waived else Audience(room, [reader.id] if reader else None)
        found = await _found(Scrollback(client, room_id, _MOST), thread, message_id, n, audience)
    except (*TROUBLE, PlaceGone):
        return ()
    quotes = [_quote(event, room, str(client.user_id)) for event in reversed(found)]
    return [quote for quote in quotes if quote.text]


async def _found(past: Scrollback, thread: str, before: str, n: int, audience: Audience | None) -> list[RoomEvent]:
    """Return the n messages before one with their current words, newest first; None as audience lets everything pass."""
    found: list[RoomEvent] = []
    edits: defaultdict[str, list[RoomEvent]] = defaultdict(list)
    reached = not before
    async for event in past:
        if audience:
            audience.before(event)
        if not reached and event.id == before:
            # It may be answered in another thread than its own.
            reached, thread = True, event.thread
            continue
        is_shown = event.kind == MESSAGE and not event.is_state and not event.is_redacted and (not audience or audience.reads)
        if is_shown and event.replaces:
            edits[event.replaces].append(event)
        elif is_shown and reached and (event.thread == thread or event.id == thread):
            counting = (one for one in edits[event.id] if event.is_edited_by(one))
            newest = next((one for one in counting if part(one.content, "m.new_content")), None)
            found.append(event.revised(newest.content["m.new_content"], newest.at) if newest else event)
        # Nothing of a thread is older than what it began with, whether or not that can still be read.
        if len(found) == n or (thread and event.id == thread):
            break
    return found


def _quote(event: RoomEvent, room: Room, me: str) -> Quote:
    own = event.sender == me
    speaker = _OWN_NAME if own else room.person(event.sender).name
    return Quote(event.id, speaker, _said(event.content, speaker), event.at, own, event.sender, edited_at=event.edited_at)


def _said(content: Json, speaker: str) -> str:
    if not (convert.is_heard(content) or word(content, "msgtype") == "m.notice"):
        return ""
    files = "".join(f"[{one.name}]" for one in convert.attachments("", content))
    return " ".join(one for one in (files, convert.text(content, speaker)) if one)


@dataclass(frozen=True, slots=True)
class Presences:
    """Looks into the rooms of one connection."""

    client: AsyncClient
    rooms: Rooms
    lookups: Lookups
    message_reader: MessageReader

    async def look_up(self, place: str, ids: Sequence[str]) -> Mapping[str, Presence]:
        """Look at the hundred messages around the first of these; return what is known of those among them."""
        room_id = split_key(place)[1]
        try:
            room = self.rooms.room(room_id)
            if room is None or not ids:
                return {}
            around = {"limit": str(_PAGE), "filter": _FILTER}
            page = await ask(self.client, "GET", "rooms", room_id, "context", ids[0], query=around)
        except (RequestRefused, PlaceGone, PlatformFailure):
            return {}
        found: dict[str, Presence] = {}
        for raw in (part(page, "event"), *objects(page.get("events_before")), *objects(page.get("events_after"))):
            if raw.get("event_id") in ids and (presence := self._presence(room, raw)):
                found[raw["event_id"]] = presence
        return found

    def _presence(self, room: Room, raw: Json) -> Presence | None:
        """Return an event's current content; None if it is unknown."""
        standing = self.lookups.standing(room.id, raw)
        if standing is None:
            return None
        event, edited_at = standing
        if event.is_redacted:
            return Presence(there=False)
        if event.undecrypted is not None or not convert.is_heard(event.content):
            return Presence(there=True, edited_at=edited_at, person=event.sender)
        text, attachments = self.message_reader.words(room, event)
        return Presence(there=True, text=text, edited_at=edited_at, attachments=attachments, person=event.sender)
