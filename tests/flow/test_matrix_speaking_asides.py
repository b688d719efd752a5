"""The DM where a person alone reads what they are told: made once, found again, and never one that others are in."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from adapters.errors import PlatformFailure
from adapters.events import Person as Someone
from adapters.matrix.homeserver import put_account_data
from adapters.matrix.rooms import direct
from adapters.matrix.rooms.direct import DirectRooms
from tests.fakes.matrix import Held, Lost, Person, Refuse
from tests.kits.matrix_speech import Desk, Town, beside, part
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

CREATE = "POST /createRoom"


def someone(person: Person) -> Someone:
    """Return a person as Lyra knows them."""
    return Someone("matrix", person.user, "Ada")


def asides(it: Desk, kind: type[DirectRooms] = DirectRooms) -> DirectRooms:
    """Return what finds and makes DMs; `kind` is one that lacks a guard, in a test of that guard."""
    return kind(it.client, it.rooms, it.notes)


class Hasty(DirectRooms):
    """Takes rooms that are changing for none."""

    async def _rest(self) -> None:
        return


async def listed(it: Desk, person: Person) -> Iterable[str]:
    """Return the rooms that Lyra's account lists as DMs with someone."""
    return list((await it.client.list_direct_rooms()).rooms.get(person.user, ()))


async def test_a_dm_is_made_where_there_is_none_and_read_there_alone(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        await beside(it, ada, bob)
        place = await asides(it).place(someone(ada))
        assert place == it.rooms.place(place.channel)
        assert (place.is_private, place.alone, place.encrypted) == (True, ada.user, True)
        await it.sender.send(part(place.channel, "For you alone."))
        await ada.accepts(place.channel)
        assert (await ada.hears_text(place.channel, "For you alone.")).encrypted
        assert await ada.members(place.channel) == {ada.user, it.user}
        assert await listed(it, ada) == [place.channel]


@pytest.mark.parametrize("wrong", few([None, "!other", {"!other": 1}, [1]]), ids=repr)
async def test_a_list_of_dms_that_another_client_spoilt_does_not_keep_her_from_it(town: Town, ada: Person, wrong: Any) -> None:
    async with town.desk() as it:
        await put_account_data(it.client, "m.direct", {ada.user: wrong})
        place = await asides(it).place(someone(ada))
        assert await listed(it, ada) == [place.channel]


@pytest.mark.torture
async def test_it_is_made_once(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        found = asides(it)
        first, second = await asyncio.gather(found.place(someone(ada)), found.place(someone(ada)))
        await ada.accepts(first.channel)
        assert first.channel == second.channel == (await asides(it).place(someone(ada))).channel
    async with town.desk() as it:
        await it.knows(first.channel, lambda: it.rooms.dm_of(ada.user) == first.channel)
        assert (await asides(it).place(someone(ada))).channel == first.channel
        assert len(it.proxy.calls(CREATE)) == 1


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_dm_that_the_person_opened_is_used(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, direct=True, encrypted=encrypted) as (it, room):
        place = await asides(it).place(someone(ada))
        assert (place.channel, place.encrypted) == (room, encrypted) and it.proxy.calls(CREATE) == []


async def test_a_dm_that_a_third_came_to_is_one_no_more(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        before = await asides(it).place(someone(ada))
        await ada.accepts(before.channel)
        await ada.invites(before.channel, bob.user)
        await it.knows(before.channel, lambda: it.rooms.place(before.channel).alone == "")  # type: ignore[union-attr]
        after = await asides(it).place(someone(ada))
        assert after.channel != before.channel and after.alone == ada.user
        assert await listed(it, ada) == [before.channel, after.channel]


@pytest.mark.torture
async def test_a_dm_that_the_person_left_is_one_no_more(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        before = await asides(it).place(someone(ada))
        await ada.is_invited(before.channel)
        await ada.leaves(before.channel)
        await it.knows(before.channel, lambda: it.rooms.place(before.channel).alone == "")  # type: ignore[union-attr]
        assert (await asides(it).place(someone(ada))).channel != before.channel


@pytest.mark.torture
async def test_a_dm_whose_readers_are_not_known_now_is_not_made_again(
    town: Town, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with town.desk() as it:
        place = await asides(it).place(someone(ada))
        monkeypatch.setattr(direct, "_RESTS_SECONDS", 0)
        it.rooms.unsettle([place.channel])
        with pytest.raises(PlatformFailure, match="ask again"):
            await asides(it).place(someone(ada))
        assert len(it.proxy.calls(CREATE)) == 1


@pytest.mark.torture
@pytest.mark.parametrize("kind", [DirectRooms, Hasty])
async def test_a_dm_that_changes_while_another_one_is_made_is_waited_for(
    town: Town, ada: Person, bob: Person, kind: type[DirectRooms]
) -> None:
    async with town.desk() as it:
        room, held, found = await beside(it, ada, direct=True), Held(), asides(it, kind)
        it.proxy.faults.script(CREATE, held)
        async with asyncio.TaskGroup() as group:
            bobs = group.create_task(found.place(someone(bob)))
            await held.reached.wait()
            adas = group.create_task(found.place(someone(ada)))
            it.rooms.unsettle([room])
            held.go.set()
            await bobs
            if kind is DirectRooms:
                assert not adas.done()
                await ada.sets(room, "m.room.topic", {"topic": "us"})
        assert (adas.result().channel == room) is (kind is DirectRooms)
        assert len(it.proxy.calls(CREATE)) == (1 if kind is DirectRooms else 2)


@pytest.mark.torture
async def test_what_must_be_encrypted_goes_to_no_other_dm(town: Town, ada: Person) -> None:
    async with town.beside(ada, direct=True) as (it, plain):
        made = await asides(it).place(someone(ada), encrypted=True)
        sealed = made.channel
        assert sealed != plain and made.encrypted
        assert (await asides(it).place(someone(ada), encrypted=True)).channel == sealed
        assert (await asides(it).place(someone(ada))).channel == plain
        await ada.accepts(sealed)
        await it.knows(sealed, lambda: it.rooms.dm_of(ada.user) == sealed)
        assert (await asides(it).place(someone(ada))).channel == sealed


async def test_a_lost_answer_makes_no_second_one(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        it.proxy.faults.script(CREATE, Lost())
        with pytest.raises(PlatformFailure):
            await asides(it).place(someone(ada))
        room = await ada.ears.until(lambda: next(iter(ada.ears.invites), None), "an invite")
        await it.knows(room, lambda: it.rooms.dm_of(ada.user) == room)
        assert (await asides(it).place(someone(ada))).channel == room
        assert len(it.proxy.calls(CREATE)) == 1


@pytest.mark.torture
async def test_where_she_may_make_none_the_person_hears_what_to_do(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        it.proxy.faults.script(CREATE, Refuse(403, "M_FORBIDDEN"))
        with pytest.raises(PlatformFailure, match="write to her in one first"):
            await asides(it).place(someone(ada))
