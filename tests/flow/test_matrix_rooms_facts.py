"""What is said of rooms: their names, who rules them, who can read them."""

from pathlib import Path
from typing import Any

import pytest

from adapters.errors import PlaceGone
from adapters.events import Message, Reach, Renamed, ServerJoined
from adapters.matrix.incoming import scrollback
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.state import State
from tests.fakes.matrix import People, Proxy
from tests.fakes.matrix.faults import MESSAGES
from tests.kits.adapter_kit import room_circle
from tests.kits.matrix_kit import Ear, dm, home, listening, place_of, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


async def test_a_room_that_put_her_out_is_gone(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()) as adapter:
        room = await room_of(lyra, ada, bo)
        await ada.says(room, "Hello")
        place = (await ear.heard(Message)).place
        heard = len(ear.batches)
        await ada.kicks(room, lyra.user)
        await ear.pulse.until(lambda: len(ear.batches) > heard, "the news")
        with pytest.raises(PlaceGone, match="invite her again"):
            await adapter.locate(place)
        assert await adapter.readable_circles(ear.of(Message)[0].person, [room_circle(room)]) == set()
    async with listening(lyra, Ear(cursors=ear.kept)) as adapter:
        with pytest.raises(PlaceGone):
            await adapter.locate_key(place.key)


@pytest.mark.torture
async def test_a_room_is_called_by_its_new_name(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        room = await room_of(lyra, ada, bo, name="Garden")
        await ada.says(room, "Hello", thread=await ada.says(room, "Root"))
        await ear.heard(Message, 2)
        await ada.sets(room, "m.room.name", {"name": "Orchard"})
        renamed = await ear.heard(Renamed, 2)
    main, thread = ear.of(Renamed)
    assert (main.before, main.place.name, main.place.thread) == ("Garden", "Orchard", "")
    assert thread == renamed and thread.before == ear.of(Message)[1].place.name and thread.place.name.startswith("Orchard: ")


async def test_rooms_without_a_name_are_called_after_those_who_are_there(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo, name="")
        await ada.says(room, "Hello")
        assert (await ear.heard(Message)).place.name == "Ada and Bo"
        await ada.invites(room, cy.user)
        assert (await ear.heard(Renamed)).place.name == "Ada, Bo and 1 other"


@pytest.mark.torture
async def test_she_says_who_she_is_in_a_room_of_several_and_not_in_a_dm(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        await dm(lyra, ada)
        room = await room_of(lyra, ada, bo)
        joined = await ear.heard(ServerJoined)
        await ada.says(room, "Hello")
        await ear.heard(Message)
    assert [(one.place.channel, one.place.reach) for one in ear.of(ServerJoined)] == [(room, Reach.ROOM)] and joined.id
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await ada.says(room, "Hello again")
        await again.heard(Message)
    assert not again.of(ServerJoined)


async def test_who_may_change_a_room_rules_it(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    for version in ("12", "10"):
        async with listening(lyra, ear, invites="anyone") as adapter:
            room = await room_of(lyra, ada, bo, cy, version=version, levels={"users_default": 0})
            await ada.sets_power(room, cy.user, 50)
            for one in (ada, bo, cy):
                await one.says(room, version)
            await ear.heard(Message, 3)
            place = ear.of(Message)[-1].place
            rules = {one.person.name: await adapter.administers(one.person, place) for one in ear.of(Message)[-3:]}
        ear = Ear(cursors=ear.kept)
        assert rules == {"Ada": True, "Bo": False, "Cy": True}


async def test_what_somebody_can_read_is_known_for_sure(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    async with listening(lyra, ear) as adapter:
        shared = await room_of(lyra, ada, bo, history="shared")
        hidden = await room_of(lyra, ada, bo, history="joined")
        others = await room_of(lyra, bo)
        sealed = await dm(lyra, ada, encrypted=True)
        crowd = await room_of(lyra, ada, bo, encrypted=True)
        await ada.says(shared, "Hello")
        person = (await ear.heard(Message)).person
        circles = [*map(room_circle, (shared, hidden, others, sealed, crowd, "!unknown"))]
        await place_of(adapter, ear, crowd)
        assert await adapter.readable_circles(person, circles) == {*map(room_circle, (shared, hidden, sealed, crowd))}
        assert await adapter.encrypted_circles(circles) == {*map(room_circle, (sealed, crowd, "!unknown"))}
        for room in (hidden, crowd):
            await ada.invites(room, cy.user)
            await cy.joins(room)
            await place_of(adapter, ear, room, lambda place: place.epoch == 1)
        assert await adapter.readable_circles(person, circles) == {*map(room_circle, (shared, sealed))}
        assert [await adapter.belongs(person, [one]) for one in circles] == [True, True, False, True, True, False]
        await ada.leaves(shared)
        await place_of(adapter, ear, shared, lambda place: place.alone == bo.user)
        assert await adapter.readable_circles(person, circles) == {room_circle(sealed)}
        assert not await adapter.belongs(person, [room_circle(shared)])


ADA, BO = "@ada:lyra.test", "@bo:lyra.test"


@pytest.mark.parametrize(
    ("version", "levels", "administrators"),
    [
        ("10", None, {ADA}),
        ("10", {"users": {ADA: 100, BO: 49}}, {ADA}),
        ("10", {"users": {ADA: "100", BO: "50"}}, {ADA, BO}),
        ("10", {"users": {ADA: 0, BO: 50}}, {BO}),
        ("10", {"users": {ADA: 50}, "state_default": 60}, set()),
        ("10", {"users": {}, "state_default": 0}, set()),
        ("10", {"users": {BO: True}, "users_default": "x"}, set()),
        ("12", {"users": {}}, {ADA}),
        ("12", {"users": {BO: 50}, "state_default": 1000}, {ADA}),
        ("later", {"users": {BO: 50}}, {BO}),
    ],
)
def test_power_is_read_as_each_version_of_rooms_means_it(version: str, levels: Any, administrators: set[str]) -> None:
    made = {"type": "m.room.create", "state_key": "", "sender": ADA, "content": {"room_version": version}}
    power = {"type": "m.room.power_levels", "state_key": "", "sender": ADA, "content": levels}
    state = State([made, *([power] if levels else [])])
    assert {user for user in (ADA, BO) if state.rules(user)} == administrators


@pytest.mark.parametrize("user", ["@\n:evil.test", "@\u200b\nAda\n:evil.test", "@:evil.test", ""], ids=repr)
def test_whoever_has_no_name_that_can_be_seen_has_one_line_all_the_same(user: str) -> None:
    name = Room("!room", "@lyra", None, lambda room: False, lambda room: False).person(user).name
    assert name.strip() and name.isprintable()


async def test_of_former_names_only_what_is_new_is_read_again(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrollback, "_FIRST_PAGE", 2)
    monkeypatch.setattr(scrollback, "_LARGEST_PAGE", 2)
    lyra, ada, bo, ear = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo"), Ear()
    async with listening(lyra, ear) as adapter:
        room = await room_of(lyra, ada, bo, name="")
        for name in ("Queen", "Duke", "Adele", "Eve"):
            await ada.sets(room, "m.room.member", {"membership": "join", "displayname": name}, ada.user)
        place = await place_of(adapter, ear, room, lambda place: "Eve" in place.name)
        names = [one.name for one in await adapter.past_member_names(place) if one.id == ada.user]
        read = len(proxy.calls(MESSAGES))
        await ada.sets(room, "m.room.member", {"membership": "join", "displayname": "Ada again"}, ada.user)
        place = await place_of(adapter, ear, room, lambda place: "Ada again" in place.name)
        again = [one.name for one in await adapter.past_member_names(place) if one.id == ada.user]
    assert names == ["Ada", "Queen", "Duke", "Adele", "Eve"] and again == [*names, "Ada again"]
    assert read > 3 and len(proxy.calls(MESSAGES)) == read + 1
