"""What people say on Matrix, as Lyra hears it."""

from pathlib import Path

import pytest

from adapters.events import Message, Reach
from adapters.matrix.outgoing.contents import AUTOMATED
from tests.fakes.matrix import People, Proxy
from tests.kits.adapter_kit import room_circle
from tests.kits.matrix_kit import Ear, dm, home, in_dm, in_room, listening, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
async def test_a_dm_is_heard_as_a_private_word(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        said = await ada.says(room, "My cat is called Mog.")
        message = await ear.heard(Message)
    assert (message.id, message.text, message.person.name) == (said, "My cat is called Mog.", "Ada")
    assert (message.person.id, message.addressed, message.machine) == (ada.user, True, False)
    assert (message.place.reach, message.place.channel, message.place.name) == (Reach.DIRECT, room, "Ada")


@pytest.mark.torture
async def test_an_encrypted_dm_is_a_room_that_one_person_reads(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        await ada.says(room, "Between us: I am leaving.")
        message = await ear.heard(Message)
    assert (message.text, message.addressed) == ("Between us: I am leaving.", True)
    place = message.place
    assert (place.reach, place.circle, place.alone, place.encrypted) == (Reach.ROOM, room_circle(room), ada.user, True)


WORDS = "org.matrix.msc1767.text"
STICKER = {"body": "a cat that waves", "info": {"mimetype": "image/png"}, "url": "mxc://hs.test/cat"}
POLL = {"question": {WORDS: "Tea or coffee?"}, "answers": [{"id": "1", WORDS: "Tea"}, {"id": "2", WORDS: "Coffee"}]}
STABLE_POLL = {
    "question": {"m.text": [{"body": "Which day?"}]},
    "answers": [{"m.id": "1", "m.text": [{"body": "Monday"}]}, {"m.id": "2", "m.text": "Friday"}, "no answer"],
}


@pytest.mark.parametrize("sealed", [False, True])
async def test_a_sticker_and_a_poll_are_said_to_her_and_a_vote_is_not(
    people: People, proxy: Proxy, tmp_path: Path, sealed: bool
) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=sealed), Ear()
    async with listening(lyra, ear) as adapter:
        room = await dm(lyra, ada, encrypted=sealed)
        await ada.sends(room, "m.sticker", STICKER)
        poll = await ada.sends(room, "org.matrix.msc3381.poll.start", {"org.matrix.msc3381.poll.start": POLL, WORDS: "Tea?"})
        vote = {"m.relates_to": {"rel_type": "m.reference", "event_id": poll}, "m.selections": ["1"]}
        await ada.sends(room, "org.matrix.msc3381.poll.response", vote)
        await ada.sends(room, "m.poll.start", {"m.poll": STABLE_POLL})
        last = await ear.heard(Message, 3)
        earlier = await adapter.messages_before(last.place.key, last.id, 2)
    said = ["[sticker: a cat that waves]", "[poll: Tea or coffee?: Tea / Coffee]", "[poll: Which day?: Monday / Friday]"]
    assert [(one.text, one.addressed, one.attachments) for one in ear.of(Message)] == [(one, True, ()) for one in said]
    assert [one.text for one in earlier] == said[:2]


@pytest.mark.torture
async def test_in_a_room_only_what_names_her_is_for_her(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        await ada.says(room, "Tea, anyone?")
        await ada.says(room, "Lyra: !recall cats", mentions=[lyra.user])
        await ada.says(room, "I told Lyra about it.", mentions=[bo.user])
        await ear.heard(Message, 3)
    assert [(one.text, one.addressed) for one in ear.of(Message)] == [
        ("Tea, anyone?", False),
        ("!recall cats", True),
        ("I told Lyra about it.", False),
    ]
    assert {(one.place.reach, one.place.name, one.place.alone) for one in ear.of(Message)} == {(Reach.ROOM, "Garden", "")}


@pytest.mark.parametrize(
    ("body", "heard"),
    [
        ("lyra, what is new?", "what is new?"),
        ("@Lyra hello", "hello"),
        ("What do you think, LYRA?", "What do you think, LYRA?"),
        ("Lyra is a fine name", "Lyra is a fine name"),
    ],
)
async def test_of_a_client_that_does_not_say_whom_it_mentions_her_name_as_a_word_counts(
    people: People, proxy: Proxy, tmp_path: Path, body: str, heard: str
) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "Lyrant is another word."})
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": body})
        await ear.heard(Message, 2)
    assert [(one.text, one.addressed) for one in ear.of(Message)] == [("Lyrant is another word.", False), (heard, True)]


@pytest.mark.parametrize(
    ("body", "mentions", "addressed"),
    [
        ("lyra: what is new?", {}, True),
        ("@Lyra what is new?", {"user_ids": []}, True),
        ("I told Lyra about it.", {}, False),
        ("Lyra: what is new?", {"user_ids": ["@another.lyra:lyra.test"]}, False),
        ("Lyra: what is new?", {"room": True}, False),
    ],
)
async def test_who_types_her_name_as_a_call_calls_her_also_where_the_client_finds_nobody_mentioned(
    people: People, proxy: Proxy, tmp_path: Path, body: str, mentions: dict[str, object], addressed: bool
) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": body, "m.mentions": mentions})
        assert (await ear.heard(Message)).addressed is addressed


@pytest.mark.torture
async def test_a_pill_and_her_id_call_her_too(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        pill = {"format": "org.matrix.custom.html", "formatted_body": f'<a href="https://matrix.to/#/{lyra.user}">L</a> hi'}
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "L hi", **pill})
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": f"{lyra.user}: and again"})
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": f"[Lyra](https://matrix.to/#/{lyra.user}) !help"})
        await ear.heard(Message, 3)
    assert [(one.text, one.addressed) for one in ear.of(Message)] == [("L hi", True), ("and again", True), ("!help", True)]


@pytest.mark.torture
async def test_notices_are_never_heard_nor_is_what_she_said_herself(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Beep.", kind="m.notice")
        await lyra.owner.says(room, "I am here.")
        await ada.sends(room, "org.example.custom", {"body": "odd"})
        await ada.sends(room, "m.room.message", {"msgtype": "m.key.verification.request", "body": "verify me"})
        await ada.says(room, "Good.")
        await ear.heard(Message)
    assert ear.texts == ["Good."]


async def test_who_is_configured_as_a_bot_and_what_bears_the_mark_of_a_program_comes_from_a_machine(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, robo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("robo")
    async with listening(lyra, ear := Ear(), bots=frozenset({robo.user})):
        room = await room_of(lyra, ada, robo)
        await robo.says(room, "Build passed.")
        await ada.says(room, "Hooray.")
        await ada.sends(room, "m.room.message", {"msgtype": "m.text", "body": "It rains.", AUTOMATED: True})
        await ear.heard(Message, 3)
    assert [one.machine for one in ear.of(Message)] == [True, False, True]


async def test_what_is_not_text_is_heard_as_what_it_is(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "waves", kind="m.emote")
        await ada.sends(room, "m.room.message", {"msgtype": "m.location", "body": "The oak", "geo_uri": "geo:48.2,16.4"})
        photo = await ada.attaches(room, "mog.png", b"\x89PNG", "image/png", caption="That is Mog.")
        await ada.attaches(room, "hm.ogg", b"OggS", "audio/ogg", voice=True)
        await ada.sends(room, "m.room.message", {"msgtype": "nic.custom.confetti", "body": "Hooray!"})
        await ear.heard(Message, 5)
    assert ear.texts == ["* Ada waves", "[location: The oak, geo:48.2,16.4]", "That is Mog.", "", "Hooray!"]
    [image], [voice] = (one.attachments for one in ear.of(Message)[2:4])
    assert (image.id, image.name, image.type, image.size) == (photo, "mog.png", "image/png", 4)
    assert (voice.name, voice.type) == ("hm.ogg", "audio/ogg")


@pytest.mark.torture
async def test_an_encrypted_file_is_heard_with_its_name(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        sent = await ada.attaches(room, "list.txt", b"milk", "text/plain")
        message = await ear.heard(Message)
    assert [(one.id, one.name, one.type, one.size) for one in message.attachments] == [(sent, "list.txt", "text/plain", 4)]


async def test_a_reply_comes_with_what_it_answers_and_without_the_filler_of_old_clients(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        own = await lyra.owner.says(room, "Mog is a cat.")
        await ada.says(room, f"> <{lyra.user}> Mog is a cat.\n\nAnd how old?", reply_to=own)
        await ada.says(room, "> to be or not to be", reply_to=own)
        await bo.says(room, "Who said that?", reply_to=await ada.says(room, "I did."))
        await ear.heard(Message, 4)
    first, quoting, _, other = ear.of(Message)
    assert (first.text, first.addressed, quoting.text) == ("And how old?", True, "> to be or not to be")
    assert first.quoted and (first.quoted.id, first.quoted.text, first.quoted.own) == (own, "Mog is a cat.", True)
    assert other.quoted and (other.quoted.speaker, other.quoted.text, other.addressed) == ("Ada", "I did.", False)


@pytest.mark.torture
async def test_a_reply_to_something_old_and_encrypted_is_read_up(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        old = await ada.says(room, "The key is under the mat.")
        await ear.heard(Message)
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await ada.edits(room, old, "The key is under the pot.")
        await ada.says(room, "Where was it?", reply_to=old)
        message = await again.heard(Message)
    assert message.quoted and (message.quoted.text, message.quoted.own) == ("The key is under the pot.", False)


@pytest.mark.torture
async def test_what_cannot_be_shown_is_taken_out_of_names_and_texts(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    await ada.client.call("PUT", "profile", ada.user, "displayname", body={"displayname": "A\u202eda\n "})
    async with listening(lyra, ear):
        room = await dm(lyra, ada)
        await ada.says(room, "Hi\u0000!")
        message = await ear.heard(Message)
    assert (message.person.name, message.text) == ("Ada", "Hi!")


async def test_what_the_homeserver_tells_her_account_is_no_question(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, server = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("notices")
    async with listening(lyra, ear := Ear()):
        rooms = [await dm(lyra, one) for one in (server, ada)]
        await lyra.owner.client.call("PUT", "user", lyra.user, "rooms", rooms[0], "tags", "m.server_notice", body={})
        for who, room in zip((server, ada), rooms, strict=True):
            await who.says(room, f"1: {who.user}")
        await ear.heard(Message)
    for who, room in zip((server, ada), rooms, strict=True):
        await who.says(room, f"2: {who.user}")
    async with listening(lyra, ear):
        await ear.heard(Message, 2)
    assert ear.texts == [f"1: {ada.user}", f"2: {ada.user}"]
