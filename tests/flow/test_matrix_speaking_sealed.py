"""What Lyra says in encrypted rooms: everyone there can read it, and the homeserver cannot, ever."""

import asyncio

import pytest

from adapters.errors import SendFailed
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Lost, People, Person, Status
from tests.fakes.matrix.faults import SEND, TO_DEVICE
from tests.fakes.pulse import PATIENCE
from tests.kits.matrix_speech import Desk, Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

SECRET = "the code is 1234"
CLAIM = "POST /keys/claim"


def leaks(it: Desk) -> bool:
    """Whether the secret went over the wire in the clear."""
    return any(SECRET.encode() in call.raw for call in it.proxy.requests)


class Trusting(Wire):
    """Leaves it to nio whether a room is encrypted."""

    async def _is_encrypted(self, room: str) -> bool:
        return False


async def test_the_homeserver_sees_only_ciphertext(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        question = await ada.says(room, "the code?")
        sent = await it.sender.send(part(room, SECRET, answers=question))
        await it.sender.send(part(room, f"{SECRET}!", operation="edit", target=sent))
        assert (await ada.hears(room, lambda event: event.replaces == sent)).body == f"{SECRET}!"
        assert not leaks(it) and all("m.room.encrypted" in call.path for call in it.proxy.calls(SEND))


@pytest.mark.parametrize("wire", [Wire, Trusting])
async def test_a_room_that_nio_takes_for_open_is_not(town: Town, ada: Person, wire: type[Wire]) -> None:
    async with town.beside(ada, encrypted=True, wire=wire) as (it, room):
        it.client.rooms[room].encrypted = False
        await it.sender.send(part(room, SECRET))
        await ada.hears_text(room, SECRET)
        assert leaks(it) is (wire is Trusting)


@pytest.mark.parametrize("wire", [Wire, Trusting])
async def test_nothing_is_said_where_it_is_not_known_who_reads_it(town: Town, ada: Person, wire: type[Wire]) -> None:
    async with town.beside(ada, wire=wire) as (it, room):
        it.rooms.unsettle([room])
        if wire is Trusting:
            await it.sender.send(part(room, SECRET))
        else:
            assert "not known" in await it.delayed(part(room, SECRET))
        assert leaks(it) is (wire is Trusting)


@pytest.mark.torture
async def test_a_room_that_nio_does_not_know_waits(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        del it.client.rooms[room]
        await it.delayed(part(room, SECRET))
        assert not leaks(it)


@pytest.mark.torture
async def test_a_room_whose_encryption_was_spoilt_stays_encrypted(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        await ada.sets(room, "m.room.encryption", {"algorithm": "none"})
        await ada.sets(room, "m.room.name", {"name": "spoilt"})
        await it.knows(room, lambda: it.client.rooms[room].name == "spoilt")
    async with town.desk() as it:
        await it.knows(room)
        sent = await it.sender.send(part(room, SECRET))
        assert (await ada.hears(room, lambda event: event.id == sent)).encrypted and not leaks(it)


async def test_encryption_that_is_turned_on_is_kept_to_at_once(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        await it.sender.send(part(room, "open"))
        await ada.encrypts(room)
        await it.knows(room, lambda: bool(it.rooms.place(room).encrypted))  # type: ignore[union-attr]
        await it.sender.send(part(room, SECRET))
        assert (await ada.hears_text(room, SECRET)).encrypted and not leaks(it)


@pytest.mark.torture
@pytest.mark.parametrize("wire", [Wire, Trusting])
async def test_encryption_that_no_sync_told_of_yet_is_kept_to(town: Town, ada: Person, wire: type[Wire]) -> None:
    async with town.beside(ada, wire=wire) as (it, room):
        it.proxy.faults.always("GET /sync", Status(502))
        it.proxy.cut("GET /sync")
        await ada.encrypts(room)
        sending = part(room, SECRET)
        if wire is Trusting:
            await it.sender.send(sending)
        else:
            await it.delayed(sending)
            it.proxy.faults.lift()
            await it.knows(room, lambda: bool(it.rooms.place(room).encrypted))  # type: ignore[union-attr]
            await it.sender.send(sending)
            assert (await ada.hears_text(room, SECRET)).encrypted
        assert leaks(it) is (wire is Trusting)


@pytest.mark.torture
async def test_without_keys_it_waits(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        olm, it.client.olm = it.client.olm, None
        try:
            assert "keys" in await it.delayed(part(room, SECRET))
        finally:
            it.client.olm = olm
        assert not leaks(it)


async def test_a_new_device_reads_what_comes_after_it(people: People, town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        await it.sender.send(part(room, "one"))
        phone = await people.second_device(ada)
        await it.ears.pulse.until(lambda: phone.device in it.client.device_store[ada.user], "the phone's keys")
        await it.sender.send(part(room, "two"))
        await phone.hears_text(room, "two")


@pytest.mark.torture
async def test_answers_in_many_threads_at_once_are_all_read(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        roots = [await ada.says(room, f"thread {number}") for number in range(5)]
        await asyncio.gather(*(it.sender.send(part(room, f"in {root}", thread=root, answers=root)) for root in roots))
        for root in roots:
            assert (await ada.hears_text(room, f"in {root}")).thread == root


@pytest.mark.torture
async def test_keys_that_could_not_be_asked_for_are_asked_for_again(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        it.proxy.faults.always(CLAIM, Lost(accepted=False))
        sending = part(room, SECRET)
        await it.delayed(sending)
        it.proxy.faults.lift()
        async with asyncio.timeout(PATIENCE):
            await it.sender.send(sending)
        await ada.hears_text(room, SECRET)


@pytest.mark.torture
async def test_without_that_nio_would_never_say_anything_in_the_room_again(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True, wire=Trusting) as (it, room):
        it.proxy.faults.always(CLAIM, Lost(accepted=False))
        sending = part(room, SECRET)
        await it.delayed(sending)
        it.proxy.faults.lift()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await it.client.room_send(room, "m.room.message", {"msgtype": "m.text", "body": SECRET})


@pytest.mark.parametrize("fault", [Status(500), Lost(accepted=False)])
async def test_nothing_is_said_before_everyone_has_the_key(town: Town, ada: Person, fault: Status | Lost) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        it.proxy.faults.always(TO_DEVICE, fault)
        sending = part(room, SECRET)
        assert "key" in await it.delayed(sending)
        assert it.proxy.calls(SEND) == []
        it.proxy.faults.lift()
        await it.sender.send(sending)
        await ada.hears_text(room, SECRET)


@pytest.mark.torture
async def test_without_that_nobody_could_read_it(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True, wire=Trusting) as (it, room):
        it.proxy.faults.always(TO_DEVICE, Status(500))
        sent = await it.sender.send(part(room, SECRET))
        assert (await ada.hears(room, lambda event: event.id == sent)).trouble == "no key"


@pytest.mark.torture
async def test_what_is_to_go_to_a_room_that_she_is_out_of_waits_until_she_is_let_in_again(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        await ada.kicks(room, it.user)
        await ada.says(room, "gone")
        with pytest.raises(SendFailed, match="invite her") as failed:
            await it.sender.send(part(room, SECRET))
        assert not failed.value.final and not leaks(it)
