"""What was said while Lyra was down: heard oldest first, answered while it is fresh, and never read twice."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from adapters.matrix.adapter import Matrix
from bot.app import App, open_app
from bot.conversation.answering.unanswered import LATE
from memory.types import DomainKind
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.faults import MESSAGES, SYNC, Lost
from tests.kits.awake import Awake, prompt, question
from tests.kits.discord_knowing import Thoughtful
from tests.kits.given_time import pass_there
from tests.kits.matrix_changes import SEALED, Narrow, followed, kept, settled
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.matrix_knowing import Ahead
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]

MISSED = [f"word number {number}" for number in range(40)]
HOUR = 3_600_000_000


def later(microseconds: int) -> Callable[[App], App]:
    """Return what lets her believe that it is so much later."""
    clock = Ahead()
    clock.microseconds = microseconds
    return lambda app: replace(app, base=replace(app.base, clock=clock))


async def missed(at_home: Home, ada: Person, model: Thoughtful, sealed: bool) -> tuple[str, str]:
    """Let forty words be said while she is down; return their DM and the last of them."""
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=sealed)
        await at_home.asks(ada, room, "hello")
    for words in MISSED:
        last = await ada.says(room, words)
    return room, last


async def said(lyra: Awake, ada: Person, room: str, sealed: bool) -> list[str]:
    """Return what people said of what is kept."""
    return [text for text in await kept(lyra, ada, room, sealed) if not text.startswith("You said")]


@pytest.mark.torture
@SEALED
async def test_forty_words_are_heard_oldest_first_and_answered_together(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    room, last = await missed(at_home, ada, model, sealed)
    async with at_home.lyra(model, "background_calls_per_day = 0", kind=Narrow) as lyra:
        answer = await at_home.answer(ada, room, last)
        await settled(lyra)
        assert await said(lyra, ada, room, sealed) == ["hello", *MISSED]
        assert [question(chat) for chat in lyra.chats[1:]] == ["\n".join(MISSED)]
        assert answer.body.endswith(MISSED[-1])
    assert at_home.proxy.calls(MESSAGES), "five at once, and the others read back"
    assert len(await at_home.said(ada, room)) == 3, "the introduction and two answers"


@pytest.mark.torture
@pytest.mark.parametrize("narrow", few([True, False]), ids=few(["read back", "told at once"]))
async def test_in_a_room_everyone_is_answered_in_the_order_in_which_they_asked(
    at_home: Home, people: People, ada: Person, model: Thoughtful, narrow: bool
) -> None:
    bob = await people.person("bob")
    async with at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        await at_home.asks(ada, room, "hello", mentions=[at_home.user])
    for number in range(6):
        who = (ada, bob)[number % 2]
        await who.says(room, f"question {number}?", mentions=[at_home.user])
        for aside in range(2):
            await who.says(room, f"aside {number} {aside}")
    async with at_home.lyra(model, kind=Narrow if narrow else Matrix) as lyra:
        await bob.hears_text(room, "You said: Bob: question 5?")
        await settled(lyra)
        told = [one.body for one in await at_home.said(bob, room)][2:]
        assert told == [f"You said: {('Ada', 'Bob')[number % 2]}: question {number}?" for number in range(6)]
        assert [text for text in await lyra.kept(DomainKind.ROOM, room) if text.startswith("question")] == [
            f"question {number}?" for number in range(6)
        ]


@pytest.mark.torture
@SEALED
async def test_what_is_older_than_the_limit_is_kept_and_told_in_one_line_not_to_be_answered(
    at_home: Home, ada: Person, model: Thoughtful, monkeypatch: pytest.MonkeyPatch, sealed: bool
) -> None:
    pass_there(monkeypatch)
    room, last = await missed(at_home, ada, model, sealed)
    within = "answer_within_minutes = 30"
    async with at_home.lyra(model, within, kind=Narrow, changed=later(HOUR)) as lyra:
        await followed(at_home, ada, room, last)
        await settled(lyra)
        assert await said(lyra, ada, room, sealed) == ["hello", *MISSED]
        assert len(lyra.chats) == 1
        assert await lyra.app.memory.journal.unfinished("matrix") == []
    async with at_home.lyra(model, within) as lyra:
        await at_home.asks(ada, room, "what did I say?")
        assert [question(chat) for chat in lyra.chats[1:]] == ["what did I say?"]
        assert MISSED[-1] in prompt(lyra.chats[-1])
    assert [one.body for one in await at_home.said(ada, room)].count(str(LATE)) == 1


@pytest.mark.torture
async def test_within_the_limit_it_is_answered(at_home: Home, ada: Person, model: Thoughtful) -> None:
    """The twin."""
    room, last = await missed(at_home, ada, model, sealed=False)
    async with at_home.lyra(model, "answer_within_minutes = 120", kind=Narrow, changed=later(HOUR)):
        assert (await at_home.answer(ada, room, last)).body.endswith(MISSED[-1])


async def test_what_a_lost_answer_of_the_homeserver_brings_again_is_answered_once(
    at_home: Home, ada: Person, model: Thoughtful
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        await at_home.proxy.waiting(SYNC)
        at_home.proxy.faults.script(SYNC, Lost(), Lost(), Lost(), Lost())
        await at_home.asks(ada, room, "once?")
        await at_home.asks(ada, room, "and now?")
        await settled(lyra)
        assert [question(chat) for chat in lyra.chats] == ["hello", "once?", "and now?"]
        assert await said(lyra, ada, room, sealed=False) == ["hello", "once?", "and now?"]


@pytest.mark.parametrize("guarded", [True, False])
async def test_what_an_older_cursor_brings_again_is_answered_once(
    at_home: Home, ada: Person, model: Thoughtful, guarded: bool
) -> None:
    """Without what was noted of every event heard it is answered again."""
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        await lyra.talk.tick()
        before = await lyra.app.memory.journal.cursors("matrix")
        once = await ada.says(room, "once?")
        await at_home.answer(ada, room, once)
    async with open_app() as app:
        await app.memory.journal.move("matrix", before)
        if not guarded:
            async with app.memory.db.transaction() as tx:
                await tx.run("DELETE FROM inbox")
    async with at_home.lyra(model) as lyra:
        await at_home.asks(ada, room, "and now?")
        await settled(lyra)
        again = [chat for chat in lyra.chats if "once?" in question(chat)]
        assert len(again) == (1 if guarded else 2)
        assert (await said(lyra, ada, room, sealed=False)).count("once?") == 1
