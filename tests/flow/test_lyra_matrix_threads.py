"""Threads of Matrix rooms: each is a conversation of its own in the room's memory, and a room says where she answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from adapters.events import Event as Happened
from adapters.events import MessageEdited, MessagesDeleted, Reach
from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.batch import SyncBatch
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.rooms.room import short
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import Awake, answer, model_server, prompt, question
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]


class Together(OpenAIServer):
    """A model server that answers nobody before so many have asked, where that is set."""

    def __init__(self, default: b.Answerer = answer) -> None:
        super().__init__(default)
        self.awaits = 0

    async def _record(self, request: web.Request) -> b.Request:
        recorded = await super()._record(request)
        await self.heard(self.awaits)
        return recorded


def recent(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the turns of a conversation that a prompt holds before its question."""
    return [str(one["content"]) for one in messages[1:-1]]


async def sessions(lyra: Awake, room: str) -> dict[str, int]:
    """Return the conversations of a room by name, with how many messages each has."""
    return {one.name: one.messages for one in await (await lyra.view(DomainKind.ROOM, room)).sessions.all()}


async def ruled(at_home: Home, who: Person, room: str, setting: str) -> None:
    """Change a setting of a room."""
    await at_home.reads_aside(who, room, f"!settings {setting}")


# Conversations


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_timeline_and_two_threads_at_once_are_three_conversations_of_one_memory(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with Together() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        cats, boats = [await ada.says(room, about) for about in ("about cats", "about boats")]
        facts = {"": "the door is green", cats: "the cat is called Miso", boats: "the boat leaves at seven"}
        model.awaits = 3
        first = await asyncio.gather(
            *(at_home.asks(ada, room, fact, thread=thread, mentions=[at_home.user]) for thread, fact in facts.items())
        )
        assert [one.thread for one in first] == list(facts)
        assert [one.body for one in first] == [f"You said: Ada: {fact}" for fact in facts.values()]

        model.awaits = 6
        again = await asyncio.gather(
            *(at_home.asks(bob, room, "and now?", thread=thread, mentions=[at_home.user]) for thread in facts)
        )
        assert [one.thread for one in again] == list(facts)
        held = [recent(chat.messages) for chat in lyra.chats[3:]]
        assert sorted(held) == sorted([f"Ada: {fact}", f"You said: Ada: {fact}"] for fact in facts.values())

        named = {"Garden": 4, f"Garden: thread {short(cats)}": 4, f"Garden: thread {short(boats)}": 4}
        assert await sessions(lyra, room) == named
        await at_home.asks(bob, room, "what is the cat called?", thread=boats, mentions=[at_home.user])
        assert "Ada: the cat is called Miso" in prompt(lyra.chats[-1]).partition("What you recall:")[2]
        assert not any("Miso" in turn for turn in recent(lyra.chats[-1].messages))


async def test_an_answer_stands_in_the_thread_as_a_reply_that_mentions_the_asker(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        root = await ada.says(room, "about boats")
        said = {thread: await bob.says(room, "which boat?", thread=thread, mentions=[at_home.user]) for thread in ("", root)}
        for thread, asked in said.items():
            told = await at_home.answer(bob, room, asked)
            relation = told.content["m.relates_to"]
            assert told.thread == thread
            assert relation["m.in_reply_to"] == {"event_id": asked}
            assert told.mentions == [bob.user]


@pytest.mark.torture
async def test_a_thread_of_a_dm_is_a_conversation_of_its_own_in_the_same_memory(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        root = await ada.says(room, "the boat leaves at seven")
        await at_home.answer(ada, room, root)
        told = await at_home.asks(ada, room, "when does the boat leave?", thread=root)
        assert told.thread == root
        assert recent(lyra.chats[-1].messages) == []
        assert "the boat leaves at seven" in prompt(lyra.chats[-1])
        assert len(await (await lyra.view(DomainKind.DM, ada.user)).sessions.all()) == 2


# Where she answers


@pytest.mark.torture
async def test_a_room_that_wants_threads_gets_one_under_each_question(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, "threads on")
        said = await bob.says(room, "the boat leaves at seven", mentions=[at_home.user])
        first = await at_home.answer(bob, room, said)
        assert (first.thread, first.mentions) == (said, [bob.user])
        # The thread is hers, and one conversation with what began it.
        again = await at_home.asks(ada, room, "which boat?", thread=said)
        assert again.thread == said
        assert recent(lyra.chats[-1].messages) == ["Bob: the boat leaves at seven", first.body]
        other = await bob.says(room, "the cat is called Miso", mentions=[at_home.user])
        assert (await at_home.answer(bob, room, other)).thread == other
        assert recent(lyra.chats[-1].messages) == []
        assert await sessions(lyra, room) == {f"Garden: thread {short(said)}": 4, f"Garden: thread {short(other)}": 2}


@pytest.mark.torture
async def test_a_reply_is_answered_in_a_thread_under_it_too(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, "replies thread")
        said = await ada.says(room, "the ferry sinks at noon")
        asked = await bob.says(room, "is that so?", reply_to=said, mentions=[at_home.user])
        assert (await at_home.answer(bob, room, asked)).thread == asked
        assert "The message answers this:\n> Ada: the ferry sinks at noon" in prompt(lyra.chats[-1])


@pytest.mark.torture
async def test_a_room_that_wants_no_threads_is_answered_in_its_timeline(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, "replies timeline")
        root = await ada.says(room, "about boats")
        said = await bob.says(room, "the boat leaves at seven", thread=root, mentions=[at_home.user])
        told = await at_home.answer(bob, room, said)
        assert (told.thread, told.answers, told.mentions) == ("", said, [bob.user])
        await at_home.asks(ada, room, "which boat?", mentions=[at_home.user])
        assert recent(lyra.chats[-1].messages) == ["Bob: the boat leaves at seven", told.body]
        assert await sessions(lyra, room) == {"Garden": 4}


@pytest.mark.torture
async def test_what_a_room_wants_can_be_taken_back(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        root = await ada.says(room, "about boats")
        for wanted in ("timeline", "thread", "follow"):
            await ruled(at_home, ada, room, f"replies {wanted}")
            said = {thread: await bob.says(room, wanted, thread=thread, mentions=[at_home.user]) for thread in ("", root)}
            stands = [(await at_home.answer(bob, room, asked)).thread for asked in said.values()]
            assert stands == {"timeline": ["", ""], "thread": [said[""], root], "follow": ["", root]}[wanted]


@pytest.mark.torture
@pytest.mark.parametrize("wanted", few(["thread", "timeline"]))
async def test_what_was_said_just_before_is_read_where_the_question_was_asked(
    at_home: Home, ada: Person, bob: Person, wanted: str
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, f"replies {wanted}")
        root = await ada.says(room, "about boats")
        where = {"thread": root} if wanted == "timeline" else {}
        await ada.says(room, "the ferry sinks at noon", **where)
        await ada.says(room, "the kettle is on", **{} if where else {"thread": root})
        await at_home.asks(bob, room, "is that so?", mentions=[at_home.user], **where)
        just_before = prompt(lyra.chats[-1]).partition("Just before, others said here:\n")[2]
        assert just_before.endswith("> Ada: about boats\n> Ada: the ferry sinks at noon\n\nBob: is that so?")
        assert "kettle" not in prompt(lyra.chats[-1])


# Changes of what was answered elsewhere


class _Near(Hearing):
    """Tells of changes as of places that have no threads: only where the event itself stands is looked for it."""

    def advance(self, batch: SyncBatch) -> list[Happened]:
        return [
            replace(event, place=replace(event.place, reach=Reach.RESTRICTED))
            if isinstance(event, MessageEdited | MessagesDeleted)
            else event
            for event in super().advance(batch)
        ]


class _Nearsighted(Matrix):
    hearing = _Near


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, _Nearsighted])
@pytest.mark.parametrize("wanted", few(["thread", "timeline"]))
async def test_what_is_changed_or_taken_back_is_found_where_it_was_kept(
    at_home: Home, ada: Person, bob: Person, wanted: str, kind: type[Matrix]
) -> None:
    """The twin, too: where only the event's own place is looked at, the old words stay."""
    async with model_server() as model, at_home.lyra(model, kind=kind) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, f"replies {wanted}")
        root = await ada.says(room, "about boats") if wanted == "timeline" else ""
        changed, removed = [
            await ada.says(room, text, thread=root, mentions=[at_home.user])
            for text in ("the boat leaves at seven", "the door is green")
        ]
        for one in (changed, removed):
            await at_home.answer(ada, room, one)
        await ada.edits(room, changed, "the boat leaves at nine")
        await ada.redacts(room, removed)
        await at_home.asks(bob, room, "and now?", mentions=[at_home.user])
        kept = await lyra.kept(DomainKind.ROOM, room)
        found = ["the boat leaves at nine" in kept, "the boat leaves at seven" in kept, "the door is green" in kept]
        assert found == ([True, False, False] if kind is Matrix else [False, True, True])


@pytest.mark.torture
async def test_what_waits_for_its_answer_in_a_thread_of_its_own_can_be_changed(at_home: Home, ada: Person, bob: Person) -> None:
    async with Together() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, "replies thread")
        model.awaits = 2
        said = await ada.says(room, "the boat leaves at seven", mentions=[at_home.user])
        await model.heard(1)
        await ada.edits(room, said, "the boat leaves at nine")
        await at_home.asks(bob, room, "and now?", mentions=[at_home.user])
        told = await at_home.answer(ada, room, said)
        assert (told.thread, told.body) == (said, "You said: Ada: the boat leaves at nine")
        assert "the boat leaves at seven" not in await lyra.kept(DomainKind.ROOM, room)
        assert question(lyra.chats[-1]) == "Ada: the boat leaves at nine"


async def test_what_one_person_says_before_the_thread_can_be_seen_belongs_to_it(at_home: Home, ada: Person, bob: Person) -> None:
    async with Together() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await ruled(at_home, ada, room, "threads on")
        model.awaits = 2
        first = await ada.says(room, "hello", mentions=[at_home.user])
        await model.heard(1)
        second = await ada.says(room, "the lighthouse keeper is called Bertram", mentions=[at_home.user])
        third = await bob.says(room, "which tea?", mentions=[at_home.user])
        told = [await at_home.answer(who, room, one) for who, one in ((ada, second), (bob, third))]
        assert [one.thread for one in told] == [first, third]
        # What they see, they can leave: what is said in the timeline then begins another.
        other = await ada.says(room, "and which cup?", mentions=[at_home.user])
        assert (await at_home.answer(ada, room, other)).thread == other
        await ada.edits(room, second, "the lighthouse keeper is called Konrad")
        await at_home.asks(bob, room, "and now?", mentions=[at_home.user])
        kept = "\n".join(await lyra.kept(DomainKind.ROOM, room))
        assert "Konrad" in kept and "Bertram" not in kept
        await ada.redacts(room, second)
        await at_home.asks(bob, room, "and then?", mentions=[at_home.user])
        assert "Konrad" not in "\n".join(await lyra.kept(DomainKind.ROOM, room))
