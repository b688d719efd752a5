"""Emoji are compared with Lyra, by an app that shares no code with her: in an encrypted DM, and device to device."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from nio import UnknownToDeviceEvent
from nio.events import ToDeviceEvent

from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.signing import CrossSigningIdentity
from adapters.matrix.verification.records import Records, VerificationRecord, attestations
from bot.service.platforms import KeptNotes
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.sas import Comparison, emoji_in
from tests.kits import matrix_account
from tests.kits.awake import Awake
from tests.kits.matrix_home import Home, dm

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

SHOWN = "These are my emoji: "

ada = matrix_account.signed_ada


def notes(lyra: Awake) -> KeptNotes:
    return KeptNotes(lyra.app.memory.settings, "matrix")


def one_of(kept: Sequence[VerificationRecord], id: str) -> VerificationRecord:
    [one] = [one for one in kept if one.id == id]
    return one


async def said(at_home: Home, who: Person, room: str, words: str) -> str:
    """Wait until Lyra says something with these words, and return the event's id."""
    return (await who.hears(room, lambda event: event.sender == at_home.user and words in event.body)).id


async def compared(at_home: Home, ada: Person) -> tuple[str, Comparison]:
    """Come in a DM as far as to the emoji."""
    room = await dm(at_home, ada)
    app = Comparison(ada, at_home.user, room=room)
    await app.asks()
    await app.begins()
    await app.exchanges()
    await said(at_home, ada, room, SHOWN)
    return room, app


async def agreed_by_words(at_home: Home, who: Person, room: str, app: Comparison, emoji: str) -> None:
    """Say in a DM that the emoji are the same, once they are shown there, and wait until both sides have verified."""
    question = await who.hears(room, lambda event: event.body.startswith(SHOWN))
    assert emoji_in(question.body) == emoji
    await app.agrees()
    await who.says(room, "!verify yes")
    assert len(await app.verified()) == 2
    await said(at_home, who, room, "Verified on your word")


async def her_device(at_home: Home, who: Person) -> str:
    [device] = [one for one, keys in (await who.keys_of(at_home.user)).devices.items() if keys]
    return device


async def test_an_app_begins_in_an_encrypted_dm_and_both_say_in_it_that_the_emoji_are_the_same(
    at_home: Home, ada: Person
) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        question = await ada.hears(room, lambda event: event.body.startswith(SHOWN))
        assert emoji_in(question.body) == emoji
        await ada.reacts(room, question.id, "✅")
        await app.agrees()
        assert len(await app.verified()) == 2, "her device and her identity"
        await said(at_home, ada, room, "Verified on your word")
        known = (await attestations(notes(lyra), at_home.user))[ada.user]
        assert (known.device, known.by, known.signed) == (ada.device, "chat", False)
        assert known.master == (await ada.keys_of(ada.user)).identity
    async with at_home.lyra() as lyra:
        assert (await attestations(notes(lyra), at_home.user))[ada.user] == known
        # She goes on as before.
        assert (await at_home.asks(ada, room, "hello again")).body


async def test_her_command_begins_and_words_decide(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        asked = await at_home.asks(ada, room, "!verify")
        assert asked.body.startswith("Your app asks you now")
        await app.is_asked()
        emoji = await app.takes_part()
        await agreed_by_words(at_home, ada, room, app, emoji)


@pytest.mark.torture
async def test_what_is_compared_at_the_terminal_is_signed_by_her_identity(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada))
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        kept = Records(notes(lyra), at_home.user)
        await said(at_home, ada, room, SHOWN)
        [waiting] = await kept.under_way()
        assert (waiting.user, waiting.device) == (ada.user, ada.device)
        assert emoji
        await app.agrees()
        await kept.say(waiting, same=True)
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified: whoever runs me")
        assert (await attestations(notes(lyra), at_home.user))[ada.user].signed
        again = Comparison(ada, at_home.user, room=room)
        await again.asks()
        await again.begins()
        await again.exchanges()
        await again.agrees()
        await ada.says(room, "!verify yes")
        await again.verified()
        await said(at_home, ada, room, "Verified on your word")
        known = (await attestations(notes(lyra), at_home.user))[ada.user]
        assert (known.by, known.signed) == ("operator", True), "a word in the chat takes nothing from it"
        odd = Comparison(ada, at_home.user, room=room)
        await odd.asks()
        await odd.begins(hashes=None)
        assert await odd.cancelled() == "m.unknown_method"
        # Another client of her account sees it, and nobody else's.
        master = await at_home.owner.client.call("POST", "keys", "query", body={"device_keys": {ada.user: []}})
        noted = await notes(lyra).get(f"identity {at_home.user}")
        identity = CrossSigningIdentity.from_note(at_home.user, noted)
        assert identity
        signatures = master["master_keys"][ada.user]["signatures"][at_home.user]
        assert f"ed25519:{identity.public('user_signing')}" in signatures


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain DM", "encrypted DM"])
async def test_steps_that_an_app_encrypts_for_her_device_are_taken(at_home: Home, ada: Person, encrypted: bool) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada, encrypted=encrypted)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada), sealed_by=ada)
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        await agreed_by_words(at_home, ada, room, app, emoji)
        assert (await attestations(notes(lyra), at_home.user))[ada.user].device == ada.device


class _Unproven(Client):
    """Takes a step that is encrypted for its device as one that came without a proof of who encrypted it."""

    def encrypted_step(self, source: Mapping[str, Any], sender_key: str, signing_key: str) -> ToDeviceEvent:
        return UnknownToDeviceEvent(source, source["sender"], source["type"])


@pytest.mark.parametrize("step", ["request", "key"])
@pytest.mark.parametrize("client", [Client, _Unproven], ids=["with the guard", "the twin"])
async def test_a_step_that_another_device_encrypted_than_it_says_ends_it(
    at_home: Home, people: People, ada: Person, step: str, client: type[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeyStores, "kind", client)
    async with at_home.lyra() as lyra:
        await dm(at_home, ada)
        other = await people.second_device(ada)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada), sealed_by=ada)
        app.sealed_by = other if step == "request" else ada
        await app.asks()
        if step == "key" or client is _Unproven:
            await app.begins()
            await app.hears("accept")
            app.sealed_by = other
            await app.says("key", {"key": app.public})
        if client is _Unproven:
            assert (await app.hears("key"))["key"]
            return
        assert await app.cancelled() == "m.key_mismatch"
        # What comes next begins anew, and nothing of the last one is left.
        again = Comparison(ada, at_home.user, device=app.device, sealed_by=ada)
        await again.asks()
        await again.begins()
        assert [one.id for one in await Records(notes(lyra), at_home.user).under_way()] == [again.id]


# On the page of whoever runs her
