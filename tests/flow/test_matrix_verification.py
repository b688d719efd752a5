"""Emoji are compared with Lyra, by an app that shares no code with her: in an encrypted DM, and device to device."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.matrix.account.identity import CrossSigningIdentity
from adapters.matrix.verification.attested import attestations
from adapters.matrix.verification.records import Records
from bot.service.notes import KeptNotes
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.sas import Comparison, emoji_in
from tests.kits.awake import Awake
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

SHOWN = "These are my emoji: "


@pytest.fixture
async def ada(people: People) -> Person:
    """Somebody with keys, and an identity of her own."""
    person = await people.person("ada", encrypts=True)
    await person.signs_own_device()
    return person


def notes(lyra: Awake) -> KeptNotes:
    return KeptNotes(lyra.app.memory.settings, "matrix")


async def said(at_home: Home, who: Person, room: str, words: str) -> str:
    """Wait until Lyra says something with these words, and return the event's id."""
    return (await who.hears(room, lambda event: event.sender == at_home.user and words in event.body)).id


async def her_device(at_home: Home, who: Person) -> str:
    [device] = [one for one, keys in (await who.keys_of(at_home.user)).devices.items() if keys]
    return device


async def test_an_app_begins_in_an_encrypted_dm_and_both_say_in_it_that_the_emoji_are_the_same(at_home: Home, ada: Person) -> None:
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
        question = await ada.hears(room, lambda event: event.body.startswith(SHOWN))
        assert emoji_in(question.body) == emoji
        await app.agrees()
        await ada.says(room, "!verify yes")
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified on your word")


async def test_what_is_compared_at_the_terminal_is_signed_by_her_identity(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await dm(at_home, ada)
        app = Comparison(ada, at_home.user, device=await her_device(at_home, ada))
        await app.asks()
        await app.begins()
        emoji = await app.exchanges()
        records = Records(notes(lyra), at_home.user)
        await said(at_home, ada, room, SHOWN)
        [waiting] = await records.under_way()
        assert (waiting.user, waiting.device) == (ada.user, ada.device)
        assert emoji
        await app.agrees()
        await records.say(waiting.id, same=True)
        assert len(await app.verified()) == 2
        await said(at_home, ada, room, "Verified: whoever runs me")
        assert (await attestations(notes(lyra), at_home.user))[ada.user].signed
        # Another client of her account sees it, and nobody else's.
        master = await at_home.owner.client.call("POST", "keys", "query", body={"device_keys": {ada.user: []}})
        noted = await notes(lyra).get(f"identity {at_home.user}")
        identity = CrossSigningIdentity.noted(at_home.user, noted)
        assert identity
        signatures = master["master_keys"][ada.user]["signatures"][at_home.user]
        assert f"ed25519:{identity.public('user_signing')}" in signatures
