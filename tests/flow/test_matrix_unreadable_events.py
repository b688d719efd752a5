"""What nio cannot read: whoever sends it disturbs nobody else, and what is said beside it is heard."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from nio import AsyncClient
from nio.crypto import Olm

from adapters.events import Message
from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.tolerant_olm import TolerantOlm
from tests.fakes.matrix import People, Proxy
from tests.kits.adapter_kit import running
from tests.kits.matrix_kit import Ear, Home, adapter_for, dm, home, listening, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]

SEALED_BY_NOBODY = {"algorithm": "m.megolm.v1.aes-sha2", "sender_key": "", "session_id": "", "device_id": "", "ciphertext": "x"}
"""A room's event as any member can send it; nio 0.26 fails at the empty names of its keys."""


class _RaisingOlm(TolerantOlm):
    handle_to_device_event = Olm.handle_to_device_event
    decrypt_megolm_event = Olm.decrypt_megolm_event


class Strict(Client):
    """The twin, which leaves nio to itself."""

    machine = _RaisingOlm
    _handle_decrypt_to_device = AsyncClient._handle_decrypt_to_device
    _handle_timeline_event = AsyncClient._handle_timeline_event


def sealed_for(key: str, body: Any) -> dict[str, Any]:
    """Return a message that somebody pretends to have encrypted for a device with this key."""
    return {"algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": "x", "ciphertext": {key: {"type": 0, "body": body}}}


async def her_device(home: Home) -> tuple[str, str]:
    """Return the id and the key of her device, as anybody can ask for them."""
    found = await home.owner.client.call("POST", "keys", "query", body={"device_keys": {home.user: []}})
    [(device, keys)] = found["device_keys"][home.user].items()
    return str(device), str(keys["keys"][f"curve25519:{device}"])


@pytest.mark.parametrize("body", ["junk", None], ids=["junk", "nothing"])
async def test_junk_that_somebody_sends_to_her_device_is_passed_over(
    people: People, proxy: Proxy, tmp_path: Path, body: Any
) -> None:
    lyra, ada, mallory = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("mallory")
    ear = Ear()
    async with listening(lyra, ear):
        room = await dm(lyra, ada)
        device, key = await her_device(lyra)
        sent = {"messages": {lyra.user: {device: sealed_for(key, body)}}}
        await mallory.client.call("PUT", "sendToDevice", "m.room.encrypted", uuid4().hex, body=sent)
        await ada.says(room, "Still there?")
        assert (await ear.heard(Message)).text == "Still there?"
    assert lyra.clock.waits == []


@pytest.mark.parametrize("kind", [Client, Strict], ids=["her", "the twin"])
async def test_what_a_member_sends_into_a_room_ends_the_connection_for_nobody(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Client]
) -> None:
    lyra, ada, mallory = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("mallory")
    ear = Ear()
    monkeypatch.setattr(KeyStores, "kind", kind)
    async with running(adapter_for(lyra), ear) as task:
        await ear.pulse.until(lambda: ear.times_ready, "a listener that is told of the connection")
        room, elsewhere = await dm(lyra, ada), await room_of(lyra, mallory)
        await mallory.sends(elsewhere, "m.room.encrypted", SEALED_BY_NOBODY, plain=True)
        await ada.says(room, "Still there?")
        if kind is Client:
            assert (await ear.heard(Message)).text == "Still there?"
            assert not task.done()
        else:
            await lyra.clock.pulse.until(lambda: len(lyra.clock.waits) > 2, "the same failure at each sync")
            assert ear.texts == []
