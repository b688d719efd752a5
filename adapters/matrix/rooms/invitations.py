"""The rooms that Lyra joins: those she is invited to by people who may, and the successors of her rooms."""

import asyncio
import logging
from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.homeserver import Pace, RequestRefused, ask
from adapters.matrix.incoming.event import RoomEvent, objects, part, word
from adapters.matrix.rooms.room import Room
from adapters.recent import Recent

_NOTE = "doors"
_MOST = 1_000

log = logging.getLogger(__name__)


Invites = str | frozenset[str]
"""'off', 'anyone', or the ids of those who may invite her."""


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: who sent it, whether it is to a space, and the predecessor of its room, '' for none.

    A `quiet` one predates Lyra's first listening.
    """

    by: str
    space: bool
    replaces: str
    quiet: bool

    @classmethod
    def of(cls, state: Any, me: str, *, quiet: bool) -> Self | None:
        """Parse the invitation in a room's stripped state, None if it contains none."""
        events = objects(state)
        own = [one for one in events if one.get("type") == "m.room.member" and one.get("state_key") == me]
        by = next((word(one, "sender") for one in own if part(one, "content").get("membership") == "invite"), "")
        made = next((part(one, "content") for one in events if one.get("type") == "m.room.create"), {})
        replaces = word(part(made, "predecessor"), "room_id")
        return cls(by, made.get("type") == "m.space", replaces, quiet) if by else None

    def allowed(self, allowed: Invites, moved_from: Collection[str] = ()) -> bool:
        """Return whether to follow it. `moved_from` are the rooms that its room is known to replace."""
        if self.space:
            return False
        if self.replaces in moved_from:
            return True
        return self.by in allowed if isinstance(allowed, frozenset) else allowed == "anyone"


class Invitations:
    """Pending invites and upgrades, across restarts. What is not allowed is left alone, not refused."""

    def __init__(self, client: AsyncClient, notes: Notes, allowed: Invites, pace: Pace) -> None:
        self._client = client
        self._notes = notes
        self._allowed = allowed
        self._pace = pace
        self._invites: Recent[str, Invite] = Recent(_MOST)
        self._moves: dict[str, dict[str, str]] = {}
        """Successors with the rooms that each replaces, and the server of whoever said so: several rooms can become one."""
        self._leaving: set[str] = set()
        self._knocked: set[str] = set()
        self._failing: set[str] = set()
        self._work = asyncio.Event()
        self._changed = False

    async def load(self) -> None:
        """Load what was saved."""
        kept = await self._notes.get(_NOTE) or {"invites": {}, "moves": {}, "leaving": []}
        self._invites.update({room: Invite(**one) for room, one in kept["invites"].items()})
        self._moves = {new: _replaced(old, kept.get("servers", {}).get(new, "")) for new, old in kept["moves"].items()}
        self._leaving = set(kept["leaving"])
        self._work.set()

    # Input

    def invited(self, stripped: Mapping[str, Any], *, quiet: bool) -> None:
        """Record the rooms she is invited to, by their stripped state. `quiet` ones predate her first listening."""
        for room, state in stripped.items():
            if invite := Invite.of(state, self._client.user_id, quiet=quiet):
                self._invites[room] = invite
                self._knocked.discard(room)
                self._changed = True

    def close(self, room: str) -> None:
        """Record that she has joined or left a room: its invite is over."""
        self._knocked.discard(room)
        if self._invites.pop(room, None):
            self._changed = True

    def is_quiet(self, room: str) -> bool:
        """Return whether she was invited to a room before her first listening."""
        invite = self._invites.get(room)
        return invite is not None and invite.quiet

    def moved(self, room: Room, tombstone: RoomEvent) -> None:
        """Follow a room to its successor, if whoever announced that may."""
        new = word(tombstone.content, "replacement_room")
        if new and room.is_member and room.state.may_replace(tombstone.sender):
            self._moves.setdefault(new, {})[room.id] = _server(tombstone.sender)
            self._changed = True
        while len(self._moves) > _MOST:
            del self._moves[next(iter(self._moves))]

    def entered(self, room: Room) -> bool:
        """Record that she joined a room; return whether she stays.

        She leaves a space, and a successor that names none of the rooms she was led from, unless she was asked in.
        """
        old, invite = self._moves.pop(room.id, {}), self._invites.get(room.id)
        asked = invite is not None and invite.allowed(self._allowed)
        stays = not room.state.is_space and (not old or asked or room.state.predecessor in old)
        if not stays:
            self._leaving.add(room.id)
        if old or not stays:
            self._changed = True
        return stays

    async def settle(self) -> None:
        """Save changes, and act on them."""
        if self._changed:
            await self._keep()
            self._work.set()

    async def _keep(self) -> None:
        self._changed = False
        invites = {room: asdict(one) for room, one in self._invites.items()}
        kept: dict[str, Any] = {"invites": invites, "moves": self._moves, "leaving": sorted(self._leaving)}
        await self._notes.put(_NOTE, kept)

    # Work

    async def run(self) -> None:
        """Join rooms, until cancelled."""
        failures = 0
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                await self._go()
                failures = 0
            except PlatformFailure:
                failures += 1
                self._work.set()
                await self._pace.retry(failures)

    async def _go(self) -> None:
        """Try whatever is to be done once, and raise what failed at last: one room must not hold up the others."""
        failed: PlatformFailure | None = None
        for room, work in self._to_do():
            try:
                await work
                self._failing.discard(room)
            except PlatformFailure as error:
                self._failing.add(room)
                failed = error
        if failed:
            raise failed

    def _to_do(self) -> Iterator[tuple[str, Awaitable[None]]]:
        for room in self._in_turn(self._leaving):
            yield room, self._leave(room)
        for room in self._in_turn(self._invites):
            invite = self._invites.get(room)
            if invite and room not in self._knocked and invite.allowed(self._allowed, self._moves.get(room, ())):
                yield room, self._join(room, "go into a room that she was invited to", [_server(invite.by)])
        for room in self._in_turn(self._moves):
            if room in self._moves and room not in self._knocked and room not in self._invites:
                yield room, self._join(room, "follow a room to its successor", self._moves[room].values())

    def _in_turn(self, rooms: Collection[str]) -> Sequence[str]:
        """Return rooms, last those that failed before: a join that fails can take minutes."""
        return sorted(rooms, key=lambda room: room in self._failing)

    async def _leave(self, room: str) -> None:
        await self._try("leave a room", "rooms", room, "leave")
        self._leaving.discard(room)
        await self._keep()

    async def _join(self, room: str, what: str, servers: Iterable[str]) -> None:
        # A room's id does not say where it is, and her homeserver need not be in it. `server_name` is the older name.
        known = [one for one in dict.fromkeys(servers) if one]
        query = {"via": known, "server_name": known}
        # Before, so that an invitation that comes while she is turned away counts.
        self._knocked.add(room)
        try:
            await self._try(what, "join", room, query=query)
        except PlatformFailure:
            self._knocked.discard(room)
            raise

    async def _try(self, what: str, *path: str, query: Mapping[str, Sequence[str]] | None = None) -> None:
        try:
            await ask(self._client, "POST", *path, body={}, query=query)
        except RequestRefused as denied:
            log.info("The homeserver does not let Lyra %s (%s).", what, denied)


def _replaced(old: Any, server: str) -> dict[str, str]:
    """Return what a note says of a successor; earlier versions knew of one room that it replaces."""
    return old if isinstance(old, dict) else {str(old): server}


def _server(user: str) -> str:
    return user.partition(":")[2]
