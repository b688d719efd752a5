"""Messages as Lyra hears them: who, what, to whom, in reply to what.

Decides whether something is said to Lyra, and what remains of it without her name.
"""

import re
from collections.abc import Collection
from urllib.parse import unquote

from adapters.display import CALL_END, line
from adapters.events import Message
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.event import MESSAGE, RoomEvent, part, word
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.outgoing.contents import AUTOMATED
from adapters.matrix.rooms.room import Room, localpart
from adapters.message_parts import Attachment, Quote

# No quoted reply within another, so that each position is scanned once: long messages would block everybody.
_QUOTED = re.compile(r"<mx-reply>[^<]*+(?:<(?!/?mx-reply>)[^<]*+)*+</mx-reply>", re.IGNORECASE)


def mentions_her(content: Json, me: str) -> bool:
    """Return whether a message mentions her: by its client's m.mentions or, without those, by a link."""
    if "m.mentions" in content:
        users = part(content, "m.mentions").get("user_ids")
        return isinstance(users, list) and me in users
    linked = unquote(_QUOTED.sub("", word(content, "formatted_body")))
    return bool(re.search(rf"matrix\.to/#/{re.escape(me)}(?![\w:-]|\.\w)", linked))


def names_her(content: Json, me: str, names: Collection[str], said: str) -> bool:
    """Return whether a message mentions her; without m.mentions, her name as a word counts too.

    If m.mentions names nobody, her name counts as a call at the start: apps send such a one with whatever is typed by hand.
    """
    if mentions_her(content, me):
        return True
    if "m.mentions" in content:
        any_name = "|".join(map(re.escape, names))
        # Blanks end it: "@lyra:elsewhere.org" is somebody else, "lyra:8080" a server, and "Lyra :)" a smile.
        call = rf"\s*(?:{re.escape(me)}[,:;]?|@(?:{any_name})|@?(?:{any_name})\s?[,:;])\s+\S"
        return not any(part(content, "m.mentions").values()) and re.match(call, said, re.IGNORECASE) is not None
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said, re.IGNORECASE) for name in (me, *names))


def without_call(said: str, me: str, names: Collection[str], *, named: bool) -> str:
    """Return what was said without the call at its start: 'Lyra: !recall cats' becomes '!recall cats'.

    A name at the start is a call if it is `named` as a mention, or marked by an @, a colon or a comma.
    """
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    marked = rf"(?:{re.escape(me)}(?!\w)|\[@?(?:{any_name})\]\([^)\s]*\)|@(?:{any_name})(?!\w))(?:{CALL_END})?"
    end = rf"(?:{CALL_END}|(?=\s))" if named else CALL_END
    call = rf"(?:{marked}|(?:{any_name})(?!\w){end})\s*"
    left = re.sub(rf"\A\s*{call}", "", said, count=1, flags=re.IGNORECASE)
    return left if left.strip() else said


class MessageReader:
    """Reads messages. `bots` are users known to be machines; other machines are recognized by the mark in a message."""

    def __init__(self, timeline_state: TimelineState, bots: Collection[str]) -> None:
        self._timeline = timeline_state
        self._bots = bots

    def message(self, room: Room, event: RoomEvent) -> Message | None:
        """Return what was said in a room as a message, None if it is nothing a person says."""
        if event.kind != MESSAGE or not convert.is_heard(event.content):
            return None
        text, attachments = self.words(room, event)
        place = room.place(event.thread)
        return Message(
            event.id,
            place,
            room.person(event.sender),
            text,
            event.at,
            addressed=place.is_private or self._is_addressed(room, event),
            machine=event.sender in self._bots or event.content.get(AUTOMATED) is True,
            quoted=self._quoted(room, event),
            attachments=attachments,
        )

    def words(self, room: Room, event: RoomEvent) -> tuple[str, tuple[Attachment, ...]]:
        """Return a message's words, without the call to Lyra at the start, and its attachments."""
        said = convert.text(event.content, room.person(event.sender).name)
        left = without_call(said, room.me, _names(room), named=mentions_her(event.content, room.me))
        return left.strip(), convert.attachments(event.id, event.content)

    def _is_addressed(self, room: Room, event: RoomEvent) -> bool:
        said = convert.text(event.content, "")
        if names_her(event.content, room.me, _names(room), said):
            return True
        answered = self._timeline.lookups.reply_target(room.id, event.answers)
        if answered is not None and answered.sender == room.me:
            return True
        return bool(event.thread) and self._timeline.threads.is_own(room.id, event.thread) is True

    def _quoted(self, room: Room, event: RoomEvent) -> Quote | None:
        answered = self._timeline.lookups.reply_target(room.id, event.answers)
        if answered is None or answered.kind != MESSAGE or not answered.content:
            return None
        name, own = room.person(answered.sender).name, answered.sender == room.me
        if not self._timeline.references.may_show(room, answered.id):
            return Quote(answered.id, name, "", answered.at, own=own, person=answered.sender, hidden=True)
        text, files = convert.text(answered.content, name), convert.attachments(answered.id, answered.content)
        if not (text or files):
            return None
        return Quote(answered.id, name, text, answered.at, own, answered.sender, files, edited_at=answered.edited_at)


def _names(room: Room) -> list[str]:
    return [name for name in (line(room.state.shown_name(room.me)), localpart(room.me)) if name]
