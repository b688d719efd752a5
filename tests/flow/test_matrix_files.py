"""Files that people send: read within bounds, decrypted where they are encrypted, and described where they cannot be read."""

from dataclasses import replace

import pytest

from adapters.events import Message
from adapters.events import Person as Someone
from adapters.file_contents import MOST_IMAGE, MOST_TEXT
from adapters.matrix.incoming import convert
from adapters.matrix.incoming.convert import attachments
from adapters.matrix.incoming.event import RoomEvent
from adapters.message_parts import Attachment, Contents
from tests.fakes.matrix import Held, Lost, Person, Status, contents
from tests.fakes.matrix.client import Json
from tests.fakes.matrix.faults import DOWNLOAD
from tests.kits.matrix_speech import Desk, Town

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
EVENT = "GET /rooms/*/event/*"


async def message(it: Desk, room: str, *events: str) -> Message:
    """Return what Lyra makes of events that bring files, as if they were one message."""
    found: list[Attachment] = []
    for event in events:
        seen = RoomEvent.of((await it.client.room_get_event(room, event)).event)
        assert seen
        found += attachments(event, seen.content)
    place = it.rooms.place(room)
    assert place
    return Message(events[0], place, Someone("matrix", "@ada", "Ada"), "", 0, attachments=tuple(found))


async def read(it: Desk, room: str, *events: str) -> list[Contents]:
    """Return what Lyra reads of the files of events."""
    return list(await convert.read_files(it.client, await message(it, room, *events), 10.0))


@pytest.mark.parametrize("encrypted", [False, True])
async def test_texts_and_images_are_read(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        text = await ada.attaches(room, "plan.md", "# Täglich".encode(), "text/markdown")
        image = await ada.attaches(room, "cat.png", PNG, "image/png", caption="my cat")
        first, second = await read(it, room, text, image)
        assert (first.attachment.name, first.text, first.image) == ("plan.md", "# Täglich", b"")
        assert (second.attachment.type, second.text, second.image) == ("image/png", "", PNG)


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_recordings_and_others_are_described_and_not_fetched(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        voice = await ada.attaches(room, "voice.ogg", b"OggS", "audio/ogg", voice=True)
        archive = await ada.attaches(room, "all.zip", b"PK", "application/zip")
        found = await read(it, room, voice, archive)
        assert [(one.attachment.type, one.text, one.image) for one in found] == [
            ("audio/ogg", "", b""),
            ("application/zip", "", b""),
        ]
        assert it.proxy.calls(DOWNLOAD) == []


@pytest.mark.torture
async def test_what_says_that_it_is_too_large_is_not_fetched(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        source = {"url": await ada.client.upload(PNG, "image/png")}
        files = [("long.txt", "text/plain", MOST_TEXT), ("large.png", "image/png", MOST_IMAGE)]
        said = [contents.media(name, kind, most + 1, source) for name, kind, most in files]
        text, image = [await ada.sends(room, "m.room.message", one) for one in said]
        assert [one.text or one.image for one in await read(it, room, text, image)] == [b"", b""]
        assert it.proxy.calls(DOWNLOAD) == []


@pytest.mark.parametrize("encrypted", [False, True])
async def test_what_is_larger_than_it_says_is_not_read(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        long = await message(it, room, await ada.attaches(room, "long.txt", b"x" * (MOST_TEXT + 1), "text/plain"))
        small = replace(long, attachments=(replace(long.attachments[0], size=1),))
        [found] = await convert.read_files(it.client, small, 10.0)
        assert found.text == "" and it.proxy.calls(DOWNLOAD)
        fits = await ada.attaches(room, "fits.txt", b"x" * MOST_TEXT, "text/plain")
        assert len((await read(it, room, fits))[0].text) == MOST_TEXT


@pytest.mark.torture
async def test_four_texts_of_a_message_are_read(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        events = [await ada.attaches(room, f"{number}.txt", b"%d" % number, "text/plain") for number in range(5)]
        assert [one.text for one in await read(it, room, *events)] == ["0", "1", "2", "3", ""]


async def tampered(ada: Person, room: str, file: Json) -> str:
    """Send an encrypted text whose description was changed."""
    event = await ada.attaches(room, "plan.txt", b"at noon", "text/plain")
    content = (await ada.hears(room, lambda one: one.id == event)).content
    said = contents.media("plan.txt", "text/plain", 7, {"file": content["file"] | file})
    return await ada.sends(room, "m.room.message", said)


@pytest.mark.parametrize(
    "file",
    [
        {"hashes": {"sha256": "AAAA"}},
        {"hashes": {"sha256": "!"}},
        {"hashes": {}},
        {"hashes": None},
        {"key": {"k": "short"}},
        {"key": 7},
        {"iv": ""},
        {"iv": "//////////////////////////////////////////8="},
        {"url": "mxc://lyra.test/../../../client/v3/account/whoami"},
        {"url": "https://example.org/plan.txt"},
        {"url": "mxc://lyra.test/nothing"},
        {"url": None},
    ],
)
async def test_what_was_tampered_with_is_not_read(town: Town, ada: Person, file: Json) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        changed = await tampered(ada, room, file)
        assert [one.text for one in await read(it, room, changed)] == [""]
        assert all("whoami" not in call.path for call in it.proxy.requests if call.method == "GET")


@pytest.mark.torture
async def test_untouched_the_same_file_is_read(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        assert [one.text for one in await read(it, room, await tampered(ada, room, {}))] == ["at noon"]


@pytest.mark.torture
async def test_what_is_not_the_image_that_it_says_is_not_shown(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        sent = await ada.attaches(room, "cat.png", b"<svg onload=alert(1)>", "image/png")
        assert [one.image for one in await read(it, room, sent)] == [b""]


@pytest.mark.torture
async def test_what_was_taken_back_is_not_read(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        said = await message(it, room, await ada.attaches(room, "plan.txt", b"at noon", "text/plain"))
        await ada.redacts(room, said.id)
        assert [one.text for one in await convert.read_files(it.client, said, 10.0)] == [""]


@pytest.mark.parametrize("fault", [Status(502), Lost(accepted=False)])
@pytest.mark.parametrize("operation", [DOWNLOAD, EVENT])
async def test_what_cannot_be_had_is_described(town: Town, ada: Person, fault: Status | Lost, operation: str) -> None:
    async with town.beside(ada) as (it, room):
        said = await message(it, room, await ada.attaches(room, "plan.txt", b"at noon", "text/plain"))
        it.proxy.faults.always(operation, fault)
        assert [(one.attachment.name, one.text) for one in await convert.read_files(it.client, said, 10.0)] == [("plan.txt", "")]


@pytest.mark.torture
async def test_what_takes_too_long_is_described(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        quick = await ada.attaches(room, "quick.txt", b"at noon", "text/plain")
        slow = await ada.attaches(room, "slow.txt", b"at night", "text/plain")
        said = await message(it, room, quick, slow)
        address = (await ada.looks_at(room, slow)).content["url"].removeprefix("mxc://lyra.test/")
        it.proxy.faults.always(f"{DOWNLOAD}{address}*", Held())
        assert [one.text for one in await convert.read_files(it.client, said, 2.0)] == ["at noon", ""]
