"""What shows on Matrix while an answer is made: one message that grows, at a pace, unless nobody wants to watch."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Event, Person
from tests.fakes.openai_server import OpenAIServer
from tests.flow.test_lyra_matrix_sending import LAST, LONG
from tests.kits.awake import answer, model_server
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]


PIECES = ("Once there was a **door**", " that nobody had opened", " for a hundred years,", " and behind it lived a very old cat.")
TALE = "".join(PIECES)


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
        assert await lyra.kept(DomainKind.ROOM, room) == ["tell me a tale", TALE]


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
