"""People on the homeserver, encrypted: who can read what, and why not."""

import pytest

from tests.fakes.matrix import People, Person

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.fixture
async def ada(people: People) -> Person:
    return await people.person("ada", encrypts=True)


@pytest.fixture
async def bob(people: People) -> Person:
    return await people.person("bob", encrypts=True)


@pytest.fixture
async def room(people: People, ada: Person, bob: Person) -> str:
    return await people.together(ada, bob, encrypted=True)


async def test_they_read_each_other_and_the_server_reads_nothing(ada: Person, bob: Person, room: str) -> None:
    await ada.says(room, "the cat is called Miso", mentions=[bob.user])
    heard = await bob.hears_text(room, "the cat is called Miso")
    assert heard.encrypted and heard.mentions == [bob.user] and "Miso" not in str(heard.raw)
    await bob.says(room, "a fine name")
    await ada.hears_text(room, "a fine name")
    assert [event.body for event in await ada.messages(room)] == ["the cat is called Miso", "a fine name"]


@pytest.mark.torture
async def test_threads_and_edits_are_found_without_the_key(people: People, ada: Person, bob: Person, room: str) -> None:
    root = await ada.says(room, "plans?")
    inside = await bob.says(room, "a boat", thread=root)
    edited = await bob.edits(room, inside, "a small boat")
    heard = await ada.hears(room, lambda event: event.replaces == inside)
    assert (heard.id, heard.body, heard.encrypted) == (edited, "a small boat", True)
    assert (await ada.hears_text(room, "a boat")).thread == root
    blind = await people.second_device(ada, encrypts=False)
    seen = await blind.looks_at(room, edited)
    assert (seen.replaces, seen.body, seen.trouble) == (inside, "", "no key")


@pytest.mark.torture
async def test_a_redaction_blanks_ciphertext_and_leaves_that_of_edits(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "the code is 1234")
    edited = await ada.edits(room, said, "the code is 5678")
    await ada.redacts(room, said)
    await bob.hears(room, lambda event: event.type == "m.room.redaction")
    assert (await bob.looks_at(room, said)).redacted
    assert (await bob.looks_at(room, edited)).body == "the code is 5678"


@pytest.mark.torture
async def test_reactions_are_open_to_the_server(ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "done")
    await bob.reacts(room, said, "👍")
    heard = await ada.hears(room, lambda event: event.reaction is not None)
    assert heard.reaction == (said, "👍") and not heard.encrypted


@pytest.mark.torture
async def test_files_lie_encrypted_on_the_server(ada: Person, bob: Person, room: str) -> None:
    sent = await ada.attaches(room, "cat.png", b"\x89PNG", "image/png")
    heard = await bob.hears(room, lambda event: event.id == sent)
    assert heard.kind == "m.image" and await bob.opens(heard) == b"\x89PNG"
    assert b"PNG" not in await bob.client.download(heard.content["file"]["url"])


@pytest.mark.torture
async def test_a_dm_can_be_encrypted_and_the_invited_read_what_came_first(ada: Person, bob: Person) -> None:
    room = await ada.opens_dm(bob.user, encrypted=True)
    await ada.says(room, "before you came")
    await bob.accepts(room)
    await bob.hears_text(room, "before you came")


@pytest.mark.torture
async def test_who_comes_later_cannot_read_what_came_before(people: People, ada: Person, bob: Person, room: str) -> None:
    said = await ada.says(room, "between us")
    eve = await people.person("eve", encrypts=True)
    await ada.invites(room, eve.user)
    await eve.accepts(room)
    assert (await eve.looks_at(room, said)).trouble == "no key"
    await ada.says(room, "welcome")
    await eve.hears_text(room, "welcome")


@pytest.mark.torture
async def test_a_second_device_reads_from_when_it_is_there(people: People, ada: Person, bob: Person, room: str) -> None:
    before = await bob.says(room, "to one")
    phone = await people.second_device(ada)
    assert phone.user == ada.user and phone.device != ada.device
    await bob.says(room, "to both")
    await phone.hears_text(room, "to both")
    await ada.hears_text(room, "to both")
    assert (await phone.looks_at(room, before)).trouble == "no key"
    await phone.says(room, "from the phone")
    await bob.hears_text(room, "from the phone")
    await ada.hears_text(room, "from the phone")


@pytest.mark.torture
async def test_a_key_that_comes_late_opens_what_was_closed(ada: Person, bob: Person, room: str) -> None:
    assert ada.keys
    ada.keys.late = True
    said = await ada.says(room, "patience")
    assert (await bob.hears(room, lambda event: event.id == said)).trouble == "no key"
    await ada.keys.hand_over()
    await bob.hears_text(room, "patience")


async def test_a_refused_key_is_told_with_its_reason(ada: Person, bob: Person, room: str) -> None:
    assert ada.keys
    ada.keys.refused.add(bob.user)
    said = await ada.says(room, "not for you")
    await bob.hears(room, lambda event: event.id == said and event.trouble == "withheld m.blacklisted")
    ada.keys.refused.clear()
    await ada.says(room, "for you")
    await bob.hears_text(room, "for you")


@pytest.mark.torture
async def test_who_excludes_unsigned_devices_neither_tells_nor_hears_them(ada: Person, bob: Person, room: str) -> None:
    assert ada.keys
    ada.keys.signed_only = True
    told, heard = await ada.says(room, "secret"), await bob.says(room, "what?")
    await bob.hears(room, lambda event: event.id == told and event.trouble == "withheld m.unverified")
    await ada.hears(room, lambda event: event.id == heard and event.trouble == "unsigned device")
    await bob.signs_own_device()
    await ada.says(room, "now I can")
    await bob.hears_text(room, "now I can")
    assert (await ada.looks_at(room, heard)).body == "what?"


@pytest.mark.torture
async def test_without_that_mode_unsigned_devices_are_served(ada: Person, bob: Person, room: str) -> None:
    await ada.says(room, "secret")
    await bob.hears_text(room, "secret")
    assert not (await ada.keys_of(bob.user)).signed(bob.device)


async def test_keys_are_judged_by_their_signatures(people: People, ada: Person, bob: Person) -> None:
    before = await ada.keys_of(bob.user)
    assert (before.sound(bob.device), before.signed(bob.device), before.identity) == (True, False, "")
    await bob.signs_own_device()
    phone = await people.second_device(bob)
    after = await ada.keys_of(bob.user)
    assert after.identity and (after.signed(bob.device), after.signed(phone.device)) == (True, False)
    assert (after.vouched_by(bob.device), after.vouched_by(phone.device)) == (True, False)
    forged = after.devices[bob.device] | {"keys": after.devices[phone.device]["keys"]}
    assert not type(after)(bob.user, {bob.device: forged}, after.master, after.self_signing).signed(bob.device)
    stranger = await ada.keys_of(ada.user)
    assert not type(after)(bob.user, after.devices, stranger.master, after.self_signing).signed(bob.device)


@pytest.mark.torture
async def test_an_unencrypted_message_in_an_encrypted_room_shows(ada: Person, bob: Person, room: str) -> None:
    await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "oops"}, plain=True)
    assert not (await bob.hears_text(room, "oops")).encrypted


@pytest.mark.torture
async def test_encryption_can_be_turned_on_later(people: People, ada: Person, bob: Person) -> None:
    room = await people.together(ada, bob)
    await ada.says(room, "open")
    await ada.encrypts(room)
    await ada.says(room, "closed")
    await bob.hears_text(room, "closed")
    assert [event.encrypted for event in await bob.messages(room)] == [False, True]


@pytest.mark.torture
async def test_what_is_said_to_one_device_is_heard_there(ada: Person, bob: Person) -> None:
    asked = {"action": "request_cancellation", "requesting_device_id": bob.device, "request_id": "one"}
    messages = {"messages": {ada.user: {ada.device: asked}}}
    await bob.client.call("PUT", "sendToDevice", "m.room_key_request", "one", body=messages)
    assert (await ada.hears_aside("m.room_key_request", bob.user))["content"] == asked
