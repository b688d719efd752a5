"""All of Lyra in encrypted rooms: what she cannot read, what nobody else can, and whose device she is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from memory.types import DomainKind
from tests.fakes.matrix import Event, People, Synapse
from tests.fakes.matrix.faults import SEND
from tests.kits.given_time import pass_there
from tests.kits.matrix_knowing import Ahead, Liar, Town, town_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

HOURS = 3_600_000_000
SECRET = "my locker number is 7741"


@pytest.fixture
async def liar(synapse: Synapse) -> AsyncIterator[Liar]:
    async with Liar(synapse.url) as liar:
        yield liar


@pytest.fixture
async def town(people: People, liar: Liar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with town_of(people, liar, tmp_path, monkeypatch) as town:
        yield town


def in_the_clear(town: Town) -> bool:
    """Whether the homeserver could read the secret in something that Lyra sent."""
    return any(SECRET.encode() in call.raw for call in town.home.proxy.requests)


def loses_her_keys(town: Town) -> None:
    """Lose the folder of the device's keys, as after moving to another machine."""
    found = list((town.home.path / "matrix").iterdir())
    assert found
    for one in found:
        one.unlink()


async def conversation(town: Town, who: str, room: str) -> list[Event]:
    """Return Lyra's part of a conversation, without her introduction."""
    return [one for one in await town.home.said(await town.person(who), room) if "Hello, I am Lyra" not in one.body]


# What nobody else can read


async def test_what_is_said_in_an_encrypted_room_is_readable_there_alone(town: Town) -> None:
    async with town.lyra():
        room = await town.room("crypt", "ada", "bob", encrypted=True)
        answer = await town.asks("ada", room, SECRET)
        assert SECRET in (await (await town.person("bob")).hears(room, lambda event: event.id == answer.id)).body
        assert await town.tells("ada", room, "!recall locker")
        assert not in_the_clear(town)


@pytest.mark.torture
@pytest.mark.parametrize("content", few([{}, {"algorithm": "none"}]), ids=str)
async def test_an_admin_who_spoils_the_encryption_makes_her_say_nothing_in_plain_words(
    town: Town, content: dict[str, object]
) -> None:
    ada = await town.person("ada")
    async with town.lyra():
        room = await town.room("crypt", "ada", "bob", encrypted=True)
        await ada.sets(room, "m.room.encryption", content)
        assert (await town.asks("ada", room, SECRET)).encrypted
    async with town.lyra():
        assert (await town.asks("ada", room, SECRET)).encrypted
    assert not in_the_clear(town)


class _Forgetful(Rooms):
    async def meet(self, room_id: str, since: str) -> Room:
        known = self.peek(room_id)
        return known or Room(room_id, str(self._client.user_id), None, self.waived, lambda room: False)


class _Trusting(Matrix):
    """Takes the homeserver's word for what is encrypted."""

    rooms = _Forgetful


@pytest.mark.parametrize("matrix", [Matrix, _Trusting], ids=["guarded", "unguarded"])
async def test_a_homeserver_that_lies_about_encryption_learns_nothing(town: Town, liar: Liar, matrix: type[Matrix]) -> None:
    async with town.lyra(kind=matrix):
        room = await town.dm("ada", encrypted=True)
        await town.asks("ada", room, "hello")
    liar.lies = True
    loses_her_keys(town)
    async with town.lyra(kind=matrix):
        answer = await town.asks("ada", room, SECRET)
    assert answer.encrypted is (matrix is Matrix)
    assert in_the_clear(town) is (matrix is _Trusting)


# What she cannot read


@pytest.mark.torture
async def test_keys_that_are_withheld_are_explained_once_and_nothing_is_made_up(town: Town) -> None:
    ada = await town.person("ada")
    assert ada.keys
    async with town.lyra() as lyra:
        room = await town.dm("ada", encrypted=True)
        ada.keys.refused.add(town.home.user)
        await ada.says(room, "guess what")
        told = await ada.hears(room, lambda event: event.kind == "m.notice" and event.sender == town.home.user)
        assert told.encrypted
        assert told.body.startswith(
            "I cannot read what you just wrote, because your app was told to share no keys with my device"
        )
        await ada.says(room, "guess what else")
        await town.caught_up()
        assert [one.id for one in await conversation(town, "ada", room)] == [told.id]
        assert not lyra.chats
        ada.keys.refused.clear()
        assert (await town.asks("ada", room, SECRET)).body == f"You said: {SECRET}"


@pytest.mark.torture
async def test_a_message_whose_key_is_late_is_answered_when_it_comes(town: Town) -> None:
    ada = await town.person("ada")
    assert ada.keys
    async with town.lyra(keys=0.2):
        room = await town.dm("ada", encrypted=True)
        ada.keys.late = True
        await ada.says(room, SECRET)
        told = await ada.hears(room, lambda event: event.kind == "m.notice" and event.sender == town.home.user)
        assert "its key has not reached me" in told.body
        second = await ada.says(room, "and it is green")
        await town.caught_up()
        await ada.keys.hand_over()
        assert (await town.home.answer(ada, room, second)).body == f"You said: {SECRET}\nand it is green"
        notices = [one for one in await conversation(town, "ada", room) if one.kind == "m.notice"]
        assert [one.id for one in notices] == [told.id], "it is said once"


@pytest.mark.torture
@pytest.mark.parametrize("hours", [0, 2], ids=["fresh", "stale"])
async def test_what_is_read_too_late_is_kept_and_not_answered_any_more(
    town: Town, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    pass_there(monkeypatch)
    ada, clock = await town.person("ada"), Ahead()
    assert ada.keys
    async with town.lyra(clock=clock) as lyra:
        room = await town.dm("ada", encrypted=True)
        ada.keys.late = True
        said = await ada.says(room, SECRET)
        await ada.hears_aside("m.room_key_request", town.home.user)
        clock.microseconds = hours * HOURS
        await ada.keys.hand_over()
        if not hours:
            assert (await town.home.answer(ada, room, said)).body == f"You said: {SECRET}"
            return
        told = await town.asks("ada", room, "!status")
        late, last = await conversation(town, "ada", room)
        assert (late.kind, last.id) == ("m.notice", told.id), "one line says that it is too late"
        assert SECRET in await lyra.kept(DomainKind.ROOM, room)


# Whose device she is


@pytest.mark.torture
async def test_her_device_is_vouched_for_from_the_first_start_on_and_stays_the_same(town: Town) -> None:
    ada = await town.person("ada")
    async with town.lyra() as lyra:
        first = await ada.keys_of(town.home.user)
        assert "new device" not in lyra.adapter.describe()
    async with town.lyra():
        again = await ada.keys_of(town.home.user)
    [device] = first.devices
    assert first.identity and first.sound(device) and first.signed(device)
    assert (list(again.devices), again.identity, again.signed(device)) == ([device], first.identity, True)


@pytest.mark.torture
async def test_without_her_keys_she_is_a_new_device_that_says_so_and_is_vouched_for(town: Town) -> None:
    ada = await town.person("ada")
    assert ada.keys
    async with town.lyra():
        room = await town.dm("ada", encrypted=True)
        await town.asks("ada", room, "hello")
        first = await ada.keys_of(town.home.user)
    loses_her_keys(town)
    async with town.lyra() as lyra:
        again = await ada.keys_of(town.home.user)
        [device], [old] = again.devices, first.devices
        assert f"Lyra is a new device now, {device}" in lyra.adapter.describe()
        assert device != old and again.signed(device) and again.identity == first.identity
        ada.keys.signed_only = True
        assert (await town.asks("ada", room, SECRET)).body == f"You said: {SECRET}"
        assert "new device" in (await town.asks("ada", room, "!status")).body


@pytest.mark.torture
async def test_a_client_that_excludes_unsigned_devices_talks_with_her(town: Town) -> None:
    ada = await town.person("ada")
    assert ada.keys
    ada.keys.signed_only = True
    async with town.lyra():
        answer = await town.asks("ada", await town.dm("ada", encrypted=True), SECRET)
    assert (answer.body, answer.trouble) == (f"You said: {SECRET}", "")


@pytest.mark.torture
async def test_every_device_of_a_person_reads_her(town: Town, people: People) -> None:
    ada = await town.person("ada")
    async with town.lyra():
        room = await town.dm("ada", encrypted=True)
        await town.asks("ada", room, "hello")
        phone = await people.second_device(ada)
        said = await phone.says(room, SECRET)
        for device in (phone, ada):
            assert (await town.home.answer(device, room, said)).body == f"You said: {SECRET}"
        later = await town.asks("ada", room, "and now?")
        assert (await phone.hears(room, lambda event: event.id == later.id)).body == "You said: and now?"
    assert all("m.room.encrypted" in call.path for call in town.home.proxy.calls(SEND))
