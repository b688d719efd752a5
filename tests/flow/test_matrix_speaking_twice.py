"""A part whose fate is unknown: looked for first, sent again under its transaction, and marked where nobody can say."""

import asyncio
from dataclasses import replace

import pytest

from adapters.command_table import Action, File
from adapters.matrix.outgoing.contents import PART
from adapters.matrix.outgoing.posts import Posts
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Held, Lost, Person, Status
from tests.fakes.matrix.contents import text
from tests.fakes.matrix.faults import MESSAGES, SEND, Late
from tests.kits.matrix_speech import Desk, Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

MARK = "*(this may be a repeat)*\n\n"


async def said(it: Desk, ada: Person, room: str) -> list[str]:
    """What Lyra said in a room, as someone in it reads it."""
    return [event.body for event in await ada.messages(room) if event.sender == it.user]


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("accepted", [False, True])
async def test_a_lost_answer_makes_one_message(town: Town, ada: Person, encrypted: bool, accepted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        question = await ada.says(room, "once?")
        it.proxy.faults.always(SEND, Lost(accepted))
        sending = part(room, "Once.", answers=question, since=it.clock())
        await it.delayed(sending)
        it.proxy.faults.lift()
        sent = await it.sender.send(replace(sending, unsure=True))
        assert (await ada.hears_text(room, "Once.")).id == sent
        assert await said(it, ada, room) == ["Once."]


@pytest.mark.torture
async def test_an_answer_of_a_broken_front_makes_one_message(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.script(SEND, Status(502, accepted=True))
        await it.insists(part(room, "Once.", since=it.clock()))
        assert await said(it, ada, room) == ["Once."]


async def test_signs_that_stand_under_a_message_already_are_no_trouble(town: Town, ada: Person) -> None:
    """The homeserver takes each from her once, and another device of hers, or another part, may put them there."""
    action = Action("Answer again", "again", "")
    async with town.beside(ada) as (it, room):
        sending = part(room, "Once.", actions=(action,), since=it.clock())
        sent = await it.sender.send(sending)
        assert await it.sender.send(part(room, "", operation="offer", target=sent, actions=(action,))) == sent
    town.loses_keys()
    async with town.desk() as it:
        await it.knows(room)
        note = File("all.txt", b"all")
        assert await it.sender.send(replace(sending, unsure=True, files=(note,))) == sent
        await ada.hears(room, lambda event: event.kind == "m.file")
        assert [event.reaction for event in await ada.timeline(room) if event.reaction] == [(sent, "🔁")]


async def test_as_another_device_she_finds_what_arrived(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        sending = part(room, "Once.", since=it.clock())
        sent = await it.sender.send(sending)
    town.loses_keys()
    async with town.desk() as it:
        await it.knows(room)
        assert await it.sender.send(replace(sending, unsure=True)) == sent
        assert await said(it, ada, room) == ["Once."]


@pytest.mark.torture
async def test_without_the_look_she_would_say_it_twice(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        sending = part(room, "Once.", since=it.clock())
        await it.sender.send(sending)
    town.loses_keys()
    async with town.desk() as it:
        await it.knows(room)
        await it.sender.send(sending)
        assert await said(it, ada, room) == ["Once.", "Once."]


@pytest.mark.torture
async def test_where_she_cannot_read_what_she_said_a_repeat_is_marked(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        sending = part(room, "Once.", since=it.clock())
        await it.sender.send(sending)
        await ada.hears_text(room, "Once.")
    town.loses_keys()
    async with town.desk() as it:
        await it.knows(room)
        await it.sender.send(replace(sending, unsure=True))
        await ada.hears_text(room, f"{MARK}Once.")


async def test_the_same_words_to_another_question_are_not_taken_for_it(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        first, second = await ada.says(room, "hi"), await ada.says(room, "hi?")
        await it.sender.send(part(room, "Hello.", answers=second))
        await it.sender.send(part(room, "Hello.", answers=first, unsure=True, since=it.clock()))
        assert [event.answers for event in await ada.messages(room) if event.sender == it.user] == [second, first]


@pytest.mark.torture
async def test_the_words_of_others_are_not_taken_for_it(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        sending = part(room, "Hello.", unsure=True, since=it.clock())
        await ada.sends(room, "m.room.message", text("Hello.") | {PART: sending.key})
        await it.sender.send(sending)
        assert await said(it, ada, room) == ["Hello."]


@pytest.mark.parametrize(("hours", "expected"), [(1, "Once."), (13, f"{MARK}Once.")])
async def test_where_the_look_does_not_reach_back_the_transaction_is_trusted_for_some_hours(
    town: Town, ada: Person, hours: int, expected: str
) -> None:
    async with town.beside(ada) as (it, room):
        since = it.clock()
        await asyncio.gather(*(ada.sends(room, "m.room.message", text(str(number)), plain=True) for number in range(110)))
        it.clock.passes(hours * 3600)
        posts = Posts(it.client, Wire(it.client, it.rooms), it.clock, most=100)
        await posts.send(part(room, "Once.", since=since, unsure=True))
        assert await said(it, ada, room) == [expected]


@pytest.mark.torture
async def test_a_history_that_cannot_be_read_now_delays_it(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.always(MESSAGES, Status(502))
        await it.delayed(part(room, "Once.", unsure=True, since=it.clock()))
        assert await said(it, ada, room) == []


@pytest.mark.torture
async def test_what_takes_too_long_is_given_back_and_still_said_once(town: Town, ada: Person) -> None:
    async with town.beside(ada, seconds=1) as (it, room):
        held = Held()
        it.proxy.faults.script(SEND, held)
        sending = part(room, "Once.", since=it.clock())
        assert "cannot be reached" in await it.delayed(sending)
        held.go.set()
        await it.sender.send(replace(sending, unsure=True))
        assert await said(it, ada, room) == ["Once."]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_what_reaches_the_homeserver_only_after_it_was_sent_again_stands_there_once(
    town: Town, ada: Person, encrypted: bool
) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        late = Late()
        it.proxy.faults.always(SEND, late)
        sending = part(room, "Once.", since=it.clock())
        await it.delayed(sending)
        it.proxy.faults.lift()
        sent = await it.sender.send(replace(sending, unsure=True))
        late.go.set()
        await late.over.wait()
        await it.sender.send(part(room, "Then this.", since=it.clock()))
        await ada.hears_text(room, "Then this.")
        assert (late.status, (await ada.hears_text(room, "Once.")).id) == (200, sent)
        assert await said(it, ada, room) == ["Once.", "Then this."]
