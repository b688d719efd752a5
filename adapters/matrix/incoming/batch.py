"""Gathers what a sync brought and what it refers to, before any of it is processed."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from nio import AsyncClient, RoomInfo, SyncResponse

from adapters.matrix.account.tolerant_olm import ODD
from adapters.matrix.homeserver import TROUBLE, Json
from adapters.matrix.incoming.backfill import Backfill, Gap
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.timeline_state import IGNORED, TAGS, TimelineState
from adapters.matrix.incoming.undecrypted import Waiting
from adapters.matrix.rooms.room import Room, RoomRecord
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import INSIDE, State

_NOTHING = {"not_types": ["*"]}


@dataclass(frozen=True, slots=True)
class RoomSegment:
    """The events of one room: its state before them, and what happened since, oldest first.

    `complete` means nothing is missing before it; `inside` that Lyra is in the room at its end.
    """

    room: Room
    state: State
    events: Sequence[RoomEvent]
    complete: bool
    inside: bool


@dataclass(frozen=True, slots=True)
class SyncBatch:
    """Everything one sync brought since a position. `recovered` are earlier events whose keys have arrived.

    A `quiet` one predates Lyra's first listening: what was said then is not for her.
    """

    since: str
    quiet: bool
    segments: list[RoomSegment] = field(default_factory=list)
    recovered: list[tuple[Waiting, RoomEvent]] = field(default_factory=list)

    @property
    def rooms(self) -> list[Room]:
        """The rooms it is about."""
        return [segment.room for segment in self.segments]


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Turns syncs into batches. While it works, rooms stay as they were, and changing ones count as unknown.

    `at_once` is how many events of a room one sync brings; further ones are read from history.
    """

    client: AsyncClient
    rooms: Rooms
    timeline: TimelineState
    gaps: Backfill
    at_once: int

    @property
    def filter(self) -> Json:
        """The sync filter: only room events, to-device messages, whom her account ignores, and how it tags rooms."""
        room = {"timeline": {"limit": self.at_once}, "ephemeral": _NOTHING, "account_data": {"types": [TAGS]}}
        return {"presence": _NOTHING, "account_data": {"types": [IGNORED]}, "room": room}

    async def gather(self, response: SyncResponse, since: str, *, full: bool) -> SyncBatch:
        """Return what a sync brought; `full` means it contains full state. Raises PlatformFailure, and can be retried."""
        batch = SyncBatch(since, quiet=not since)
        self.timeline.undecrypted.learn(response.to_device_events)
        told = [(room, info, True) for room, info in response.rooms.join.items()]
        told += [(room, info, False) for room, info in response.rooms.leave.items()]
        self.rooms.unsettle(room for room, info, _ in told if _changes(info))
        for room, info, inside in told:
            batch.segments.append(await self._segment(room, info, since, full=full, inside=inside))
        for segment in batch.segments:
            if not segment.complete or segment.inside != segment.room.record.inside:
                # Cached events may have been redacted unheard.
                self.timeline.lookups.drop(segment.room.id)
            for event in segment.events:
                self.timeline.lookups.remember(segment.room.id, event)
        if not batch.quiet:
            for segment in batch.segments:
                known = {event.id for event in segment.events}
                for event in segment.events:
                    await self._look_up(segment.room.id, event, known)
        await self._recover(batch)
        return batch

    async def _segment(self, id: str, info: RoomInfo, since: str, *, full: bool, inside: bool) -> RoomSegment:
        room = await self.rooms.meet(id, since)
        await self.timeline.meet(id)
        self.timeline.server_notices.learn(id, info.account_data)
        timeline, gap = list(_room_events(info.timeline.events)), Gap()
        if inside and since and info.timeline.limited and info.timeline.prev_batch:
            gap = await self.gaps.walk(id, info.timeline.prev_batch, since)
        told = [one for one in _room_events(info.state) if one.is_state]
        undone = [one for one in reversed(gap.events) if one.is_state]
        state = State() if full or not room.is_member else room.state.copy() if told or undone else room.state
        for one in told:
            if not self.is_outdated(state, one):
                state.apply(one.raw)
        for one in undone:
            state.undo(one.raw)
        known = {one.id for one in timeline}
        events = await self._with_senders(id, [*(one for one in gap.events if one.id not in known), *timeline])
        if inside and not room.record.inside:
            state, events = _since_asked_in(room.me, state, events, again=room.record != RoomRecord())
        if inside:
            self.put_in(state, room.me, events)
        return RoomSegment(room, state, events, gap.complete, inside)

    # What was said at the moment of a change was said in the state before it, which the homeserver tells again.

    def is_outdated(self, state: State, told: RoomEvent) -> bool:
        """Return whether a state event was already replaced."""
        return state.has_replaced(told.raw)

    def put_in(self, state: State, me: str, events: Sequence[RoomEvent]) -> None:
        """Make Lyra a member of a room listed as joined if no event shows her joining."""
        member = {"type": "m.room.member", "state_key": me}
        if state.membership(me) != "join" and not any(member.items() <= event.raw.items() for event in events):
            state.apply({**member, "content": {**state.content("m.room.member", me), "membership": "join"}})

    async def _with_senders(self, room: str, events: list[RoomEvent]) -> list[RoomEvent]:
        """Return events, decrypted also where all that was missing were the devices of their senders."""
        olm = self.client.olm
        lacking = [one.id for one in events if one.undecrypted and olm and olm.lacks_sender(one.undecrypted, room)]
        if not lacking:
            return events
        # If they cannot be had now, the events wait for them.
        with suppress(*TROUBLE, *ODD):
            await self.client.keys_query()
        return [(self.timeline.lookups.opened(room, one.raw) or one) if one.id in lacking else one for one in events]

    async def _look_up(self, room: str, event: RoomEvent, known: Collection[str] = ()) -> None:
        """Look up what an event refers to, and who could read that unless it is in the same batch."""
        find, threads = self.timeline.lookups.find, self.timeline.threads
        if event.is_state or event.sender == self.client.user_id:
            return
        if (root := event.thread) and threads.is_own(room, root) is None:
            begun = await find(room, root)
            threads.record(room, root, is_own=begun is not None and begun.sender == self.client.user_id)
        for other in (event.replaces, event.answers, event.reacts[0]):
            if other:
                await find(room, other)
        if event.answers:
            await self._look_up_answered(room, event.answers, known)
        if original := self.timeline.edits.original(room, event.redacts):
            await find(room, original, anew=True)

    async def _look_up_answered(self, room: str, answered: str, known: Collection[str]) -> None:
        edit = self.timeline.lookups.cached(room, answered)
        if edit and edit.replaces:
            answered = edit.replaces
            await self.timeline.lookups.find(room, answered)
        if answered not in known:
            await self.timeline.references.look_up(room, answered)

    async def _recover(self, batch: SyncBatch) -> None:
        for waiting in self.timeline.undecrypted.arrived():
            await self.timeline.meet(waiting.room)
            event = await self.timeline.lookups.find(waiting.room, waiting.event, anew=True)
            if event is not None and event.undecrypted is None:
                await self._look_up(waiting.room, event)
                batch.recovered.append((waiting, event))


def _since_asked_in(me: str, state: State, events: list[RoomEvent], *, again: bool) -> tuple[State, list[RoomEvent]]:
    """Return what happened since Lyra was invited to a room she joined, and the state before; if `again`, since she left it.

    The homeserver also shows older events then, including those of an earlier stay.
    """
    now, was, start = state.copy(), state, 0
    for number, event in enumerate(events):
        if event.is_state:
            outside = now.membership(me) not in INSIDE
            before = now.copy() if outside and event.raw["state_key"] == me else now
            now.apply(event.raw)
            if again and not outside and now.membership(me) not in INSIDE:
                was, start = now.copy(), number + 1
            elif not again and outside and now.membership(me) in INSIDE:
                was, start = before, number
    return was, events[start:]


def _room_events(events: Sequence[object]) -> Iterator[RoomEvent]:
    return (event for parsed in events if (event := RoomEvent.of(parsed)))


def _changes(info: RoomInfo) -> bool:
    return bool(info.state or info.timeline.limited or any(one.is_state for one in _room_events(info.timeline.events)))
