"""What no app sends, and anybody can: it disturbs nobody but whoever sends it."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from nio import SyncResponse
from nio.crypto import Olm

from adapters.events import Message, MessagesDeleted
from adapters.matrix.account import client as client_of_nio
from adapters.matrix.account.account import Account
from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.tolerant_olm import TolerantOlm
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.matrix.faults import SYNC, Held
from tests.kits.matrix_kit import Ear, Home, home, listening, room_of
from tests.kits.matrix_speech import Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

ODD_PAYLOADS: dict[str, dict[str, Any]] = {
    "an odd time": {"kind": "m.room.message", "content": {"body": 5}, "origin_server_ts": "noon", "unsigned": 5},
    "odd content": {"kind": "m.room.message", "content": ["words"], "event_id": 5, "sender": 5, "origin_server_ts": "noon"},
}
SEALED_BY_NOBODY = {"algorithm": "m.megolm.v1.aes-sha2", "sender_key": "", "session_id": "", "device_id": "", "ciphertext": "x"}
"""A room's event as any member can send it; nio 0.26 fails at the empty names of its keys."""


async def says_oddly(who: Person, room: str, kind: str, content: Any, **beside: Any) -> str:
    """Say something encrypted that no app would say."""
    assert who.keys
    sealed = await who.keys.encrypt(room, await who.members(room, "join", "invite"), kind, content, **beside)
    return await who.sends(room, "m.room.encrypted", sealed, plain=True)


async def hands_garbage(who: Person, lyra: Home) -> None:
    """Send all devices of Lyra what looks encrypted for them, and is not."""
    shown = await who.client.call("POST", "keys", "query", body={"device_keys": {lyra.user: []}})
    keys = next(iter(shown["device_keys"][lyra.user].values()))["keys"]
    own = next(key for name, key in keys.items() if name.startswith("curve25519"))
    odd: tuple[Any, ...] = ({"type": 0, "body": "garbage"}, {"type": 0, "body": None}, {"type": 1, "body": 5}, {}, [])
    for ciphertext in odd:
        content = {"algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": "x", "ciphertext": {own: ciphertext}}
        body = {"messages": {lyra.user: {"*": content}}}
        await who.client.call("PUT", "sendToDevice", "m.room.encrypted", uuid4().hex, body=body)


async def seals_nothing(who: Person, lyra: Home) -> None:
    """Send into a room with Lyra what nobody encrypted; whoever has keys there would trip over it as well."""
    await who.sends(await room_of(lyra, who), "m.room.encrypted", SEALED_BY_NOBODY, plain=True)


async def test_what_is_malformed_holds_up_nobody(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve, stranger = await people.person("eve", encrypts=True), await people.person("stranger", listens=False)
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, eve, encrypted=True)
        await hands_garbage(stranger, lyra)
        for payload in ODD_PAYLOADS.values():
            await says_oddly(eve, room, **payload)
        await seals_nothing(stranger, lyra)
        await ada.says(room, "Still there?")
        await ear.heard(Message)
    assert ear.texts == ["Still there?"] and lyra.clock.waits == []


class _RaisingOlm(TolerantOlm):
    """Raises over what is malformed, as nio does."""

    handle_to_device_event = Olm.handle_to_device_event
    decrypt_megolm_event = Olm.decrypt_megolm_event


class _Raising(Client):
    machine = _RaisingOlm


@pytest.mark.torture
@pytest.mark.parametrize("odd", ["garbage", "sealed by nobody", *ODD_PAYLOADS])
async def test_without_the_guard_it_would_hold_up_everybody(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str
) -> None:
    monkeypatch.setattr(KeyStores, "kind", _Raising)
    monkeypatch.setattr(client_of_nio, "ODD", ())
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, encrypted=True)
        await ada.says(room, "Hello")
        await ear.heard(Message)
        if odd in ODD_PAYLOADS:
            await says_oddly(ada, room, **ODD_PAYLOADS[odd])
        elif odd == "garbage":
            await hands_garbage(ada, lyra)
        else:
            await seals_nothing(await people.person("mallory", listens=False), lyra)
        await ada.says(room, "Still there?")
        await proxy.heard(SYNC, len(proxy.calls(SYNC)) + 8)
    assert ear.texts == ["Hello"]


class _BelievingOlm(TolerantOlm):
    def is_encryptable(self, source: dict[str, Any]) -> bool:
        return True


class _Believing(Client):
    machine = _BelievingOlm


@pytest.mark.parametrize(
    "client", [Client, pytest.param(_Believing, marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_nobody_takes_back_what_others_said_by_an_encrypted_redaction(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: type[Client]
) -> None:
    monkeypatch.setattr(KeyStores, "kind", client)
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve = await people.person("eve", encrypts=True)
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, eve, encrypted=True)
        said = await ada.says(room, "My cat is called Turing.")
        await ear.heard(Message)
        await says_oddly(eve, room, "m.room.redaction", {"redacts": said})
        await ada.says(room, "And my dog Ada.")
        await ear.heard(Message, 2)
    assert [one.ids for one in ear.of(MessagesDeleted)] == ([] if client is Client else [(said,)])


@pytest.mark.parametrize(
    "machine", [TolerantOlm, pytest.param(_BelievingOlm, marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_nobody_is_put_out_by_what_is_encrypted(
    town: Town, ada: Person, people: People, monkeypatch: pytest.MonkeyPatch, machine: type[TolerantOlm]
) -> None:
    monkeypatch.setattr(Client, "machine", machine)
    eve = await people.person("eve", encrypts=True)
    async with town.beside(ada, eve, encrypted=True) as (it, room):
        await it.sender.send(part(room, "Hello"))
        await says_oddly(eve, room, "m.room.member", {"membership": "leave"}, state_key=ada.user)
        await ada.sets(room, "m.room.topic", {"topic": "Cats"})
        await it.knows(room, lambda: it.client.rooms[room].topic == "Cats")
        sent = await it.sender.send(part(room, "Both of you?"))
        heard = await ada.hears(room, lambda event: event.id == sent)
    assert heard.trouble == ("" if machine is TolerantOlm else "no key")


async def publishes_oddly(who: Person, **odd: Any) -> None:
    """Publish a device whose keys are none."""
    names = {f"{kind}:{who.device}": "nonsense" for kind in ("ed25519", "curve25519")}
    signed = {who.user: {f"ed25519:{who.device}": "nonsense"}}
    device = {
        "user_id": who.user,
        "device_id": who.device,
        "algorithms": ["m.megolm.v1.aes-sha2"],
        "keys": names,
        "signatures": signed,
    }
    await who.client.call("POST", "keys", "upload", body={"device_keys": device | odd})


class _Unsure(TolerantOlm):
    def is_sound(self, user: str, device: str, payload: dict[str, Any]) -> bool:
        return True


async def keeps_no_keys(_account: Account, _answer: SyncResponse) -> None:
    """Ask for no keys after a sync."""


@pytest.mark.parametrize(
    "machine", [TolerantOlm, pytest.param(_Unsure, marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_a_device_whose_keys_are_none_keeps_nobody_from_reading_her(
    town: Town, ada: Person, people: People, monkeypatch: pytest.MonkeyPatch, machine: type[TolerantOlm]
) -> None:
    monkeypatch.setattr(Client, "machine", machine)
    if machine is _Unsure:
        # nio asks for a device whose keys it could not read only once: it is to fail where something is said.
        monkeypatch.setattr(Account, "keep_keys", keeps_no_keys)
    eve = await people.person("eve", listens=False)
    await publishes_oddly(eve)
    async with town.beside(ada, eve, encrypted=True) as (it, room):
        if machine is _Unsure:
            with pytest.raises((ValueError, AssertionError)):
                await it.sender.send(part(room, "Hello, both"))
            return
        await it.sender.send(part(room, "Hello, both"))
        await ada.hears_text(room, "Hello, both")


class _Forgetful(TolerantOlm):
    """Takes what is asked for as known once it is answered, as nio does."""

    add_changed_users = Olm.add_changed_users


@pytest.mark.torture
@pytest.mark.parametrize("machine", [TolerantOlm, _Forgetful], ids=["with the guard", "the twin"])
async def test_a_device_that_comes_while_devices_are_asked_for_can_read_her(
    town: Town, ada: Person, people: People, monkeypatch: pytest.MonkeyPatch, machine: type[TolerantOlm]
) -> None:
    monkeypatch.setattr(Client, "machine", machine)
    async with town.beside(ada, encrypted=True) as (it, room):
        await it.sender.send(part(room, "Hello"))
        hearing, held = Held(before=True), Held()
        it.proxy.faults.script(SYNC, hearing)
        await ada.sets(room, "m.room.name", {"name": "Garden"})
        await hearing.reached.wait()
        it.client.olm.add_changed_users({ada.user})
        it.proxy.faults.script("POST /keys/query", held)
        asking = asyncio.create_task(it.client.keys_query())
        await held.reached.wait()
        since = it.client.next_batch
        phone = await people.second_device(ada)
        hearing.go.set()
        await it.knows(room, lambda: it.client.next_batch != since)
        held.go.set()
        await asking
        sent = await it.sender.send(part(room, "Both of you?"))
        heard = await phone.hears(room, lambda event: event.id == sent)
    assert heard.trouble == ("" if machine is TolerantOlm else "no key")


async def test_a_message_of_an_odd_kind_does_not_hide_what_was_said_before(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear) as adapter:
        room = await room_of(lyra, ada, encrypted=True)
        await ada.says(room, "Turing is ill.")
        await says_oddly(ada, room, "m.room.message", {"msgtype": ["m.text"], "body": "Ha"})
        await ada.says(room, "What now?")
        message = await ear.heard(Message, 2)
        quotes = await adapter.messages_before(message.place.key, message.id, 5)
    assert [one.text for one in quotes] == ["Turing is ill."]
