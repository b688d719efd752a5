"""The rooms that Lyra goes into, and those that she leaves alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.events import Message, Reach, ServerJoined
from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.event import RoomEvent, word
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.room import Room
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.matrix.faults import Held, RateLimit, Status
from tests.kits.adapter_kit import room_circle
from tests.kits.matrix_kit import Ear, Home, dm, home, listening, place_of, room_of, sees_inside

pytest_plugins = ["tests.fakes.matrix.fixtures"]

JOIN = "POST /join/*"


async def test_she_follows_those_who_may_invite_her(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, eve = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve")
    async with listening(lyra, ear := Ear(), invites=frozenset({ada.user})):
        hers = await eve.creates("Trap", invite=[lyra.user])
        await dm(lyra, ada)
        assert lyra.user in await eve.members(hers, "invite")
    # The invitation is not refused, and can be followed when that is allowed.
    async with listening(lyra, Ear(cursors=ear.kept), invites=frozenset({ada.user, eve.user})):
        await sees_inside(eve, hers, lyra.user)


@pytest.mark.parametrize(("invites", "joins"), [("off", False), ("anyone", True)])
async def test_all_or_none_may_invite_her(people: People, proxy: Proxy, tmp_path: Path, invites: str, joins: bool) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    here = await people.together(ada, lyra.owner)
    async with listening(lyra, ear, invites=invites):
        room = await ada.opens_dm(lyra.user)
        if joins:
            await sees_inside(ada, room, lyra.user)
        else:
            await ada.says(here, "Coming?")
            await ear.heard(Message)
            assert lyra.user in await ada.members(room, "invite") and not proxy.calls(JOIN)


async def test_spaces_are_left_alone(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear):
        space = await ada.creates("All", space=True, invite=[lyra.user])
        await dm(lyra, ada)
        assert lyra.user in await ada.members(space, "invite")


class _Blind(Invitations):
    """Does not see what an invitation shows of its room."""

    def invited(self, stripped: Mapping[str, Any], *, quiet: bool) -> None:
        shown = {room: [one for one in state if one["type"] == "m.room.member"] for room, state in stripped.items()}
        super().invited(shown, quiet=quiet)


class _Stumbling(Matrix):
    invitations = _Blind


@pytest.mark.torture
async def test_a_space_that_does_not_say_so_is_left_again(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin, too: it is what the invitation shows that keeps her out."""
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear, kind=_Stumbling):
        space = await ada.creates("All", space=True, invite=[lyra.user])
        await sees_inside(ada, space, lyra.user)
        await ada.hears(space, lambda event: event.state_key == lyra.user and event.content["membership"] == "leave")
    assert not ear.of(ServerJoined)


async def test_an_invitation_outlives_what_goes_wrong_on_the_way_in(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    proxy.faults.script(JOIN, Status(502), RateLimit())
    async with listening(lyra, ear):
        await dm(lyra, ada)
    assert lyra.clock.waits == [1, 2]


async def test_a_room_that_cannot_be_entered_keeps_her_out_of_no_other(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear):
        dead = await ada.creates("A server that is away")
        proxy.faults.always(f"POST /join/{dead}", Status(502))
        await ada.invites(dead, lyra.user)
        await proxy.heard(f"POST /join/{dead}")
        await dm(lyra, ada)
        proxy.faults.lift()
        await sees_inside(ada, dead, lyra.user)
    assert {one.query["via"] for one in proxy.calls(JOIN)} == {lyra.user.partition(":")[2]}


async def test_an_invitation_that_comes_while_she_is_turned_away_is_followed(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, held = await home(people, proxy, tmp_path), await people.person("ada"), Held()
    async with listening(lyra, Ear()):
        old = await room_of(lyra, ada)
        proxy.faults.script(JOIN, held)
        new = await ada.upgrades(old, "12")
        await held.reached.wait()
        heard = len(proxy.calls("GET /sync"))
        await ada.invites(new, lyra.user)
        # A sync that began already tells of the invitation, and the one after it would wait half a minute for anything.
        await ada.says(old, "Come with us")
        await proxy.heard("GET /sync", heard + 1)
        held.go.set()
        await sees_inside(ada, new, lyra.user)


@pytest.mark.torture
async def test_an_invitation_that_was_not_followed_before_the_end_is_followed_at_the_next_start(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear):
        proxy.faults.always(JOIN, Status(502))
        room = await ada.opens_dm(lyra.user)
        await proxy.heard(JOIN, 2)
    proxy.faults.lift()
    async with listening(lyra, Ear(cursors=ear.kept)):
        await sees_inside(ada, room, lyra.user)


async def test_who_put_her_out_and_asks_her_in_again_while_she_is_away_has_her_back(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    """One sync tells of both, and what is over is not the newer invitation."""
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    bob = await people.person("bob", listens=False)
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bob)
        await ada.says(room, "Hello", mentions=[lyra.user])
        await ear.heard(Message)
    await ada.kicks(room, lyra.user)
    await ada.invites(room, lyra.user)
    async with listening(lyra, later := Ear(cursors=ear.kept)):
        await later.heard(ServerJoined)


@pytest.mark.torture
async def test_an_encrypted_dm_is_known_as_one_before_anything_is_said(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear) as adapter:
        place = await place_of(adapter, ear, await dm(lyra, ada, encrypted=True))
    assert (place.reach, place.encrypted, place.alone) == (Reach.ROOM, True, ada.user)


# Rooms that move


@pytest.mark.torture
async def test_she_follows_a_room_to_its_new_version_and_keeps_the_old_one(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()) as adapter:
        old = await room_of(lyra, ada, bo, public=True, version="10")
        await ada.says(old, "Here")
        before = (await ear.heard(Message)).place
        new = await ada.upgrades(old, "12")
        await sees_inside(ada, new, lyra.user)
        await ada.says(new, "There, Lyra", mentions=[lyra.user])
        after = (await ear.heard(Message, 2)).place
        assert await adapter.locate(before) == before
        assert proxy.calls(f"POST /join/{new}")[0].query["via"] == ada.user.partition(":")[2]
    assert (after.channel, after.circle, after.name) == (new, room_circle(new), "Garden") and before.channel == old


@pytest.mark.torture
async def test_a_private_room_that_moved_is_followed_once_she_is_asked_in_whoever_may_invite_her(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        old = await room_of(lyra, ada, bo, version="10")
        await ada.says(old, "Here")
        await ear.heard(Message)
    async with listening(lyra, again := Ear(cursors=ear.kept), invites="off"):
        new = await ada.upgrades(old, "12")
        await proxy.heard(JOIN, 2)
        await ada.invites(new, lyra.user)
        await sees_inside(ada, new, lyra.user)
        other = await ada.creates("Other", invite=[lyra.user])
        await ada.says(new, "There")
        await again.heard(Message)
        assert lyra.user in await ada.members(other, "invite")


@pytest.mark.parametrize("named", [0, 1], ids=["the first is named", "the second is named"])
async def test_rooms_that_become_one_are_followed_there(people: People, proxy: Proxy, tmp_path: Path, named: int) -> None:
    """The new one can only name one of them."""
    lyra, ada = await home(people, proxy, tmp_path), await people.person("ada")
    async with listening(lyra, Ear()):
        old = [await room_of(lyra, ada, version="10") for _ in range(2)]
        new = await ada.creates("All", public=True, replaces=old[named])
        proxy.faults.always(JOIN, Status(502))
        for number, one in enumerate(old, 1):
            await ada.sets(one, "m.room.tombstone", {"body": "We moved", "replacement_room": new})
            await proxy.heard(f"POST /join/{new}", number)
        proxy.faults.lift()
        await sees_inside(ada, new, lyra.user)
        await ada.says(await dm(lyra, ada), "Are you there?")
        assert lyra.user in await ada.members(new)


async def test_a_new_room_that_names_no_old_one_keeps_her_if_she_was_asked_in(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada = await home(people, proxy, tmp_path), await people.person("ada")
    async with listening(lyra, Ear()):
        old, new = await room_of(lyra, ada), await ada.creates("New")
        await ada.sets(old, "m.room.tombstone", {"body": "We moved", "replacement_room": new})
        await proxy.heard(f"POST /join/{new}")
        await ada.invites(new, lyra.user)
        await sees_inside(ada, new, lyra.user)
        await dm(lyra, ada)
        assert lyra.user in await ada.members(new)


async def test_an_ordinary_member_sends_her_nowhere(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, eve = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve")
    async with listening(lyra, ear := Ear()):
        room, trap = await _trap(lyra, ada, eve)
        before = len(proxy.calls(JOIN))
        await eve.sets(room, "m.room.tombstone", {"body": "We moved", "replacement_room": trap})
        await ada.says(room, "Did we?")
        await ear.heard(Message)
        await ada.says(await dm(lyra, ada), "No.")
        await ear.heard(Message, 2)
    assert lyra.user not in await eve.members(trap) and len(proxy.calls(JOIN)) == before + 1


class _Obedient(Invitations):
    """Follows whoever says so."""

    def moved(self, room: Room, tombstone: RoomEvent) -> None:
        self._moves[word(tombstone.content, "replacement_room")] = {room.id: ""}
        self._changed = True


class _Led(Matrix):
    invitations = _Obedient


class _Naive(_Obedient):
    """Stays wherever it came."""

    def entered(self, room: Room) -> bool:
        return True


class _Lost(Matrix):
    invitations = _Naive


@pytest.mark.torture
async def test_a_room_that_does_not_name_the_old_one_is_left_again(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin of the guard above, too: without it she goes there."""
    lyra, ada, eve = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve")
    async with listening(lyra, ear := Ear(), kind=_Led):
        room, trap = await _trap(lyra, ada, eve)
        await eve.sets(room, "m.room.tombstone", {"body": "We moved", "replacement_room": trap})
        await sees_inside(eve, trap, lyra.user)
        await eve.hears(trap, lambda event: event.state_key == lyra.user and event.content["membership"] == "leave")
    assert trap not in {one.place.channel for one in ear.of(ServerJoined)}


@pytest.mark.torture
async def test_without_looking_at_its_predecessor_she_would_stay(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin."""
    lyra, ada, eve = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve")
    async with listening(lyra, ear := Ear(), kind=_Lost):
        room, trap = await _trap(lyra, ada, eve)
        await eve.sets(room, "m.room.tombstone", {"body": "We moved", "replacement_room": trap})
        await sees_inside(eve, trap, lyra.user)
        await eve.says(trap, "Got you")
        await ear.heard(Message)


async def _trap(lyra: Home, ada: Person, eve: Person) -> tuple[str, str]:
    """Return a room where everybody may send everybody to another one, and a room of somebody who would like that."""
    room = await room_of(lyra, ada, eve, levels={"events": {"m.room.tombstone": 0}})
    return room, await eve.creates("Trap", public=True)
