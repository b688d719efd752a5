"""The rooms that Lyra joins: those she is invited to by people who may, and the successors of her rooms."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.listener import Notes
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.matrix.pace import Pace
from adapters.matrix.rooms.room import Room

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
        events: Sequence[Json] = [one for one in state if isinstance(one, dict)] if isinstance(state, list) else []
        own = [one for one in events if one.get("type") == "m.room.member" and one.get("state_key") == me]
        by = next((word(one, "sender") for one in own if part(one, "content").get("membership") == "invite"), "")
        made = next((part(one, "content") for one in events if one.get("type") == "m.room.create"), {})
        replaces = word(part(made, "predecessor"), "room_id")
        return cls(by, made.get("type") == "m.space", replaces, quiet) if by else None

    def note(self) -> Json:
        """Serialize it for a note."""
        return asdict(self)

    def allowed(self, allowed: Invites, moved_from: str) -> bool:
        """Return whether to follow it. `moved_from` is the room that its room is known to replace."""
        if self.space:
            return False
        if moved_from and self.replaces == moved_from:
            return True
        return self.by in allowed if isinstance(allowed, frozenset) else allowed == "anyone"


class Invitations:
    """Pending invites and upgrades, across restarts. What is not allowed is left alone, not refused."""

    def __init__(self, client: AsyncClient, notes: Notes, allowed: Invites, pace: Pace) -> None:
        self._client = client
        self._notes = notes
        self._allowed = allowed
        self._pace = pace
        self._invites: dict[str, Invite] = {}
        self._moves: dict[str, str] = {}
        self._leaving: set[str] = set()
        self._knocked: set[str] = set()
        self._work = asyncio.Event()
        self._changed = False

    async def load(self) -> None:
        """Load what was saved."""
        kept = await self._notes.get(_NOTE) or {"invites": {}, "moves": {}, "leaving": []}
        self._invites = {room: Invite(**one) for room, one in kept["invites"].items()}
        self._moves = kept["moves"]
        self._leaving = set(kept["leaving"])
        self._work.set()

    # Input

    def invited(self, stripped: Mapping[str, Any], *, quiet: bool) -> None:
        """Record the rooms she is invited to, by their stripped state. `quiet` ones predate her first listening."""
        for room, state in stripped.items():
            if invite := Invite.of(state, self._client.user_id, quiet=quiet):
                self._invites[room] = invite
                self._knocked.discard(room)
                self._note()
        while len(self._invites) > _MOST:
            del self._invites[next(iter(self._invites))]

    def told(self, room: str) -> None:
        """Record that she has joined or left a room: its invite is over."""
        self._knocked.discard(room)
        if self._invites.pop(room, None):
            self._note()

    def is_quiet(self, room: str) -> bool:
        """Return whether she was invited to a room before her first listening."""
        invite = self._invites.get(room)
        return invite is not None and invite.quiet

    def moved(self, room: Room, tombstone: RoomEvent) -> None:
        """Follow a room to its successor, if whoever announced that may."""
        new = word(tombstone.content, "replacement_room")
        if new and room.is_member and room.state.may_replace(tombstone.sender):
            self._moves[new] = room.id
            self._note()
        while len(self._moves) > _MOST:
            del self._moves[next(iter(self._moves))]

    def entered(self, room: Room) -> bool:
        """Record that she joined a room; return whether she stays.

        She leaves a space, and a successor that does not name its predecessor.
        """
        old = self._moves.pop(room.id, "")
        stays = not room.state.is_space and (not old or room.state.predecessor == old)
        if not stays:
            self._leaving.add(room.id)
        if old or not stays:
            self._note()
        return stays

    async def settle(self) -> None:
        """Save changes, and act on them."""
        if self._changed:
            await self._keep()
            self._work.set()

    async def _keep(self) -> None:
        self._changed = False
        invites = {room: one.note() for room, one in self._invites.items()}
        kept: dict[str, Any] = {"invites": invites, "moves": self._moves, "leaving": sorted(self._leaving)}
        await self._notes.put(_NOTE, kept)

    def _note(self) -> None:
        self._changed = True

    # Work

    async def run(self) -> None:
        """Join rooms, until cancelled. Raises PlatformRefused."""
        failures = 0
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                await self._go()
                failures = 0
            except PlatformRefused:
                raise
            except PlatformFailure:
                failures += 1
                self._work.set()
                await self._pace.retry(failures)

    async def _go(self) -> None:
        for room in sorted(self._leaving):
            await self._try("leave a room", "rooms", room, "leave")
            self._leaving.discard(room)
            await self._keep()
        for room, invite in list(self._invites.items()):
            if room not in self._knocked and invite.allowed(self._allowed, self._moves.get(room, "")):
                await self._try("go into a room that she was invited to", "join", room)
                self._knocked.add(room)
        for room in list(self._moves):
            if room not in self._knocked and room not in self._invites:
                await self._try("follow a room to its successor", "join", room)
                self._knocked.add(room)

    async def _try(self, what: str, *path: str) -> None:
        try:
            await ask(self._client, "POST", *path, body={})
        except RequestRefused as denied:
            log.info("The homeserver does not let Lyra %s (%s).", what, denied)
