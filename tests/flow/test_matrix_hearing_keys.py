"""Messages that she cannot read at first, or at all."""

import json
import re
from pathlib import Path

import pytest

from adapters.events import Message, Reach, Unreadable
from adapters.matrix.incoming import undecrypted
from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_kit import Ear, dm, home, in_dm, listening, place_of, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
async def test_a_message_whose_key_is_late_is_heard_when_it_comes_with_its_own_time(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        assert ada.keys
        ada.keys.late = True
        said = await ada.says(room, "First")
        await ada.hears_aside("m.room_key_request", lyra.user)
        assert not ear.texts
        await ada.keys.hand_over()
        message = await ear.heard(Message)
        event = await ada.looks_at(room, said)
    assert (message.id, message.text, message.said_at) == (said, "First", event.raw["origin_server_ts"] * 1000)
    assert not ear.of(Unreadable)


async def test_a_late_key_is_waited_for_over_a_restart(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        assert ada.keys
        ada.keys.late = True
        said = await ada.says(room, "First", thread=await ada.says(room, "Root"))
        await ada.hears_aside("m.room_key_request", lyra.user)
    await ada.keys.hand_over()
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        message = await again.heard(Message, 2)
    assert (message.id, again.texts) == (said, ["Root", "First"]) and message.place.thread


async def test_a_key_that_does_not_come_is_told_of_once(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    assert ada.keys
    async with listening(lyra, ear, pace=lyra.clock.pace(keys=0.2)):
        room = await dm(lyra, ada, encrypted=True)
        ada.keys.late = True
        first = await ada.says(room, "First")
        told = await ear.heard(Unreadable)
        await ada.says(room, "Second")
        await ada.says(await dm(lyra, ada), "In plain words")
        await ear.heard(Message)
        assert (told.id, told.place.channel, told.person.id, len(ear.of(Unreadable))) == (first, room, ada.user, 1)
        assert "cannot read what you just wrote" in str(told.why) and str(told.why).endswith(".")
        await ada.keys.hand_over()
        await ear.heard(Message, 3)
    assert ear.texts == ["In plain words", "First", "Second"]


def sealed_by_nobody(session: str) -> dict[str, str]:
    """Return what any member can send, encrypted with a key that nobody has."""
    names = {"sender_key": "x" * 43, "device_id": "NONE", "session_id": session}
    return {"algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "x", **names}


@pytest.mark.parametrize("seconds", [3600.0, pytest.param(0.0, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_who_sends_many_messages_that_nobody_can_read_is_told_so_once_an_hour(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(undecrypted, "_QUIET_SECONDS", seconds)
    lyra, ada, eve, ear = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve"), Ear()
    pace = lyra.clock.pace(keys=0.0)
    async with listening(lyra, ear, pace=pace):
        room = await room_of(lyra, ada, eve, encrypted=True)
        for number in range(3):
            await eve.sends(room, "m.room.encrypted", sealed_by_nobody(f"{number:043}"), plain=True)
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "Hello"}, plain=True)
        await ear.heard(Message)
        assert [one.person.id for one in ear.of(Unreadable)] == [eve.user] * (1 if seconds else 3)
        lyra.clock.ahead += 3601.0
        await eve.sends(room, "m.room.encrypted", sealed_by_nobody(f"{3:043}"), plain=True)
        await ear.heard(Unreadable, 2 if seconds else 4)


@pytest.mark.parametrize(
    "id", ["[A-Za-z0-9+/]{43}", pytest.param("x*", marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_what_names_no_key_that_can_be_is_not_waited_for(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, id: str
) -> None:
    monkeypatch.setattr(undecrypted, "_SESSION", re.compile(id))
    lyra, ada, eve, ear = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve"), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, eve, encrypted=True)
        await eve.sends(room, "m.room.encrypted", sealed_by_nobody("x" * 50_000), plain=True)
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "Hello"}, plain=True)
        await ear.heard(Message)
        assert ("x" * 50_000 in json.dumps(lyra.notes.values)) is (id == "x*")


@pytest.mark.torture
@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
async def test_a_key_that_is_withheld_is_explained_at_once(people: People, proxy: Proxy, tmp_path: Path, restarted: bool) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        assert ada.keys
        ada.keys.refused.add(lyra.user)
        if not restarted:
            await ada.says(room, "Guess what")
            assert "no keys with my device" in str((await ear.heard(Unreadable)).why)
    if restarted:
        await ada.says(room, "Guess what")
        async with listening(lyra, again := Ear(cursors=ear.kept)):
            assert "no keys with my device" in str((await again.heard(Unreadable)).why)
        async with listening(lyra, third := Ear(cursors=again.kept)):
            await ada.says(room, "Guess what else")
            await ada.says(await dm(lyra, ada), "In plain words")
            await third.heard(Message)
        assert not third.of(Unreadable)


@pytest.mark.torture
async def test_nobody_else_can_have_it_said_that_a_key_is_withheld(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve = await people.person("eve")
    assert ada.keys
    async with listening(lyra, ear):
        room = await dm(lyra, ada, encrypted=True)
        ada.keys.late = True
        said = await ada.says(room, "First")
        session = (await ada.looks_at(room, said)).raw["content"]["session_id"]
        body = {"room_id": room, "session_id": session, "code": "m.blacklisted", "algorithm": "m.megolm.v1.aes-sha2"}
        await eve.client.call("PUT", "sendToDevice", "m.room_key.withheld", "1", body={"messages": {lyra.user: {"*": body}}})
        await eve.says(await dm(lyra, eve), "Ha")
        await ear.heard(Message)
        assert not ear.of(Unreadable)
        await ada.keys.hand_over()
        await ear.heard(Message, 2)
    assert ear.texts == ["Ha", "First"]


@pytest.mark.torture
async def test_a_message_that_was_taken_back_is_not_waited_for(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        assert ada.keys
        ada.keys.late = True
        said = await ada.says(room, "First")
        await ada.hears_aside("m.room_key_request", lyra.user)
        await ada.redacts(room, said)
        await ada.keys.hand_over()
        await ada.says(room, "Second")
        await ear.heard(Message)
    assert ear.texts == ["Second"]


async def test_a_second_device_of_somebody_is_understood(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        await ada.says(room, "From my laptop")
        phone = await people.second_device(ada)
        await phone.says(room, "From my phone")
        await ear.heard(Message, 2)
    assert ear.texts == ["From my laptop", "From my phone"]
    assert len({one.person for one in ear.of(Message)}) == 1


@pytest.mark.torture
async def test_a_message_that_is_read_late_stays_with_those_who_could_read_it_then(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), await people.person("bo")
    cy, ear = await people.person("cy"), Ear()
    assert ada.keys
    async with listening(lyra, ear) as adapter:
        room = await room_of(lyra, ada, bo, history="joined", encrypted=True)
        ada.keys.late = True
        await ada.says(room, "Cy must not know.")
        await ada.hears_aside("m.room_key_request", lyra.user)
        await ada.invites(room, cy.user)
        await cy.joins(room)
        await place_of(adapter, ear, room, lambda place: place.epoch == 1)
        await ada.keys.hand_over()
        message = await ear.heard(Message)
    assert (message.place.reach, message.place.epoch) == (Reach.ROOM, 0)
