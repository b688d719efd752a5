"""What Lyra's answers look like on Matrix, what shows while they are made, and what comes to her with messages."""

import asyncio
import base64
from itertools import pairwise
from typing import Any

import pytest

from adapters.matrix.outgoing.contents import html
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Event, Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import answer, model_server, prompt, question
from tests.kits.hostile import unapproved_on_matrix
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

PIECES = ("Once there was a **door**", " that nobody had opened", " for a hundred years,", " and behind it lived a very old cat.")
TALE = "".join(PIECES)
LONG = "\n\n".join(f"{number * number}: {' '.join(f'word{n * 37 % 71:02}' for n in range(71))} end." for number in range(140))
SEAS = "".join(f"海は青い{n * 37 % 2801}。" for n in range(2800)).translate({ord(f"{n}"): chr(0xFF10 + n) for n in range(10)})
"""Letters of three bytes; nothing in it is said again and again, as by a model that she would interrupt."""
LAST = LONG.rpartition("\n\n")[2]
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 56
UNREAD = "I kept that it came, but not what is in it: that I cannot read or hear."


class Telling(OpenAIServer):
    """A model server that says, as an Endless answer, the pieces it is given: '' ends it, None breaks it off."""

    def __init__(self, default: b.Answerer = answer) -> None:
        super().__init__(default)
        self.pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def says(self, *pieces: str | None) -> None:
        """Let it say more."""
        for piece in pieces:
            self.pieces.put_nowait(piece)

    async def _for_ever(self, send: Any, piece: str, delay: float) -> None:
        while told := await self.pieces.get():
            await send.pieces(told)
        if told is not None:
            await send.end("stop")


def seeing(model: OpenAIServer, *, sees: bool) -> str:
    """Return a configuration with a model that sees, or does not."""
    return f'chat = "main"\n[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\nsees = {str(sees).lower()}\n'


async def text_of(who: Person, event: Event) -> str:
    """Return what a message says, or what its file says where it is one."""
    return (await who.opens(event)).decode() if event.kind == "m.file" else event.body


async def revisions(at_home: Home, who: Person, room: str, shown: Event) -> list[Event]:
    """Return a message and its edits, in their order."""
    return [one for one in await at_home.said(who, room) if shown.id in (one.id, one.replaces)]


async def shows(who: Person, room: str, shown: Event, words: str) -> Event:
    """Wait until an edit of what was shown holds these words, and return it."""
    return await who.hears(room, lambda event: event.replaces == shown.id and words in event.body)


async def watched(at_home: Home, model: Telling, who: Person, room: str, *, thread: str = "") -> list[Event]:
    """Ask for the tale, and return the answer as it was shown: more is told when what was told is to be seen."""
    model.script(b.Endless())
    first, *others, last = PIECES
    model.says(first)
    shown = await at_home.asks(who, room, "tell me a tale", thread=thread, mentions=[at_home.user])
    for piece in others:
        model.says(piece)
        await shows(who, room, shown, piece)
    model.says(last, "")
    await shows(who, room, shown, TALE)
    return await revisions(at_home, who, room, shown)


async def whole(at_home: Home, model: Telling, who: Person, room: str) -> bool:
    """Ask for the tale, which is told slowly; return whether it came at once."""
    model.script(b.Drip(TALE, 0.02))
    shown = await at_home.asks(who, room, "tell me a tale", mentions=[at_home.user])
    return shown.body == TALE and len(await revisions(at_home, who, room, shown)) == 1


# How an answer looks


@pytest.mark.torture
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
        address = "https://evil.example/" + "".join(f"a{n * 37 % 5003}" for n in range(5_000))
        many = " ".join(f"word{n * 37 % 3001}" for n in range(3_000))
        model.script(f"See {address} or [this]({address}), or ask @eve:evil.example. {many} evil.example. The end.")
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
        model.script(SEAS[:17_500] + "https://evil.example")
        said = await at_home.asks(ada, room, "all of it")
        assert said.kind == "m.file" and "(link removed)" in await text_of(ada, said)


@pytest.mark.torture
async def test_a_part_that_no_message_can_hold_comes_as_a_file(at_home: Home, ada: Person) -> None:
    """In an encrypted room, letters of three bytes become more than 64 KiB of ciphertext."""
    async with model_server() as model, at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=True)
        model.script(SEAS)
        first = await at_home.asks(ada, room, "all of it")
        last = await ada.hears(room, lambda event: event.sender == at_home.user, after=first.id)
        assert first.kind == "m.file" and first.body == "This is too long for one message; it is in the file."
        assert "".join([await text_of(ada, one) for one in (first, last)]) == SEAS


# While it is made


@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_an_answer_grows_in_one_message_and_ends_whole(at_home: Home, ada: Person, bob: Person, encrypted: bool) -> None:
    async with Telling() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        root = await ada.says(room, "about doors")
        first, *edits = await watched(at_home, model, ada, room, thread=root)
        shown = [one.body for one in (first, *edits)]
        assert len(shown) >= len(PIECES) and shown[-1] == TALE
        assert all(TALE.startswith(text.rstrip("*")) for text in shown)
        assert [len(text) for text in shown] == sorted(len(text) for text in shown)
        assert (first.thread, first.kind, first.mentions) == (root, "m.text", [ada.user])
        # An edit notifies nobody again; what it says is all that a client needs to show.
        assert [one.mentions for one in edits] == [[]] * len(edits)
        final = edits[-1].content["m.new_content"]
        assert final["body"] == TALE and "<strong>door</strong>" in final["formatted_body"]
        assert final["m.mentions"] == {"user_ids": [ada.user]}
        # The last look at an answer that is being made may show all of it.
        await lyra.rests()
        assert await lyra.kept(DomainKind.ROOM, room) == ["tell me a tale", TALE]


@pytest.mark.torture
async def test_a_sign_stops_an_answer_with_what_came_of_it(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await dm(at_home, ada)
        model.script(b.Hang(TALE[:40]))
        said = await ada.says(room, "tell me a tale")
        shown = await at_home.answer(ada, room, said)
        await ada.reacts(room, shown.id, "🛑")
        ended = await ada.hears(room, lambda event: event.sender == at_home.user and "[…]" in event.body)
        assert TALE.startswith(ended.content["m.new_content"]["body"].removesuffix(" […]"))


@pytest.mark.torture
async def test_a_message_is_never_changed_faster_than_the_pace_allows(at_home: Home, ada: Person) -> None:
    async with Telling() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        lyra.adapter.edit_seconds = 0.2
        # The last one is the answer itself, which does not wait.
        *previews, _ = await watched(at_home, model, ada, await dm(at_home, ada))
        waits = [later.raw["origin_server_ts"] - one.raw["origin_server_ts"] for one, later in pairwise(previews)]
        assert waits and min(waits) >= 199


@pytest.mark.torture
async def test_the_pace_alone_decides_whether_an_answer_is_shown_before_it_is_whole(at_home: Home, ada: Person) -> None:
    async with Telling() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        assert lyra.adapter.edit_seconds >= 3
        room = await dm(at_home, ada)
        lyra.adapter.edit_seconds = 600
        assert await whole(at_home, model, ada, room)
        lyra.adapter.edit_seconds = 0.02
        assert len(await watched(at_home, model, ada, room)) > 1


@pytest.mark.torture
async def test_an_answer_comes_whole_unless_somebody_wants_to_watch(at_home: Home, ada: Person, bob: Person) -> None:
    async with Telling() as model, at_home.lyra(model) as lyra:
        lyra.adapter.edit_seconds = 0.02
        hers, his = await dm(at_home, ada, encrypted=True), await dm(at_home, bob)
        assert await whole(at_home, model, ada, hers)
        assert (await at_home.asks(ada, hers, "!settings streaming on")).body.startswith("streaming: on")
        assert len(await watched(at_home, model, ada, hers)) > 1
        assert await whole(at_home, model, bob, his)


@pytest.mark.torture
async def test_an_admin_has_answers_shown_in_a_room_while_they_are_made(at_home: Home, ada: Person, bob: Person) -> None:
    async with Telling() as model, at_home.lyra(model) as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await room_of(at_home, ada, bob)
        assert await whole(at_home, model, bob, room)
        await at_home.reads_aside(ada, room, "!settings streaming on")
        assert len(await watched(at_home, model, bob, room)) > 1


@pytest.mark.torture
async def test_a_long_answer_that_was_shown_ends_in_parts(at_home: Home, ada: Person) -> None:
    async with Telling() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await dm(at_home, ada)
        model.script(b.Endless())
        model.says(LONG[:200])
        shown = await at_home.asks(ada, room, "all of it")
        model.says(LONG[200:], "")
        await ada.hears(room, lambda event: event.body.endswith(LAST))
        *_, final = await revisions(at_home, ada, room, shown)
        said = [one for one in await at_home.said(ada, room) if one.kind == "m.text" and shown.id not in (one.id, one.replaces)]
        assert final.replaces and "\n\n".join(one.body for one in (final, *said)) == LONG


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_an_answer_that_breaks_off_says_so_in_its_place_and_comes_later(
    at_home: Home, ada: Person, encrypted: bool
) -> None:
    async with Telling() as model, at_home.lyra(model, matrix="streaming = true") as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await dm(at_home, ada, encrypted=encrypted)
        model.script(b.Endless(), TALE)
        model.says("Once there was")
        shown = await at_home.asks(ada, room, "tell me a tale")
        model.says(None)
        broken = await shows(ada, room, shown, "Your message is kept; I answer it when the model does.")
        assert TALE.startswith(shown.body) and broken.content["m.new_content"]["msgtype"] == "m.notice"
        lyra.adapter.edit_seconds = 600
        await lyra.talk.tick()
        later = await ada.hears_text(room, TALE)
        assert later.kind == "m.text" and not later.replaces


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
