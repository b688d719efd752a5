"""Processes a gathered batch without interruption, in the order of each room's timeline.

So a room changes before what follows is said in it, and every message gets its room's place at that moment.
"""

import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

from adapters.early_writers import EARLY, LATELY
from adapters.events import (
    Event,
    Message,
    MessageEdited,
    MessagesDeleted,
    Place,
    PlatformNotice,
    Posted,
    Renamed,
    ServerJoined,
    Unreadable,
    Vanished,
)
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.batch import RoomEvents, SyncBatch
from adapters.matrix.incoming.event import Seen, part
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.reactions import pressed
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.incoming.undecrypted import Waiting
from adapters.matrix.rooms.departures import KnownRoom, gone
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.room import Room, RoomRecord
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import TOMBSTONE
from adapters.matrix.verification.channel import ReceivedStep, in_room

_MOST_KNOWN = 20_000


class Hearing:
    """Turns room events into events for the listener. `saying` reads messages."""

    def __init__(self, rooms: Rooms, timeline_state: TimelineState, invitations: Invitations, saying: MessageReader) -> None:
        self._rooms = rooms
        self._r = timeline_state
        self._invitations = invitations
        self._saying = saying
        self._known: OrderedDict[str, None] = OrderedDict()
        self._steps: list[ReceivedStep] = []

    def steps(self) -> list[ReceivedStep]:
        """Return the verification steps that came since the last call."""
        found, self._steps = self._steps, []
        return found

    def turn(self, batch: SyncBatch) -> list[Event]:
        """Advance the rooms by a batch, and return what happened in them."""
        found: list[Event] = []
        for segment in batch.segments:
            quiet = batch.quiet or self._invitations.is_quiet(segment.room.id)
            happened = [*self._through(segment, quiet=quiet)]
            early = self._early(segment) if quiet else None
            found += [*happened, *([early] if early else [])]
            self._invitations.told(segment.room.id)
        if batch.quiet:
            return [event for event in found if isinstance(event, Unreadable)]
        changed = {room.id: room for room in batch.rooms}

        def inside(waiting: Waiting) -> Room | None:
            room = changed.get(waiting.room) or self._rooms.peek(waiting.room)
            return room if room is not None and room.is_member else None

        # They were said before the new events, but can only be placed after them.
        recovered = [event for waiting, seen in batch.recovered for event in self._recovered(inside(waiting), waiting, seen)]
        for waiting, why in self._r.undecrypted.overdue():
            if room := inside(waiting):
                place = _at(room.place(waiting.thread), waiting.epoch)
                found.append(Unreadable(waiting.event, place, room.person(waiting.sender), why))
        return [*recovered, *found]

    # Rooms

    def _through(self, segment: RoomEvents, *, quiet: bool) -> Iterator[Event]:
        room, was_inside = segment.room, segment.room.record.inside
        comes_again = segment.inside and not quiet and room.record != RoomRecord()
        missed: list[Seen] = []
        room.begin(segment.state, whole=segment.whole)
        known = KnownRoom.of(room)
        for seen in segment.events:
            if seen.is_state:
                yield from self._changed(room, seen)
            elif self._is_new(seen) and self.is_for_her(room, inside=segment.inside, quiet=quiet):
                if room.is_member and not quiet:
                    self._r.references.hear(room, seen.id)
                yield from self._happened(room, seen)
            elif comes_again and not room.is_member:
                missed.append(seen)
            if missed and room.is_member:
                # What the homeserver shows her of the time she was out, it shows to everybody who reads the room now.
                for one in missed:
                    yield from (event for event in self._happened(room, one) if _asks(event))
                missed = []
        if not segment.inside and room.is_member:
            room.apply({"type": "m.room.member", "state_key": room.me, "content": {"membership": "leave"}})
        if was_inside and not segment.inside and not room.state.successor:
            yield gone(room.id, known)

    def _early(self, segment: RoomEvents) -> Unreadable | None:
        """Return a notice for somebody who wrote to her alone before her first listening, if she did not answer after that."""
        room = segment.room
        said = [one for one in segment.events if one.sealed is not None or one.kind == "m.room.message"]
        if not (said and room.is_member and room.is_private) or said[-1].sender == room.me or said[-1].is_redacted:
            return None
        if said[-1].at < time.time_ns() // 1_000 - LATELY:
            return None
        return Unreadable(said[-1].id, room.place(said[-1].thread), room.person(said[-1].sender), EARLY, once=True)

    def is_for_her(self, room: Room, *, inside: bool, quiet: bool) -> bool:
        """Return whether what is said now is said in Lyra's presence.

        People say the first words of a DM right after inviting her, before she joins: these count as well.
        """
        if room.is_member:
            return True
        return inside and not quiet and room.is_private and room.state.membership(room.me) == "invite"

    def _changed(self, room: Room, seen: Seen) -> Iterator[Event]:
        was_member, name = room.is_member, room.name
        room.apply(seen.raw)
        if seen.kind == TOMBSTONE:
            self._invitations.moved(room, seen)
        if room.is_member and not was_member:
            replaces = room.state.predecessor and not room.is_private
            if self._invitations.entered(room) and (len(room.others) > 1 or replaces):
                yield ServerJoined(f"join:{seen.id}", room.place())
        elif room.is_member and not room.is_direct and room.name != name:
            yield from self._renamed(room, name)

    def _renamed(self, room: Room, before: str) -> Iterator[Event]:
        for thread in ("", *self._r.threads.known(room.id)):
            yield Renamed(room.place(thread), room.called(before, thread))

    def _is_new(self, seen: Seen) -> bool:
        if seen.id in self._known:
            return False
        self._known[seen.id] = None
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return True

    # What happened in them

    def _happened(self, room: Room, seen: Seen) -> Iterator[Event]:
        if step := in_room(room.id, seen):
            self._steps.append(step)
        elif seen.sender == room.me and not seen.redacts:
            if seen.thread:
                self._r.threads.note(room.id, seen.thread, hers=True)
            yield Posted(room.place(seen.thread), seen.replaces or seen.id)
        elif seen.sealed is not None:
            self._r.undecrypted.add(room.id, seen, room.record.epoch)
        elif seen.redacts:
            yield from self._taken_back(room, seen)
        elif seen.replaces:
            yield from self._revised(room, seen)
        elif seen.reacts[0]:
            if press := pressed(room, seen, self._r.lookups.known(room.id, seen.reacts[0])):
                yield press
        elif message := self._saying.message(room, seen):
            yield message

    def _revised(self, room: Room, seen: Seen) -> Iterator[Event]:
        # The homeserver accepts edits of other people's messages, too.
        original = self._r.lookups.known(room.id, seen.replaces)
        new = part(seen.content, "m.new_content")
        if original is None or not self.stands(original) or not new or not self.is_own(original, seen):
            return
        self._r.lookups.revise(room.id, original.id, new, seen.at)
        self._r.edits.note(seen.id, original.id)
        yield self._as_it_stands(room, original.id, seen)

    def stands(self, original: Seen) -> bool:
        """Return whether a message can be edited: the homeserver leaves the edits of a redacted one readable."""
        return not original.is_redacted

    def is_own(self, original: Seen, edit: Seen) -> bool:
        """Return whether an edit is by the message's own author."""
        return original.sender == edit.sender

    def _as_it_stands(self, room: Room, original: str, since: Seen) -> Event:
        """Return an event's current words as a revision that another event made."""
        seen = self._r.lookups.known(room.id, original)
        if seen is None or seen.sealed is not None or not convert.is_heard(seen.content):
            return MessageEdited(room.place(seen.thread if seen else ""), original, None, since.at, (), since.sender)
        text, attachments = self._saying.words(room, seen)
        now = self._saying.message(room, seen)
        asks = now if now and now.addressed and not now.place.is_private else None
        return MessageEdited(room.place(seen.thread), original, text, since.at, attachments, seen.sender, asks)

    def _taken_back(self, room: Room, seen: Seen) -> Iterator[Event]:
        target = seen.redacts
        self._r.undecrypted.forget(target)
        if original := self._r.edits.original(target):
            if self._r.lookups.known(room.id, original):
                yield self._as_it_stands(room, original, seen)
            return
        was = self._r.lookups.known(room.id, target)
        self._r.lookups.forget(room.id, target)
        for thread in [was.thread] if was else ["", *self._r.threads.known(room.id)]:
            yield MessagesDeleted(room.place(thread), (target,))

    def _recovered(self, room: Room | None, waiting: Waiting, seen: Seen) -> Iterator[Event]:
        """Process an event that could not be read at first, with the readers the room had then."""
        self._r.undecrypted.forget(waiting.event)
        for event in self._happened(room, seen) if room else ():
            assert not isinstance(event, PlatformNotice | ServerJoined | Renamed | Vanished)
            yield replace(event, place=_at(event.place, waiting.epoch))


def _asks(event: Event) -> bool:
    """Return whether an event is for her, unlike what was said to others while she was out."""
    return not isinstance(event, Message) or event.addressed


def _at(place: Place, epoch: int) -> Place:
    """Return a place with the epoch in which something was said there."""
    return replace(place, circle=replace(place.circle, epoch=epoch)) if place.circle else place
