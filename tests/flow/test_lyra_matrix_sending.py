"""What Lyra's answers look like on Matrix, and what comes to her with messages."""

import base64

import pytest

from adapters.matrix.outgoing.contents import html
from memory.types import DomainKind
from tests.fakes.matrix import Event, Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import model_server, prompt, question
from tests.kits.hostile import unapproved_on_matrix
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

LONG = "\n\n".join(f"{number * number}: {' '.join(f'word{n * 37 % 71:02}' for n in range(71))} end." for number in range(140))
LAST = LONG.rpartition("\n\n")[2]
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 56
UNREAD = "I kept that it came, but not what is in it: that I cannot read or hear."


def seeing(model: OpenAIServer, *, sees: bool) -> str:
    """Return a configuration with a model that sees, or does not."""
    return f'chat = "main"\n[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\nsees = {str(sees).lower()}\n'


async def text_of(who: Person, event: Event) -> str:
    """Return what a message says, or what its file says where it is one."""
    return (await who.opens(event)).decode() if event.kind == "m.file" else event.body


# How an answer looks


@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_markdown_is_shown_and_what_could_harm_is_not(at_home: Home, ada: Person, bob: Person, encrypted: bool) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        model.script(
            "**Bold** and `code`:\n\n- <script>alert(1)</script>\n- ![a cat](https://evil.example/cat.png)\n"
            "- <img src=x onerror=alert(1)>\n- [here](javascript:alert(1))"
        )
        said = await at_home.asks(ada, room, "show me", mentions=[at_home.user])
        assert "<strong>Bold</strong> and <code>code</code>" in said.html and said.html.count("<li>") == 4
        assert not any(tag in said.html for tag in ("<script", "<img", "<a "))
        assert said.content["format"] == "org.matrix.custom.html"


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_long_answer_comes_in_parts_that_refer_once(at_home: Home, ada: Person, bob: Person, encrypted: bool) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        root = await ada.says(room, "about everything")
        model.script(LONG)
        asked = await ada.says(room, "all of it", thread=root, mentions=[at_home.user])
        await ada.hears(room, lambda event: event.body.endswith(LAST))
        _, *parts = await at_home.said(ada, room)
        assert len(LONG.encode()) > 64 * 1024 and len(parts) == 4
        assert "\n\n".join([await text_of(ada, one) for one in parts]) == LONG
        assert [one.thread for one in parts] == [root] * 4
        assert [one.mentions for one in parts] == [[ada.user], [], [], []]
        assert (await at_home.answer(ada, room, asked)).id == parts[0].id
        assert await lyra.kept(DomainKind.ROOM, room) == ["all of it", LONG]


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_link_longer_than_a_message_is_dead_wherever_it_is_cut(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        address = "https://evil.example/" + "a" * 25_000
        model.script(f"See {address} or [this]({address}), or ask @eve:evil.example. {'word ' * 5_000}evil.example. The end.")
        await ada.says(room, "where do I find it?", mentions=[at_home.user])
        await ada.hears(room, lambda event: event.body.endswith("The end."))
        parts = await at_home.said(ada, room)
        assert len(parts) > 2
        assert not [live for part in parts for live in unapproved_on_matrix(part.body)]
        assert all(part.html == html(part.body) for part in parts if "`" in part.body)


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_what_is_code_is_not_sent_without_its_html(at_home: Home, ada: Person, encrypted: bool) -> None:
    """Letters of three bytes make a message too large with its HTML, and small enough without; as plain text a link is live."""
    async with model_server() as model, at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=encrypted)
        model.script("海は青い。" * 3_500 + "https://evil.example")
        said = await at_home.asks(ada, room, "all of it")
        assert said.kind == "m.file" and "(link removed)" in await text_of(ada, said)


@pytest.mark.torture
async def test_a_part_that_no_message_can_hold_comes_as_a_file(at_home: Home, ada: Person) -> None:
    """In an encrypted room, letters of three bytes become more than 64 KiB of ciphertext."""
    long = "".join(f"海は青い{n * 37 % 2801}。" for n in range(2800)).translate({ord(f"{n}"): chr(0xFF10 + n) for n in range(10)})
    async with model_server() as model, at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=True)
        model.script(long)
        first = await at_home.asks(ada, room, "all of it")
        last = await ada.hears(room, lambda event: event.sender == at_home.user, after=first.id)
        assert first.kind == "m.file" and first.body == "This is too long for one message; it is in the file."
        assert "".join([await text_of(ada, one) for one in (first, last)]) == long


# What comes with messages


async def sends_to_her(at_home: Home, who: Person, room: str, name: str, data: bytes, kind: str, caption: str) -> Event:
    """Send a file in answer to something that Lyra said, and return her answer to it."""
    said = await at_home.asks(who, room, "hello", mentions=[at_home.user])
    return await at_home.answer(who, room, await who.attaches(room, name, data, kind, caption=caption, reply_to=said.id))


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_text_file_is_answered_kept_and_found_by_its_words(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        await sends_to_her(at_home, ada, room, "list.txt", b"buy cardamom", "text/plain", "my list")
        assert question(lyra.chats[-1]) == "Ada: my list\n| [file list.txt]\n| buy cardamom"
        assert "my list\n[file list.txt]\nbuy cardamom" in await lyra.kept(DomainKind.ROOM, room)
        assert "buy cardamom" in (await at_home.reads_aside(ada, room, "!recall cardamom")).body


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
@pytest.mark.parametrize("sees", [False, True])
async def test_an_image_is_shown_to_a_model_that_sees_and_told_to_any(
    at_home: Home, ada: Person, bob: Person, encrypted: bool, sees: bool
) -> None:
    async with model_server() as model, at_home.lyra(config=seeing(model, sees=sees)):
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        await sends_to_her(at_home, ada, room, "cat.png", PNG, "image/png", "who is it?")
        assert model.requests[-1].last_user.endswith("Ada: who is it?\n| [image cat.png, 64 bytes]")
        shown = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        assert model.requests[-1].images == ([shown] if sees else [])


@pytest.mark.torture
async def test_a_file_alone_in_a_room_is_not_for_her(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await bob.attaches(room, "list.txt", b"buy cardamom", "text/plain")
        await at_home.asks(ada, room, "what is that?", mentions=[at_home.user])
        assert "Just before, others said here:\n> Bob: [list.txt]" in prompt(lyra.chats[-1])
        assert "cardamom" not in prompt(lyra.chats[-1])


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_voice_note_is_not_taken_for_heard(at_home: Home, ada: Person, encrypted: bool) -> None:
    """A model is told so; her own voice says so."""
    async with model_server() as model:
        async with at_home.lyra(model) as lyra:
            room = await dm(at_home, ada, encrypted=encrypted)
            note = await ada.attaches(room, "voice.ogg", b"OggS", "audio/ogg", voice=True)
            assert (await at_home.answer(ada, room, note)).body == "You said: [audio voice.ogg, 4 bytes, not read]"
            kind, id = (DomainKind.ROOM, room) if encrypted else (DomainKind.DM, ada.user)
            assert "[audio voice.ogg, 4 bytes, not read]" in await lyra.kept(kind, id)
        async with at_home.lyra():
            note = await ada.attaches(room, "voice.ogg", b"OggS", "audio/ogg", voice=True)
            assert (await at_home.answer(ada, room, note)).body == UNREAD
            assert (await at_home.asks(ada, room, "the door is green")).body == "Kept."
