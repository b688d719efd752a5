"""Words that were forgotten on Matrix come back by no way: no answer, no quote, nothing said just before, no post of hers.

The model repeats the code wherever a prompt holds it, so that every way that is left open shows.
"""

import asyncio

import pytest

from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import Awake, prompt
from tests.kits.entered import entered_in_loop
from tests.kits.matrix_changes import SEALED, answers_to, followed
from tests.kits.matrix_home import Home, dm, room_of, sees_inside
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

TOLD, ASKED, CODE = "my locker code is 4711", "what is my locker code?", "4711"
REPEATED, IGNORANT = "It is 4711.", "I do not know it."

model = entered_in_loop(lambda: OpenAIServer(lambda request: REPEATED if CODE in prompt(request) else IGNORANT))
"""A model that repeats the code where it is shown."""


async def taken_back(at_home: Home, who: Person, room: str, said: str, how: str) -> None:
    """Redact or edit a message, and wait until she has followed that."""
    done = await who.redacts(room, said) if how == "redacted" else await who.edits(room, said, "never mind")
    await followed(at_home, who, room, done)


async def told(at_home: Home, who: Person, room: str) -> str:
    """Tell Lyra the code, wait for her answer, and return what was said."""
    said = await who.says(room, TOLD, mentions=[at_home.user])
    assert (await at_home.answer(who, room, said)).body == REPEATED
    return said


async def asked_again(at_home: Home, lyra: Awake, who: Person, room: str, reply_to: str = "") -> bool:
    """Ask for the code, and say whether the model was shown it."""
    answer = await at_home.asks(who, room, ASKED, mentions=[at_home.user], reply_to=reply_to)
    shown = CODE in prompt(lyra.chats[-1])
    assert answer.body == (REPEATED if shown else IGNORANT)
    return shown


async def holds(lyra: Awake, kind: DomainKind, native_id: str) -> list[str]:
    """Return what is kept of a domain that holds the code."""
    return [text for text in await lyra.kept(kind, native_id) if CODE in text]


@pytest.mark.torture
@pytest.mark.parametrize("how", ["redacted", "edited"])
async def test_no_answer_repeats_what_was_taken_back(at_home: Home, ada: Person, model: OpenAIServer, how: str) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await told(at_home, ada, room)
        for _ in range(3):
            assert await asked_again(at_home, lyra, ada, room)
        assert len(await holds(lyra, DomainKind.DM, ada.user)) == 5
        await taken_back(at_home, ada, room, said, how)
        assert await holds(lyra, DomainKind.DM, ada.user) == []
        assert CODE not in (await at_home.asks(ada, room, f"!recall {ASKED}")).body
        assert not await asked_again(at_home, lyra, ada, room)


@pytest.mark.torture
@pytest.mark.parametrize(
    ("how", "streaming"), few([("redacted", True), ("edited", True), ("redacted", False), ("edited", False)], 2)
)
async def test_what_is_taken_back_while_she_answers_is_not_said(
    at_home: Home, ada: Person, model: OpenAIServer, how: str, streaming: bool
) -> None:
    async with at_home.lyra(model, matrix=f"streaming = {str(streaming).lower()}") as lyra:
        lyra.adapter.edit_seconds = 0.02
        room = await dm(at_home, ada)
        said = await told(at_home, ada, room)
        before = (await at_home.answer(ada, room, said)).id
        model.script(b.Held("711.", first="It is 4"))
        asked = await ada.says(room, ASKED)
        await model.heard(2)
        if streaming:
            await at_home.answer(ada, room, asked)
        await taken_back(at_home, ada, room, said, how)
        model.go.set()
        await ada.hears(room, lambda event: event.sender == at_home.user and event.body.endswith(IGNORANT))
        since = [event for event in await at_home.said(ada, room) if event.answers == asked or event.replaces]
        shown = [event.body for event in since if event.replaces != before]
        assert not any(CODE in text for text in shown), shown
        assert await holds(lyra, DomainKind.DM, ada.user) == []
        assert not await asked_again(at_home, lyra, ada, room)


@pytest.mark.torture
async def test_what_was_forgotten_in_a_room_is_shown_to_nobody_and_her_posts_go_where_somebody_says_so(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await told(at_home, ada, room)
        hers = (await at_home.answer(ada, room, said)).id
        receipt = (await at_home.reads_aside(ada, room, "!forget", reply_to=said)).body
        assert receipt.startswith(
            "Forgotten: 1 message, 1 reply. 1 message of mine here came of what is forgotten and can still be read. "
            'To delete it, say in "Garden": !forget posts\n'
        )
        assert not await asked_again(at_home, lyra, bob, room)
        assert not await asked_again(at_home, lyra, bob, room, reply_to=said)
        assert not await asked_again(at_home, lyra, bob, room, reply_to=hers)
        assert CODE not in (await at_home.reads_aside(bob, room, "!summarize last:200")).body
        deleted = (await at_home.reads_aside(ada, room, "!forget posts")).body
        assert deleted.startswith("Deleted: 1 message of mine.")
        assert (await bob.looks_at(room, hers)).body == ""
        assert await holds(lyra, DomainKind.ROOM, room) == []


@pytest.mark.torture
@pytest.mark.parametrize("replies", few(["thread", ""], 2))
@pytest.mark.parametrize("how", few(["redacted", "edited", "!forget"], 2))
async def test_what_she_never_kept_is_gone_from_her_answers_when_it_is_taken_back(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, how: str, replies: str
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        if replies:
            await at_home.reads_aside(ada, room, f"!settings replies {replies}")
        aside = await bob.says(room, TOLD)
        assert await asked_again(at_home, lyra, ada, room)
        assert len(await holds(lyra, DomainKind.ROOM, room)) == 1
        if how == "!forget":
            assert "1 reply" in (await at_home.reads_aside(bob, room, "!forget", reply_to=aside)).body
        else:
            await taken_back(at_home, bob, room, aside, how)
        assert await holds(lyra, DomainKind.ROOM, room) == []
        assert not await asked_again(at_home, lyra, ada, room)


@pytest.mark.torture
async def test_what_she_never_kept_is_not_said_where_it_is_taken_back_while_she_answers(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        aside = await bob.says(room, TOLD)
        model.script(b.Held(REPEATED))
        asked = await ada.says(room, ASKED, mentions=[at_home.user])
        await model.heard(1)
        assert CODE in prompt(lyra.chats[0])
        await taken_back(at_home, bob, room, aside, "redacted")
        model.go.set()
        assert (await at_home.answer(ada, room, asked)).body == IGNORANT
        assert await answers_to(at_home, ada, room, asked) == [IGNORANT]
        assert await holds(lyra, DomainKind.ROOM, room) == []


@pytest.mark.torture
async def test_answers_of_commands_that_show_it_are_deleted_and_not_looked_at(
    at_home: Home, ada: Person, model: OpenAIServer
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await told(at_home, ada, room)
        shown = [await at_home.asks(ada, room, one) for one in ("!summarize", "!recall locker code", "!summarize last:9")]
        assert [CODE in one.body for one in shown] == [True] * 3
        await taken_back(at_home, ada, room, said, "redacted")
        for one in shown:
            assert not await asked_again(at_home, lyra, ada, room, reply_to=one.id)
        assert (await at_home.asks(ada, room, "!forget posts")).body == "Deleted: 4 messages of mine."
        assert [(await ada.looks_at(room, one.id)).body for one in shown] == [""] * 3


@pytest.mark.torture
@pytest.mark.parametrize("who", few(["ada", "lyra"], 2))
async def test_a_post_of_hers_in_a_dm_does_not_bring_back_what_its_reader_may_not_read_any_more(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, who: str
) -> None:
    async with at_home.lyra(model) as lyra:
        alone, room = await dm(at_home, ada), await room_of(at_home, bob, ada)
        await told(at_home, bob, room)
        await at_home.asks(ada, alone, "!settings reach on")
        hers = await at_home.asks(ada, alone, ASKED)
        assert hers.body == REPEATED
        await bob.kicks(room, ada.user if who == "ada" else at_home.user)
        await followed(at_home, ada, alone, await ada.says(alone, "!status"))
        assert not await asked_again(at_home, lyra, ada, alone, reply_to=hers.id)
        for command in ("!summarize last:200", "!summarize", "!sessions"):
            assert CODE not in (await at_home.asks(ada, alone, command)).body
        assert await holds(lyra, DomainKind.DM, ada.user) == []


@pytest.mark.torture
@pytest.mark.parametrize("who", ["lyra", "ada"])
async def test_an_answer_made_of_a_room_that_is_out_of_reach_meanwhile_is_not_said(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, who: str
) -> None:
    async with at_home.lyra(model) as lyra:
        own, room = await dm(at_home, ada), await room_of(at_home, bob, ada)
        await told(at_home, bob, room)
        await at_home.asks(ada, own, "!settings reach on")
        model.script(b.Held(REPEATED))
        asked = await ada.says(own, ASKED)
        await model.heard(len(model.requests) + 1)
        assert CODE in prompt(lyra.chats[-1])
        await bob.kicks(room, at_home.user if who == "lyra" else ada.user)
        await followed(at_home, ada, own, await ada.says(own, "!settings"))
        model.go.set()
        assert (await at_home.answer(ada, own, asked)).body == IGNORANT
        assert not await asked_again(at_home, lyra, ada, own)


@pytest.mark.torture
@pytest.mark.parametrize("how", few(["redacted", "edited"]))
async def test_what_is_taken_back_while_she_looks_back_is_not_in_what_she_tells(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, how: str
) -> None:
    async with at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        said = await told(at_home, bob, room)
        asked = len(model.requests)
        model.script(b.Held("bob said [m1] that the locker code is 4711."))
        answer = asyncio.create_task(at_home.reads_aside(ada, room, "!summarize last:50"))
        await model.heard(asked + 1)
        await taken_back(at_home, bob, room, said, how)
        model.go.set()
        assert CODE not in (await answer).body


@pytest.mark.torture
@pytest.mark.parametrize("how", few(["redacted", "edited"]))
async def test_what_is_taken_back_while_she_is_out_of_a_room_is_quoted_by_no_reply_when_she_is_back(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, how: str
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, bob, ada)
        said = await told(at_home, ada, room)
        await bob.kicks(room, at_home.user)
        await (ada.redacts(room, said) if how == "redacted" else ada.edits(room, said, "never mind"))
        for n in range(25):
            await ada.says(room, f"something else {n}")
        await bob.invites(room, at_home.user)
        await sees_inside(bob, room, at_home.user)
        assert not await asked_again(at_home, lyra, bob, room, reply_to=said)


@pytest.mark.torture
@SEALED
async def test_an_answer_to_the_change_of_a_message_that_was_taken_back_shows_nothing_of_it(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=sealed)
        for how in ("forgotten", "redacted"):
            said = await ada.says(room, "hello there", mentions=[at_home.user])
            await at_home.answer(ada, room, said)
            change = await ada.edits(room, said, TOLD)
            await followed(at_home, ada, room, change)
            if how == "forgotten":
                await at_home.reads_aside(ada, room, "!forget", reply_to=said)
            else:
                await taken_back(at_home, ada, room, said, how)
            # The change stays readable at the homeserver.
            assert not await asked_again(at_home, lyra, bob, room, reply_to=change)


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_a_question_that_waits_keeps_nothing_of_what_it_quotes_once_that_is_forgotten(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:

        async def nothing(*_: object) -> None:
            pass

        monkeypatch.setattr("bot.commands.forget_commands.drop_quotes", nothing)
        monkeypatch.setattr("bot.service.sweeping.drop_quotes", nothing)
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await told(at_home, ada, room)
        model.script(*[b.DENIED] * 9)
        asked = await bob.says(room, "is that so?", reply_to=said, mentions=[at_home.user])
        await at_home.answer(bob, room, asked)
        held = "SELECT payload FROM inbox WHERE state = 'held'"
        assert [CODE in row["payload"] for row in await lyra.app.memory.db.all(held)] == [True]
        await at_home.reads_aside(ada, room, "!forget", reply_to=said)
        (waiting,) = await lyra.app.memory.db.all(held)
        assert "is that so?" in waiting["payload"] and (CODE in waiting["payload"]) is not guarded


@pytest.mark.torture
async def test_who_is_put_out_of_a_room_while_she_answers_reads_nothing_more(
    at_home: Home, ada: Person, bob: Person, model: OpenAIServer
) -> None:
    async with at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        await told(at_home, ada, room)
        model.script(b.Held(REPEATED))
        asked = await bob.says(room, ASKED, mentions=[at_home.user])
        await model.heard(2)
        await ada.kicks(room, bob.user)
        model.go.set()
        assert (await at_home.answer(ada, room, asked)).body == REPEATED
        assert not [one for one in await bob.messages(room) if one.sender == at_home.user and one.answers == asked]
