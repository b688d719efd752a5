"""Files that come with messages on Discord: texts and images are read within bounds, nothing else is fetched."""

from adapters.events import Message
from adapters.message_parts import Contents
from tests.fakes.discord import Channel, DiscordServer, Held
from tests.kits.discord_kit import Clock, Ear, listening

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


async def read(server: DiscordServer, general: Channel, files: dict[str, bytes]) -> list[Contents]:
    async with listening(server, ear := Ear()) as adapter:
        await server.person("ada").says(general, f"{server.mention} look", attachments=files)
        return list(await adapter.read_attachments(await ear.heard(Message)))


async def test_texts_and_images_are_read(server: DiscordServer, general: Channel) -> None:
    files = {
        "notes.txt": "tee für zwei".encode(),
        "old.csv": "a;b".encode("utf-16"),
        "bom.md": b"\xef\xbb\xbf# title",
        "main.rs": b"fn main() {}",
        "dot.png": PNG,
    }
    contents = await read(server, general, files)
    assert [(one.attachment.name, one.text, one.image) for one in contents] == [
        ("notes.txt", "tee für zwei", b""),
        ("old.csv", "a;b", b""),
        ("bom.md", "# title", b""),
        ("main.rs", "fn main() {}", b""),
        ("dot.png", "", PNG),
    ]
    assert contents[0].attachment.size == 13 and contents[0].attachment.type == "text/plain"


async def test_what_is_too_large_or_no_text_is_left(server: DiscordServer, general: Channel) -> None:
    files = {
        "long.txt": b"x" * (128 * 1024 + 1),
        "huge.png": b"\x89PNG" + b"\0" * (5 * 1024 * 1024),
        "song.mp3": b"ID3",
        "lies.txt": b"\xff\x00\x80",
        "right.txt": b"x" * (128 * 1024),
    }
    contents = await read(server, general, files)
    assert [bool(one.text or one.image) for one in contents] == [False, False, False, False, True]
    assert [one.attachment.name for one in contents] == list(files)


async def test_only_four_texts_and_four_images_are_read(server: DiscordServer, general: Channel) -> None:
    files = {f"{number}.{kind}": PNG if kind == "png" else b"x" for number in range(5) for kind in ("png", "txt")}
    contents = await read(server, general, files)
    assert sum(bool(one.text) for one in contents) == 4 and sum(bool(one.image) for one in contents) == 4


async def test_an_address_that_expired_is_asked_for_again(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()) as adapter:
        said = await server.person("ada").says(general, f"{server.mention} look", attachments={"notes.txt": b"buy tea"})
        heard = await ear.heard(Message)
        said.attachments[0].turn += 1
        [first] = await adapter.read_attachments(heard)
        assert first.text == "buy tea" and len(server.calls("get_message")) == 1
        [again] = await adapter.read_attachments(heard)
        assert again.text == "buy tea" and len(server.calls("get_message")) == 1, "the new address is kept at hand"
        said.attachments[0].expired = True
        [gone] = await adapter.read_attachments(heard)
        assert (gone.text, gone.image) == ("", b"")


async def test_after_a_restart_the_message_is_asked_for(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        said = await server.person("ada").says(general, f"{server.mention} look", attachments={"notes.txt": b"buy tea"})
        heard = await ear.heard(Message)
    async with listening(server, Ear()) as adapter:
        assert [one.text for one in await adapter.read_attachments(heard)] == ["buy tea"]
        await server.person("ada").deletes(said)
    async with listening(server, Ear()) as adapter:
        assert [one.text for one in await adapter.read_attachments(heard)] == [""]
    assert [one.text for one in await adapter.read_attachments(heard)] == [""], "not connected"


async def test_a_forwarded_file_is_read(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()) as adapter:
        ada = server.person("ada")
        note = await ada.says(general, "", attachments={"notes.txt": b"buy tea"})
        await ada.forwards(note, general)
        assert [one.text for one in await adapter.read_attachments(await ear.heard(Message, 2))] == ["buy tea"]


async def test_a_file_that_does_not_come_is_left_and_the_rest_is_read(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear(), pace=Clock().pace(files=0.2)) as adapter:
        files = {"one.txt": b"one", "two.txt": b"two"}
        said = await server.person("ada").says(general, f"{server.mention} look", attachments=files)
        heard = await ear.heard(Message)
        said.attachments[1].expired = True
        held = Held(before=True)
        server.faults.script("get_message", held)
        assert [one.text for one in await adapter.read_attachments(heard)] == ["one", ""]
        held.go.set()
