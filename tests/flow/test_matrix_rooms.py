"""Who reads a room: one person, its members, or others than before."""

from pathlib import Path
from typing import Any

import pytest

from adapters.events import Message, Reach
from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room, RoomRecord
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import State
from tests.fakes.matrix import People, Proxy
from tests.fakes.matrix.faults import SYNC, Held
from tests.kits.adapter_kit import room_circle, running
from tests.kits.matrix_kit import Ear, Home, adapter_for, dm, home, in_dm, listening, place_of, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_a_third_makes_a_dm_a_room_for_good(people: People, proxy: Proxy, tmp_path: Path, encrypted: bool) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), await people.person("bo")
    async with listening(lyra, ear := Ear()) as adapter:
        room = await dm(lyra, ada, encrypted=encrypted)
        await ada.says(room, "Only you")
        before = (await ear.heard(Message)).place
        await ada.invites(room, bo.user)
        asked = await place_of(adapter, ear, room, lambda place: not place.alone)
        await bo.leaves(room)
        left = await place_of(adapter, ear, room, lambda place: bool(place.alone))
    assert before.alone == ada.user and before.reach is (Reach.ROOM if encrypted else Reach.DIRECT)
    assert (asked.reach, asked.circle) == (Reach.ROOM, room_circle(room, 1))
    assert (left.reach, left.epoch, left.alone) == (Reach.ROOM, 1, ada.user)
    async with listening(lyra, Ear(cursors=ear.kept)) as adapter:
        assert await adapter.locate(before) == left


async def test_what_was_said_before_a_third_was_invited_stays_private_in_the_same_breath(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        room = await dm(lyra, ada)
        await ada.says(room, "Hello")
        await ear.heard(Message)
    await ada.says(room, "Still private")
    await ada.invites(room, bo.user)
    await ada.says(room, "Bo may know")
    async with listening(lyra, again := Ear(cursors=ear.kept)) as adapter:
        await again.heard(Message, 2)
        [private, shared] = (one.place for one in again.of(Message))
        assert await adapter.locate(private) == shared
    assert (private.reach, shared.reach, shared.epoch) == (Reach.DIRECT, Reach.ROOM, 1)


async def test_a_dm_that_becomes_encrypted_is_a_room_from_then_on(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypts=True) as (lyra, ada, ear, room):
        await ada.says(room, "In the open")
        await ada.encrypts(room)
        await ada.says(room, "Sealed")
        await ear.heard(Message, 2)
    plain, sealed = (one.place for one in ear.of(Message))
    assert (plain.reach, plain.encrypted) == (Reach.DIRECT, False)
    assert (sealed.reach, sealed.encrypted, sealed.epoch, sealed.alone) == (Reach.ROOM, True, 1, ada.user)


@pytest.mark.torture
@pytest.mark.parametrize(("history", "epochs"), [("joined", [0, 0, 1]), ("invited", [0, 1, 1])])
async def test_who_comes_and_cannot_read_what_was_said_starts_an_epoch(
    people: People, proxy: Proxy, tmp_path: Path, history: str, epochs: list[int]
) -> None:
    """It is the invitation that counts where who follows it can read all that is said since."""
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo, history=history)
        await ada.says(room, "One")
        await ada.invites(room, cy.user)
        await ada.says(room, "Two")
        await cy.joins(room)
        await ada.says(room, "Three")
        await ear.heard(Message, 3)
    assert [one.place.epoch for one in ear.of(Message)] == epochs
    await cy.leaves(room)
    await ada.invites(room, cy.user)
    await cy.joins(room)
    await ada.says(room, "Four")
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await again.heard(Message)
    assert [one.place.epoch for one in again.of(Message)] == [2]


NEWCOMERS = {
    "they read everything": ("shared", False, False, [0, 0]),
    "what was hidden stays so when the room opens its history": ("joined", True, False, [0, 1]),
    "an admin waives that: the twin": ("joined", False, True, [0, 0]),
}


@pytest.mark.torture
@pytest.mark.parametrize(("history", "opens", "waived", "epochs"), NEWCOMERS.values(), ids=NEWCOMERS)
async def test_newcomers_start_an_epoch_only_where_something_is_hidden_from_them(
    people: People, proxy: Proxy, tmp_path: Path, history: str, opens: bool, waived: bool, epochs: list[int]
) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear, waived=lambda room: waived):
        room = await room_of(lyra, ada, bo, history=history)
        await ada.says(room, "One")
        if opens:
            await ada.sets(room, "m.room.history_visibility", {"history_visibility": "shared"})
        await ada.invites(room, cy.user)
        await cy.joins(room)
        await ada.says(room, "Two")
        await ear.heard(Message, 2)
    assert [one.place.epoch for one in ear.of(Message)] == epochs


async def test_who_came_while_she_was_out_starts_an_epoch_when_she_is_back(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear) as adapter:
        room = await room_of(lyra, ada, bo, history="joined")
        await ada.says(room, "One")
        await ear.heard(Message)
        await ada.kicks(room, lyra.user)
        await ada.invites(room, cy.user)
        await cy.joins(room)
        await ada.invites(room, lyra.user)
        await place_of(adapter, ear, room, lambda place: place.epoch == 1)


async def test_an_end_between_the_notes_and_the_commit_counts_nobody_twice(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo, history="joined")
        await ada.says(room, "One")
        await ear.heard(Message)
        kept = dict(ear.kept)
        ear.go.clear()
        await ada.says(room, "Two")
        await ada.invites(room, cy.user)
        await cy.joins(room)
        await ada.says(room, "Three")
    before, known = Ear(cursors=kept), dict(lyra.notes.values)
    before.go.clear()
    adapter = adapter_for(lyra)
    async with running(adapter, before):
        await before.pulse.until(lambda: before.times_ready, "a connection")
    assert lyra.notes.values != known
    async with listening(lyra, again := Ear(cursors=kept)):
        await again.heard(Message, 2)
    assert [(one.text, one.place.epoch) for one in again.of(Message)] == [("Two", 0), ("Three", 1)]


class _Narrow(Matrix):
    at_once = 5


@pytest.mark.torture
async def test_who_came_in_the_middle_of_what_she_missed_parts_it_in_two(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear):
        room, private = await room_of(lyra, ada, bo, history="joined"), await dm(lyra, ada)
        await ada.says(room, "Hello")
        await ada.says(private, "Hello")
        await ear.heard(Message, 2)
    for number in range(20):
        for here in (room, private):
            await ada.says(here, f"{number}")
            if number == 4:
                await ada.invites(here, cy.user)
                await cy.joins(here)
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 40)
    readers = {here: [one.place for one in again.of(Message) if one.place.channel == here] for here in (room, private)}
    assert [one.epoch for one in readers[room]] == [0] * 5 + [1] * 15
    assert [one.reach for one in readers[private]] == [Reach.DIRECT] * 5 + [Reach.ROOM] * 15


class _Settled(Rooms):
    """Goes on with what it knew while something changes."""

    def unsettle(self, room_ids: object) -> None:
        pass


class _Careless(Matrix):
    rooms = _Settled


@pytest.mark.torture
@pytest.mark.parametrize(("kind", "known"), [(Matrix, False), (_Careless, True)], ids=["guarded", "the twin"])
async def test_while_it_is_read_what_changed_in_a_room_its_readers_are_not_known(
    people: People, proxy: Proxy, tmp_path: Path, kind: type[Matrix], known: bool
) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        room = await dm(lyra, ada)
        old = await ada.says(room, "Hello")
        place = (await ear.heard(Message)).place
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=kind) as adapter:
        sync, event = Held(before=True), Held(before=True)
        await proxy.waiting(SYNC)
        proxy.faults.script(SYNC, sync)
        proxy.faults.always("GET /rooms/*/event/*", event)
        await ada.says(room, "By the way")
        await sync.reached.wait()
        await ada.invites(room, bo.user)
        await ada.says(room, "Bo is coming", reply_to=old)
        sync.go.set()
        await event.reached.wait()
        assert await adapter.locate(place) == (place if known else None)
        event.go.set()
        await place_of(adapter, again, room, lambda place: place.epoch == 1)


@pytest.mark.parametrize(("complete", "newcomer", "epoch"), [(True, False, 0), (True, True, 1), (False, False, 1)])
def test_who_came_without_a_word_in_the_timeline_starts_an_epoch_too(complete: bool, newcomer: bool, epoch: int) -> None:
    """A homeserver may tell of them in the state alone, or have more to tell than is read."""
    hidden = {"type": "m.room.history_visibility", "state_key": "", "content": {"history_visibility": "joined"}}
    room = Room("!room", "@lyra", None, lambda room: False, lambda room: False)
    room.begin(State([hidden, *_inside("@lyra", "@ada", "@bo")]), complete=True)
    room.begin(State([hidden, *_inside("@lyra", "@ada", "@bo", *["@cy"][:newcomer])]), complete=complete)
    assert room.place().epoch == epoch


def _inside(*users: str) -> list[dict[str, Any]]:
    return [{"type": "m.room.member", "state_key": user, "content": {"membership": "join"}} for user in users]


@pytest.mark.torture
async def test_a_room_that_was_encrypted_once_counts_as_such(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear) as adapter:
        room = await dm(lyra, ada, encrypted=True)
        await place_of(adapter, ear, room)
    record = lyra.notes.values[f"room {room}"]["is"]
    assert record["encrypted"] and _said_without_state(lyra, room, None) is Reach.DIRECT
    assert _said_without_state(lyra, room, RoomRecord.from_note(record)) is Reach.ROOM


def _said_without_state(lyra: Home, room: str, record: RoomRecord | None) -> Reach:
    """Return who reads a room of two that a homeserver shows without its encryption."""
    shown = Room(room, lyra.user, record, lambda room: False, lambda room: False)
    shown.begin(State(_inside(lyra.user, "@ada")), complete=True)
    return shown.place().reach
