"""A room's history, read and not kept: what was said before a message, which messages still stand, and former names.

A redacted message stays in the history as an empty event: only that counts as removed. An event that cannot be fetched may
have been purged by the homeserver, or be hidden; nothing is known of it.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nio import AsyncClient

from adapters.base import Presence
from adapters.display import line
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person, split_key
from adapters.matrix.failures import TROUBLE
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.event import MESSAGE, SPOKEN, RoomEvent, objects, part, word
from adapters.matrix.incoming.event_lookups import Lookups
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.scrollback import ENCRYPTED, MEMBER, Scrollback
from adapters.matrix.rooms.audience import Audience
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from adapters.message_parts import Quote

_OWN_NAME = "Lyra"
_MOST = 1000
_PAGE = 100
_FILTER = json.dumps({"types": [*SPOKEN, ENCRYPTED]})
_MOST_CHANGES = 2_000
"""How many membership events, and how many names, count of a long history."""


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
            known = NamesRead(now, changes[0].id if changes else known.newest, tuple(names)[-_MOST_CHANGES:])
            self._read[room] = known
        return known.names

    async def _since(self, room: str, newest: str) -> list[RoomEvent]:
        """Return a room's membership events after one, newest first; all of them for ''."""
        changes: list[RoomEvent] = []
        async for event in Scrollback(self._client, room, _MOST_CHANGES, [MEMBER]):
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
