"""Processes a gathered batch without interruption, in the order of each room's timeline.

So a room changes before what follows is said in it, and every message gets its room's place at that moment.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from adapters.command_table import OFFERS, without_presentation
from adapters.events import (
    EARLY,
    LATELY,
    Event,
    MenuCall,
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
from adapters.matrix.incoming.batch import RoomSegment, SyncBatch
from adapters.matrix.incoming.event import MESSAGE, RoomEvent, part, word
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.incoming.undecrypted import Waiting
from adapters.matrix.outgoing.contents import PART, REFLECTION, SIGNS, VERDICT, VERDICTS
from adapters.matrix.rooms.departures import KnownRoom, gone
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.room import Room, RoomRecord
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import TOMBSTONE
from adapters.matrix.verification.channel import ReceivedStep, in_room
from adapters.posting import PostedKeys
from adapters.recent import Recent

_MOST_KNOWN = 20_000


class Hearing:
    """Turns room events into events for the listener. `message_reader` reads messages."""

    def __init__(
        self, rooms: Rooms, timeline_state: TimelineState, invitations: Invitations, message_reader: MessageReader
    ) -> None:
        self._rooms = rooms
        self._timeline = timeline_state
        self.invitations = invitations
        self._message_reader = message_reader
        self._known: Recent[str, None] = Recent(_MOST_KNOWN)
        self._steps: list[ReceivedStep] = []
        self.posted = PostedKeys(convert.PLATFORM)

    def steps(self) -> list[ReceivedStep]:
        """Return the verification steps that came since the last call."""
        found, self._steps = self._steps, []
        return found

    def advance(self, batch: SyncBatch) -> list[Event]:
        """Advance the rooms by a batch, and return what happened in them."""
        found: list[Event] = []
        for segment in batch.segments:
            quiet = batch.quiet or self.invitations.is_quiet(segment.room.id)
            happened = [*self._through(segment, quiet=quiet)]
            early = self._early(segment) if quiet else None
            found += [*happened, *([early] if early else [])]
            self.invitations.close(segment.room.id)
        if batch.quiet:
            return [one for one in found if isinstance(one, Unreadable)]
        changed = {room.id: room for room in batch.rooms}

        def inside(waiting: Waiting) -> Room | None:
            room = changed.get(waiting.room) or self._rooms.peek(waiting.room)
            return room if room is not None and room.is_member else None

        # They were said before the new events, but can only be placed after them.
        recovered = [one for waiting, event in batch.recovered for one in self._recovered(inside(waiting), waiting, event)]
        for waiting, why in self._timeline.undecrypted.overdue():
            if room := inside(waiting):
                place = _at(room.place(waiting.thread), waiting.epoch)
                found.append(Unreadable(waiting.event, place, room.person(waiting.sender), why))
        return [*recovered, *found]

    # Rooms

    def _through(self, segment: RoomSegment, *, quiet: bool) -> Iterator[Event]:
        room, was_inside = segment.room, segment.room.record.inside
        comes_again = segment.inside and not quiet and room.record != RoomRecord()
        missed: list[RoomEvent] = []
        room.begin(segment.state, complete=segment.complete)
        known = KnownRoom.of(room)
        for event in segment.events:
            if event.is_state:
                yield from self._changed(room, event)
            elif self._is_new(event) and self.is_for_her(room, inside=segment.inside, quiet=quiet):
                if room.is_member and not quiet:
                    self._timeline.references.hear(room, event.id)
                yield from self._happened(room, event)
            elif comes_again and not room.is_member:
                missed.append(event)
            if missed and room.is_member:
                # What the homeserver shows her of the time she was out, it shows to everybody who reads the room now.
                for one in missed:
                    yield from (heard for heard in self._happened(room, one) if _asks(heard))
                missed = []
        if not segment.inside and room.is_member:
            room.apply({"type": "m.room.member", "state_key": room.me, "content": {"membership": "leave"}})
        if was_inside and not segment.inside and not room.state.successor:
            yield gone(room.id, known)

    def _early(self, segment: RoomSegment) -> Unreadable | None:
        """Return a notice for somebody who wrote to her alone before her first listening, if she did not answer after that."""
        room = segment.room
        said = [one for one in segment.events if one.undecrypted is not None or one.kind == MESSAGE]
        if not (said and room.is_member and room.is_private) or said[-1].sender == room.me or said[-1].is_redacted:
            return None
        if said[-1].at < time.time_ns() // 1_000 - LATELY:
            return None
        return Unreadable(said[-1].id, room.place(said[-1].thread), room.person(said[-1].sender), EARLY, once=True)

    def is_for_her(self, room: Room, *, inside: bool, quiet: bool) -> bool:
        """Return whether what is said now is said in Lyra's presence.

        People say the first words of a DM right after inviting her, before she joins: these count as well.
        """
        if self._timeline.server_notices.passes_over(room.id):
            return False
        if room.is_member:
            return True
        return inside and not quiet and room.is_private and room.state.membership(room.me) == "invite"

    def _changed(self, room: Room, event: RoomEvent) -> Iterator[Event]:
        was_member, name = room.is_member, room.name
        room.apply(event.raw)
        if event.kind == TOMBSTONE:
            self.invitations.moved(room, event)
        if room.is_member and not was_member:
            replaces = room.state.predecessor and not room.is_private
            if self.invitations.entered(room) and (len(room.others) > 1 or replaces):
                yield ServerJoined(f"join:{event.id}", room.place())
        elif room.is_member and not room.is_direct and room.name != name:
            for thread in ("", *self._timeline.threads.of_room(room.id)):
                yield Renamed(room.place(thread), room.called(name, thread))

    def _is_new(self, event: RoomEvent) -> bool:
        is_new = event.id not in self._known
        self._known[event.id] = None
        return is_new

    # What happened in them

    def _happened(self, room: Room, event: RoomEvent) -> Iterator[Event]:
        if step := in_room(room.id, event):
            self._steps.append(step)
        elif event.sender == room.me and not event.redacts:
            if event.thread:
                self._timeline.threads.record(room.id, event.thread, is_own=True)
            self.posted.see(word(event.content, PART), event.at)
            yield Posted(room.place(event.thread), event.replaces or event.id)
        elif event.undecrypted is not None:
            self._timeline.undecrypted.add(room.id, event, room.record.epoch)
        elif event.redacts:
            yield from self._taken_back(room, event)
        elif event.replaces:
            yield from self._revised(room, event)
        elif event.reacts[0]:
            if press := _pressed(room, event, self._timeline.lookups.cached(room.id, event.reacts[0])):
                yield press
        elif message := self._message_reader.message(room, event):
            yield message

    def _revised(self, room: Room, event: RoomEvent) -> Iterator[Event]:
        original = self._timeline.lookups.cached(room.id, event.replaces)
        new = part(event.content, "m.new_content")
        if original is None or not self.stands(original) or not new or not self.is_own(original, event):
            return
        self._timeline.lookups.revise(room.id, original.id, new, event.at)
        self._timeline.edits.add(room.id, event.id, original.id)
        yield self._as_it_stands(room, original.id, event)

    def stands(self, original: RoomEvent) -> bool:
        """Return whether a message can be edited: the homeserver leaves the edits of a redacted one readable."""
        return not original.is_redacted

    def is_own(self, original: RoomEvent, edit: RoomEvent) -> bool:
        """Return whether an edit of a message counts as its author's own."""
        return original.is_edited_by(edit)

    def _as_it_stands(self, room: Room, original: str, since: RoomEvent) -> Event:
        """Return an event's current words as a revision that another event made."""
        event = self._timeline.lookups.cached(room.id, original)
        if event is None or event.undecrypted is not None or not convert.is_heard(event.content):
            return MessageEdited(room.place(event.thread if event else ""), original, None, since.at, (), since.sender)
        text, attachments = self._message_reader.words(room, event)
        now = self._message_reader.message(room, event)
        asks = now if now and now.addressed and not now.place.is_private else None
        return MessageEdited(room.place(event.thread), original, text, since.at, attachments, event.sender, asks)

    def _taken_back(self, room: Room, event: RoomEvent) -> Iterator[Event]:
        target = event.redacts
        self._timeline.undecrypted.forget(target)
        if original := self._timeline.edits.original(room.id, target):
            if self._timeline.lookups.cached(room.id, original):
                yield self._as_it_stands(room, original, event)
            return
        was = self._timeline.lookups.cached(room.id, target)
        self._timeline.lookups.forget(room.id, target)
        yield MessagesDeleted(room.place(was.thread if was else ""), (target,))

    def _recovered(self, room: Room | None, waiting: Waiting, event: RoomEvent) -> Iterator[Event]:
        """Process an event that could not be read at first, with the readers the room had then."""
        self._timeline.undecrypted.forget(waiting.event)
        for heard in self._happened(room, event) if room else ():
            assert not isinstance(heard, PlatformNotice | ServerJoined | Renamed | Vanished)
            yield replace(heard, place=_at(heard.place, waiting.epoch))


def _asks(heard: Event) -> bool:
    """Return whether an event is for her, unlike what was said to others while she was out."""
    return not isinstance(heard, Message) or heard.addressed


def _at(place: Place, epoch: int) -> Place:
    """Return a place with the epoch in which something was said there."""
    return replace(place, circle=replace(place.circle, epoch=epoch)) if place.circle else place


def _pressed(room: Room, event: RoomEvent, target: RoomEvent | None) -> MenuCall | None:
    """Return the command that a reaction calls; None for any other reaction, or one to another message."""
    if target is None or target.sender != room.me:
        return None
    asks, arguments = target.content.get(VERDICT) is True, dict[str, str | int | bool]()
    offered = VERDICTS if asks else SIGNS if target.content.get(REFLECTION) is True else OFFERS
    signs = {without_presentation(sign): command for sign, command in offered.items()}
    command = signs.get(without_presentation(event.reacts[1]))
    if command is None:
        return None
    if asks:
        command, arguments = "verify", {"answer": command}
    place, her = room.place(target.thread), room.person(target.sender)
    # The id suffices: its text may only be shown by memory, where its readers may know it.
    pressed_on = Message(target.id, place, her, "", target.at)
    return MenuCall(
        event.id, place, room.person(event.sender), event.at, command, arguments, answers=target.id, private=False,
        target=pressed_on, quiet=offered is OFFERS,
    )  # fmt: skip
