"""What somebody asks for themselves in a room on Matrix is read by them alone, in their DM; what is for all is what all may know."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from adapters.matrix.adapter import Matrix
from tests.fakes.matrix import Event, Person, Proxy, Refuse
from tests.kits.awake import Awake
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

CREATE = "POST /createRoom"
NOT_REACHED = "I answer that only in private, and could not reach you there: write me a DM, or ask again in a minute."
GONE = "That list is not there any more; ask again."


class AnyDm(Matrix):
    """Takes every DM for good enough for what was said encrypted."""

    async def private_place(self, person: Someone, *, encrypted: bool = False) -> Place | None:
        return await super().private_place(person)


class Blind(Matrix):
    """Takes everybody for somebody who is still there."""

    async def is_reader(self, person: Someone, place: Place) -> bool:
        return True


async def tells(at_home: Home, who: Person, room: str, *texts: str) -> str:
    """Say things to Lyra, wait for her answer to the last one, and return that one."""
    said = [await who.says(room, text, mentions=[at_home.user]) for text in texts]
    await at_home.answer(who, room, said[-1])
    return said[-1]


def heard(who: Person, at_home: Home, words: str) -> list[Event]:
    """Return what somebody heard of Lyra anywhere that holds these words."""
    return [one for one in who.ears.events if one.sender == at_home.user and words in one.body]


# Where it is read


async def test_what_is_asked_in_a_room_is_answered_in_the_dm_alone(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        root = await tells(at_home, ada, room, "The harbour party is on Friday.")
        before = [one.id for one in await at_home.said(bob, room)]
        garden, dms = '\n(This is about "Garden".)', set()
        for asked, told in (
            ("!recall harbour", "1. The harbour party is on Friday."),
            ("!summarize", 'Ada said: "The harbour party is on Friday."'),
            ("!summarize last:5", "kept nowhere:"),
            ("!sessions", "* Garden: 2 messages"),
            ("!memory", "I keep 1 message said here"),
            ("!status", "1 message said here kept"),
            ("!settings", "answers: mentioned"),
            ("!privacy", "Here I keep what is said to me"),
            ("!help", "Mention me, or answer me, to talk."),
            ("!forget nothing", "There is no message with that id here."),
        ):
            answer = await at_home.reads_aside(ada, room, asked)
            assert told in answer.body and answer.body.endswith(garden)
            assert (answer.kind, answer.thread, answer.answers) == ("m.notice", "", "")
            dms.add(answer.room)
        answer = await at_home.reads_aside(ada, room, "!recall harbour", thread=root)
        assert "harbour party" in answer.body and '(This is about "Garden: thread ' in answer.body
        dms.add(answer.room)
        assert len(dms) == 1 and dms.isdisjoint({room})
        assert [one.id for one in await at_home.said(bob, room)] == before


@pytest.mark.torture
async def test_an_encrypted_dm_is_taken_before_a_plain_one_and_none_is_made_beside_them(
    at_home: Home, proxy: Proxy, ada: Person, bob: Person
) -> None:
    async with at_home.lyra():
        room, plain = await room_of(at_home, ada, bob), await dm(at_home, ada)
        assert (await at_home.reads_aside(ada, room, "!status")).room == plain
        sealed = await dm(at_home, ada, encrypted=True)
        answer = await at_home.reads_aside(ada, room, "!status")
        assert (answer.room, answer.encrypted) == (sealed, True)
        assert proxy.calls(CREATE) == []


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, AnyDm])
async def test_what_was_asked_in_an_encrypted_room_is_answered_encrypted(
    at_home: Home, ada: Person, bob: Person, kind: type[Matrix]
) -> None:
    async with at_home.lyra(kind=kind):
        room, plain = await room_of(at_home, ada, bob, encrypted=True), await dm(at_home, ada)
        await tells(at_home, ada, room, "The harbour party is on Friday.")
        answer = await at_home.reads_aside(ada, room, "!recall harbour")
        assert "harbour party is on Friday" in answer.body
        assert (answer.encrypted, answer.room != plain) == ((True, True) if kind is Matrix else (False, False))


@pytest.mark.torture
async def test_who_cannot_be_reached_is_told_so_in_the_room(at_home: Home, proxy: Proxy, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        await tells(at_home, ada, room, "The harbour party is on Friday.")
        proxy.faults.script(CREATE, Refuse(403, "M_FORBIDDEN"))
        assert (await at_home.asks(ada, room, "!recall harbour")).body == NOT_REACHED
        assert "harbour party" in (await at_home.reads_aside(ada, room, "!recall harbour")).body


# Who is not there any more


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, Blind])
async def test_who_was_put_out_meanwhile_is_told_nothing_of_the_room(
    at_home: Home, ada: Person, bob: Person, kind: type[Matrix]
) -> None:
    async with at_home.lyra(kind=kind):
        room = await room_of(at_home, bob, ada)
        private = await dm(at_home, ada)
        await tells(at_home, bob, room, "The harbour party is on Friday.")
    asked = await ada.says(room, "!recall harbour")
    await bob.kicks(room, ada.user)
    async with at_home.lyra(kind=kind):
        if kind is Matrix:
            assert (await at_home.answer(bob, room, asked)).body == NOT_REACHED
            assert (await at_home.asks(ada, private, "!status")).body.startswith("0 messages of yours")
            assert heard(ada, at_home, "harbour") == []
        else:
            await ada.hears(private, lambda event: event.sender == at_home.user and "harbour party" in event.body)


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, Blind])
async def test_who_was_put_out_is_shown_no_further_page(at_home: Home, ada: Person, bob: Person, kind: type[Matrix]) -> None:
    async with at_home.lyra(kind=kind):
        room = await room_of(at_home, bob, ada)
        private = await dm(at_home, ada)
        await tells(at_home, bob, room, *(f"Walnut number {n}." for n in range(6)))
        assert "!more shows more." in (await at_home.reads_aside(ada, room, "!recall walnut")).body
        await bob.kicks(room, ada.user)
        await tells(at_home, bob, room, "That is done.")
        told = (await at_home.asks(ada, private, "!more")).body
        assert told == GONE if kind is Matrix else told.startswith("6. Walnut number")


@pytest.mark.torture
async def test_the_next_page_of_a_room_is_asked_for_in_the_dm_as_well(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room, private = await room_of(at_home, ada, bob), await dm(at_home, ada)
        await tells(at_home, ada, room, *(f"Walnut number {n}." for n in range(6)))
        for where in (private, room):
            await at_home.reads_aside(ada, room, "!recall walnut")
            told = await (at_home.asks if where == private else at_home.reads_aside)(ada, where, "!more")
            assert told.body.startswith("6. Walnut number") and told.room == private
        await at_home.reads_aside(ada, room, "!recall walnut")
        assert (await at_home.asks(bob, await dm(at_home, bob), "!more")).body == GONE


# What is for all


@asynccontextmanager
async def confided(at_home: Home, ada: Person, bob: Person, **made: Any) -> AsyncIterator[tuple[Awake, str]]:
    """Let Ada tell something in a room and something else in her DM, and give the room."""
    async with at_home.lyra() as lyra:
        room, private = await room_of(at_home, ada, bob, **made), await dm(at_home, ada)
        await tells(at_home, ada, room, "The party at the harbour is on Friday.")
        await tells(at_home, ada, private, "The party is a surprise for Bob.")
        yield lyra, room


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_public_answer_is_given_in_the_room_from_what_the_room_may_know(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with confided(at_home, ada, bob, encrypted=encrypted) as (_, room):
        told = await at_home.asks(ada, room, "!summarize public:yes")
        assert "harbour is on Friday" in told.body and "surprise" not in told.body
        assert (told.kind, told.encrypted, told.room) == ("m.notice", encrypted, room)
        root = await tells(at_home, ada, room, "The mill is for sale.")
        told = await at_home.asks(ada, room, "!summarize Garden public:yes", thread=root)
        assert "harbour is on Friday" in told.body and told.thread == root
        unknown = await at_home.asks(ada, room, "!summarize Bob public:yes")
        assert unknown.body == 'There is no conversation "Bob" here; !sessions shows which there are.'


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_what_is_asked_here_is_answered_from_what_the_room_may_know(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with confided(at_home, ada, bob, encrypted=encrypted) as (_, room):
        for asked in ("!recall party", "!summarize", "!sessions", "!memory", "!status", "!summarize last:50"):
            told = (await at_home.reads_aside(ada, room, asked)).body
            assert "surprise" not in told and "2 messages said" not in told
            assert "Friday" in told or asked in ("!sessions", "!memory", "!status")


@pytest.mark.torture
async def test_a_new_conversation_in_a_thread_is_announced_there(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        root = await tells(at_home, ada, room, "The mill is for sale.")
        told = await at_home.asks(bob, room, "!new the mill", thread=root)
        assert (told.body, told.thread) == ('This is a new conversation: "the mill".', root)
        await at_home.asks(bob, room, "Who wants to buy it?", thread=root)
        assert "* the mill: 2 messages" in (await at_home.reads_aside(bob, room, "!sessions", thread=root)).body
        assert "* Garden: 2 messages" in (await at_home.reads_aside(bob, room, "!sessions")).body
