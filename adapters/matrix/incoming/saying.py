"""Messages as Lyra hears them: who, what, to whom, in answer to what."""

from collections.abc import Collection

from adapters.events import Attachment, Message, Quote
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.addressed import mentions_her, names_her, without_call
from adapters.matrix.incoming.event import Seen
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.rooms.display import line, localpart
from adapters.matrix.rooms.room import Room


class Saying:
    """Reads messages. `bots` are the users that are machines; Matrix does not tell."""

    def __init__(self, timeline_state: TimelineState, bots: Collection[str]) -> None:
        self._r = timeline_state
        self._bots = bots

    def message(self, room: Room, seen: Seen) -> Message | None:
        """Return something that was said in a room, None where it is nothing that a person says."""
        if seen.kind != "m.room.message" or not convert.is_heard(seen.content):
            return None
        text, attachments = self.words(room, seen)
        place = room.place(seen.thread)
        return Message(
            seen.id,
            place,
            room.person(seen.sender),
            text,
            seen.at,
            addressed=place.is_private or self._is_addressed(room, seen),
            machine=seen.sender in self._bots,
            quoted=self._quoted(room, seen),
            attachments=attachments,
        )

    def words(self, room: Room, seen: Seen) -> tuple[str, tuple[Attachment, ...]]:
        """Return what a message says, without the call to Lyra at its beginning, and what came with it."""
        said = convert.text(seen.content, room.person(seen.sender).name)
        left = without_call(said, room.me, _names(room), named=mentions_her(seen.content, room.me))
        return left.strip(), convert.attachments(seen.id, seen.content)

    def _is_addressed(self, room: Room, seen: Seen) -> bool:
        said = convert.text(seen.content, "")
        if names_her(seen.content, room.me, _names(room), said):
            return True
        answered = self._r.lookups.known(room.id, seen.answers) if seen.answers else None
        if answered is not None and answered.sender == room.me:
            return True
        return bool(seen.thread) and self._r.threads.hers(room.id, seen.thread) is True

    def _quoted(self, room: Room, seen: Seen) -> Quote | None:
        answered = self._r.lookups.known(room.id, seen.answers) if seen.answers else None
        if answered is None or answered.kind != "m.room.message" or not answered.content:
            return None
        name, own = room.person(answered.sender).name, answered.sender == room.me
        if not self._r.references.may_show(room, answered.id):
            return Quote(answered.id, name, "", answered.at, own=own, person=answered.sender, hidden=True)
        text, files = convert.text(answered.content, name), convert.attachments(answered.id, answered.content)
        if not (text or files):
            return None
        return Quote(answered.id, name, text, answered.at, own, answered.sender, files, edited_at=answered.edited_at)


def _names(room: Room) -> list[str]:
    """Return what Lyra is called in a room."""
    return [name for name in (line(room.state.shown_name(room.me)), localpart(room.me)) if name]
