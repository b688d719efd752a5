"""Matrix as a platform."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from nio import AsyncClient

from adapters.base import Adapter, Presence, Sending
from adapters.errors import PlatformFailure, PlatformRefused, SendFailed
from adapters.events import Circle, Message, Person, Place, Reach, Vanished, split_key
from adapters.listener import Listener, Notes
from adapters.markup import typed_prefix
from adapters.matrix.account.account import Account, Credentials
from adapters.matrix.homeserver import Pace
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.backfill import Backfill
from adapters.matrix.incoming.batch import Gatherer
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.incoming.history import PastNames, Presences, before
from adapters.matrix.incoming.references import References
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.outgoing.posts import AWAY, Sender
from adapters.matrix.outgoing.typing import thinking
from adapters.matrix.outgoing.wire import Wire
from adapters.matrix.rooms.departures import Departures
from adapters.matrix.rooms.direct import DirectRooms
from adapters.matrix.rooms.invitations import Invitations, Invites
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.sync import Sync
from adapters.matrix.verification.channel import Channel
from adapters.matrix.verification.verification_notices import VerificationNotices
from adapters.matrix.verification.verifications import Verifications
from adapters.message_parts import Contents, Quote
from adapters.task_groups import until_one_ends
from localization.sentences import Said, _

__all__ = ["Credentials", "Matrix"]

_PACE = Pace()

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MatrixConnection:
    """The parts that exist while Lyra is connected."""

    client: AsyncClient
    rooms: Rooms
    sender: Sender
    direct_rooms: DirectRooms
    presences: Presences
    departures: Departures
    past_names: PastNames
    verifications: Verifications


class Matrix(Adapter):
    """One account. `invites` says whose invitations to follow, `bots` which users are machines.

    `waived` are the rooms whose newcomers may be told what they cannot read.
    """

    platform = PLATFORM
    replies = True
    verifies = True
    takes_back_edits = True
    most_characters = 20_000
    most_bytes = 8 << 20
    links_names = True
    edit_seconds = 4.0
    at_once = 100
    """The events of a room that one sync brings at most."""
    gaps: type[Backfill] = Backfill
    rooms: type[Rooms] = Rooms
    hearing: type[Hearing] = Hearing
    invitations: type[Invitations] = Invitations
    references: type[References] = References
    past_names: type[PastNames] = PastNames

    def __init__(
        self, access: Credentials, folder: Path, notes: Notes, now: Callable[[], int], *, prefix: str = "!", invites: Invites,
        bots: frozenset[str] = frozenset(), waived: Callable[[str], bool] | None = None, pace: Pace = _PACE,
    ) -> None:  # fmt: skip
        self.prefix = typed_prefix(prefix)
        self._notes = notes
        self._now = now
        self._invites = invites
        self._bots = bots
        self._waived = waived
        self._pace = pace
        self._account = Account(access, folder, notes)
        self.platform_clock = self._account.platform_clock
        self._connection: MatrixConnection | None = None
        self._connected_once = False

    # Connected

    async def run(self, listener: Listener) -> None:
        async def connect() -> None:
            try:
                await self._connect(listener)
            except PlatformRefused:
                raise
            except PlatformFailure as failed:
                log.warning("%s", failed)

        try:
            await self._pace.through_failures(connect)
        finally:
            await self._account.close()

    async def _connect(self, listener: Listener) -> None:
        """Run one connection. Raises PlatformFailure when it ends."""
        known = len(self._account.said)
        client = await self._account.open()
        for sentence in self._account.said[known:] if self._connected_once else ():
            log.warning("%s", sentence)
        self._connected_once = True
        rooms = self.rooms(client, self._notes, self._waived)
        timeline_state = TimelineState(client, self._notes, self._pace, self.references)
        invitations = self.invitations(client, self._notes, self._invites, self._pace)
        gatherer = Gatherer(client, rooms, timeline_state, self.gaps(client), self.at_once)
        message_reader = MessageReader(timeline_state, self._bots)
        hearing = self.hearing(rooms, timeline_state, invitations, message_reader)
        departures = Departures(client, rooms, self._notes)
        wire = Wire(client, rooms, hearing.posted)
        channel = Channel(client, rooms, wire, self._pace)
        notices = VerificationNotices(channel, listener, self.prefix)
        verifications = Verifications(self._account, channel, notices, self._notes, self._pace, self._now)
        sync = Sync(self._account, listener, gatherer, hearing, departures, verifications, self._pace)
        direct_rooms = DirectRooms(client, rooms, self._notes)
        presences = Presences(client, rooms, timeline_state.lookups, message_reader)
        sender = Sender(client, wire, self._now)
        past_names = self.past_names(client)
        self._connection = MatrixConnection(client, rooms, sender, direct_rooms, presences, departures, past_names, verifications)
        try:
            await until_one_ends(
                *(sync.run(), sync.show_read(), invitations.run(), verifications.run(), verifications.watch()),
                self._account.keep_signed_in(self._pace.pause),
            )
        finally:
            self._connection = None
            await self._account.close()

    def describe(self) -> str:
        """Describe the state of encryption, and what the operator should know."""
        return " ".join([_("I read and write encrypted rooms, too, with keys that stay on this machine."), *self._account.said])

    # Places and what is said there

    async def locate(self, place: Place) -> Place | None:
        return self._connection.rooms.place(place.channel, place.thread) if self._connection else None

    async def locate_key(self, key: str) -> Place | None:
        _, room, thread = split_key(key)
        return self._connection.rooms.place(room, thread) if self._connection else None

    async def successor(self, place: Place) -> Place | None:
        return self._connection.rooms.successor(place.channel) if self._connection else None

    async def administers(self, person: Person, place: Place) -> bool:
        room = self._room(place.channel)
        return room is not None and room.state.membership(person.id) == "join" and room.state.rules(person.id)

    async def is_reader(self, person: Person, place: Place) -> bool:
        room = self._room(place.channel)
        return room is not None and room.state.membership(person.id) == "join"

    async def readable_circles(self, person: Person, circles: Collection[Circle], spoken: Collection[Circle] = ()) -> set[Circle]:
        """Return which of these rooms a person is in with Lyra now, and can certainly read the history of."""
        found = {circle: self._room(circle.id) for circle in circles if circle.reach is Reach.ROOM}
        return {circle for circle, room in found.items() if room is not None and room.readable(person.id, circle.epoch)}

    async def belongs(self, person: Person, circles: Collection[Circle]) -> bool | None:
        """Return whether a person has joined one of these rooms; None where a room's members are not all known."""
        rooms = [room for circle in circles if (room := self._room(circle.id)) is not None and room.is_member]
        if any(room.state.membership(person.id) == "join" for room in rooms):
            return True
        return False if self._connection is not None and all(room.state.is_complete for room in rooms) else None

    async def has_place_in_common(self, person: Person) -> bool:
        """Return whether a person shares a room with Lyra that is no DM."""
        return self._connection is not None and self._connection.rooms.shares(person.id)

    async def non_readers(self, place: Place, accounts: Collection[str]) -> set[str]:
        """Return which accounts are neither in a room nor invited, if nobody else could join or read it."""
        room = self._room(place.channel)
        if room is None or not (room.is_member and room.state.is_complete and room.is_closed):
            return set()
        return set(accounts).difference(room.state.inside)

    async def member_names(self, place: Place, accounts: Collection[str]) -> Sequence[Person]:
        """Return those who are in a room or invited."""
        room = self._room(place.channel)
        return [room.person(one) for one in room.state.inside] if room is not None else ()

    async def past_member_names(self, place: Place) -> Sequence[Person]:
        """Return a room's members and invitees under their names in its history, first borne first.

        The rooms it replaced count as far as everyone who can read it could read them, so that a name reveals no more than
        they know.
        """
        room = self._room(place.channel)
        if room is None or self._connection is None:
            return ()
        now = self._connection.rooms.place(place.channel)
        return await self._connection.past_names.accounts(room, [one.id for one in now.earlier] if now else ())

    async def encrypted_circles(self, circles: Collection[Circle]) -> set[Circle]:
        """Return which rooms are or ever were encrypted, unknown ones included."""
        found = {circle: self._room(circle.id) for circle in circles}
        return {circle for circle, room in found.items() if room is None or room.record.encrypted}

    async def messages_before(self, place: str, message: str, n: int, reader: Person | None = None) -> Sequence[Quote]:
        return (
            await before(self._connection.client, self._connection.rooms, place, message, n, reader) if self._connection else ()
        )

    async def read_attachments(self, message: Message) -> Sequence[Contents]:
        if self._connection is None:
            return [Contents(one) for one in message.attachments]
        return await convert.read_files(self._connection.client, message, self._pace.files)

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        if patient:
            await self._pace.pause(self._pace.look)
        return await self._connection.presences.look_up(place, ids) if self._connection else {}

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        return await self._connection.departures.vanished(places) if self._connection else ()

    async def dm(self, person: Person) -> Place | None:
        room = self._connection.rooms.dm_of(person.id) if self._connection else None
        return self._connection.rooms.place(room) if self._connection and room else None

    def link(self, place: str, message: str) -> str:
        """Return the URL of a message (for a reply, of the message it answers); '' if it has none on Matrix."""
        room, event = split_key(place)[1], "".join(message.partition("$")[1:])
        return f"https://matrix.to/#/{quote(room, safe='!:')}/{quote(event, safe='$:')}" if event else ""

    def _room(self, room: str) -> Room | None:
        return self._connection.rooms.get(room) if self._connection else None

    async def verify(self, person: Person, place: Place, answer: bool | None) -> Said:
        """Ask a person's app for a verification, or take their verdict on the emoji; return what to say about it."""
        if self._connection is None:
            raise PlatformFailure(AWAY)
        if answer is None:
            return await self._connection.verifications.ask(person.id, place.channel)
        return await self._connection.verifications.decide(person.id, same=answer)

    # Answers

    async def send(self, sending: Sending) -> str:
        if self._connection is None:
            raise SendFailed(AWAY)
        return await self._connection.sender.send(sending)

    async def private_place(self, person: Person, *, encrypted: bool = False) -> Place | None:
        if self._connection is None:
            raise PlatformFailure(AWAY)
        return await self._connection.direct_rooms.place(person, encrypted=encrypted)

    def thinking(self, place: str) -> AbstractAsyncContextManager[None]:
        return thinking(self._connection.client, split_key(place)[1]) if self._connection else nullcontext()
