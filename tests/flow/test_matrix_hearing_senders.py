"""Whose words an encrypted message holds, and what cannot be read at all: nobody's words under another name, and nobody else disturbed."""

from dataclasses import replace
from pathlib import Path

import pytest
from nio import AsyncClient
from nio.crypto import InboundGroupSession, OutboundGroupSession
from nio.store import SqliteStore

from adapters.events import Message, Unreadable
from adapters.matrix.account import device
from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.tolerant_olm import TolerantOlm
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.matrix.faults import Status
from tests.kits.matrix_kit import Ear, home, in_dm, listening, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]

QUERY = "POST /keys/query"
PIN = "My PIN is 1234."


class _CredulousOlm(TolerantOlm):
    """Takes for somebody's words whatever can be decrypted, as nio does."""

    def is_by(self, user: str, session: InboundGroupSession) -> bool:
        return True


class _Credulous(Client):
    machine = _CredulousOlm


async def passes_on(who: Person, room: str, said: str) -> str:
    """Send what somebody else encrypted, as it is, under one's own name."""
    return await who.sends(room, "m.room.encrypted", (await who.looks_at(room, said)).raw["content"], plain=True)


@pytest.mark.parametrize(
    "client", [Client, pytest.param(_Credulous, marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_who_came_later_cannot_have_her_read_what_was_encrypted_before(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: type[Client]
) -> None:
    monkeypatch.setattr(KeyStores, "kind", client)
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve = await people.person("eve", encrypts=True)
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, encrypted=True)
        said = await ada.says(room, PIN)
        await ear.heard(Message)
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await ada.invites(room, eve.user)
        await eve.accepts(room)
        await passes_on(eve, room, said)
        await ada.says(room, "Welcome, Eve.")
        await again.heard(Message, 1 if client is Client else 2)
    assert again.texts == (["Welcome, Eve."] if client is Client else [PIN, "Welcome, Eve."])


async def test_who_sends_what_others_encrypted_is_told_why_it_is_not_read(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve = await people.person("eve", encrypts=True)
    async with listening(lyra, ear, pace=lyra.clock.pace(keys=0.2)):
        room = await room_of(lyra, ada, eve, encrypted=True)
        said = await ada.says(room, PIN)
        await ear.heard(Message)
        passed_on = await passes_on(eve, room, said)
        told = await ear.heard(Unreadable)
    assert (told.id, told.person.id) == (passed_on, eve.user) and "any device of yours" in str(told.why)
    assert not proxy.calls("PUT /sendToDevice/m.room_key_request/*")


async def test_what_comes_from_a_new_device_is_heard_once_the_homeserver_tells_of_it(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        await ada.says(room, "From my laptop")
        await ear.heard(Message)
        proxy.faults.always(QUERY, Status(500))
        phone = await people.second_device(ada)
        said = await phone.says(room, "From my phone")
        await proxy.heard(QUERY, len(proxy.calls(QUERY)) + 2)
        assert ear.texts == ["From my laptop"]
        proxy.faults.lift()
        assert (await ear.heard(Message, 2)).id == said
    assert ear.texts == ["From my laptop", "From my phone"] and not ear.of(Unreadable)


class _Overwriting(KeyStores):
    """Keeps of a key what came last of it, as nio does."""

    def client(self, homeserver: str, user: str, device: str) -> AsyncClient:
        client = super().client(homeserver, user, device)
        return type(self).kind(client.homeserver, user, device, client.store_path, replace(client.config, store=SqliteStore))


async def hands_on(who: Person, lyra: str, room: str, session: OutboundGroupSession) -> None:
    """Give her a key that somebody else made, as it reads what is said from now on."""
    assert who.keys
    [hers] = (await who.keys_of(lyra)).devices
    kind = "m.room_key"
    key = {"room_id": room, "session_id": session.id, "session_key": session.session_key, "algorithm": "m.megolm.v1.aes-sha2"}
    sealed = await who.keys.seal(lyra, hers, kind, key)
    body = {"messages": {lyra: {hers: sealed}}}
    await who.client.call("PUT", "sendToDevice", "m.room.encrypted", "1", body=body)


@pytest.mark.parametrize(
    "stores", [KeyStores, pytest.param(_Overwriting, marks=pytest.mark.torture)], ids=["with the guard", "the twin"]
)
async def test_nobody_makes_unreadable_what_others_said_by_handing_on_their_key(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: type[KeyStores]
) -> None:
    monkeypatch.setattr(device, "KeyStores", stores)
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    eve = await people.person("eve", encrypts=True)
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, eve, encrypted=True)
        await ada.says(room, "Hello, Lyra.")
        await ear.heard(Message)
        before = dict(ear.kept)
        await ada.says(room, PIN)
        await ear.heard(Message, 2)
        assert ada.keys
        await hands_on(eve, lyra.user, room, ada.keys._olm.outbound_group_sessions[room])
        await ada.says(room, "And now?")
        await ear.heard(Message, 3)
    async with listening(lyra, again := Ear(cursors=before)):
        await ada.says(room, "Still there?")
        await again.heard(Message, 3 if stores is KeyStores else 2)
    assert again.texts == [*([PIN] if stores is KeyStores else []), "And now?", "Still there?"]
