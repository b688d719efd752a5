"""Lyra speaks on Matrix: once, in the right place, to who may read it, pinging nobody else, and shows without words that she types and has read."""

import asyncio
from collections.abc import Iterator

import pytest

from adapters.errors import SendFailed
from adapters.events import Place
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import MESSAGE
from adapters.matrix.outgoing.contents import AUTOMATED
from adapters.matrix.outgoing.typing import thinking
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Lost, Person, Status
from tests.fakes.matrix.faults import SEND, TO_DEVICE, Held
from tests.fakes.matrix.synapse import Synapse
from tests.fakes.pulse import PATIENCE
from tests.kits.matrix_speech import Desk, Town, beside, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_an_answer_refers_to_the_question_and_mentions_who_asked(
    town: Town, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with town.beside(ada, bob, encrypted=encrypted) as (it, room):
        question = await ada.says(room, "when is the party?")
        sent = await it.sender.send(part(room, "On **Friday**.", answers=question))
        for person in (ada, bob):
            said = await person.hears(room, lambda event: event.sender == it.user and event.kind == "m.text")
            assert (said.id, said.body, said.html) == (sent, "On **Friday**.", "On <strong>Friday</strong>.")
            assert (said.answers, said.mentions, said.encrypted, said.thread) == (question, [ada.user], encrypted, "")
            assert said.content[AUTOMATED] is True, "other programs can tell"


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_thread_is_answered_in_the_thread(town: Town, ada: Person, bob: Person, encrypted: bool) -> None:
    async with town.beside(ada, bob, encrypted=encrypted) as (it, room):
        root = await bob.says(room, "plans")
        question = await ada.says(room, "what now?", thread=root)
        parts = [part(room, text, thread=root, answers=question, first=not at) for at, text in enumerate(["Tea.", "And cake."])]
        first, second = [await it.sender.send(one) for one in parts]
        for person in (ada, bob):
            said = await person.hears_text(room, "Tea.")
            more = await person.hears_text(room, "And cake.")
            assert (said.id, said.thread, said.mentions) == (first, root, [ada.user])
            assert (more.id, more.thread, more.mentions) == (second, root, [])
            relation = said.raw["content"]["m.relates_to"]
            assert relation["is_falling_back"] and relation["m.in_reply_to"] == {"event_id": question}


@pytest.mark.torture
async def test_the_parts_of_an_answer_stand_in_order_and_only_the_first_refers(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        question = await ada.says(room, "tell me all")
        for at, text in enumerate(["one", "two", "three"]):
            await it.sender.send(part(room, text, answers=question, first=not at))
        await ada.hears_text(room, "three")
        said = [event for event in await ada.messages(room) if event.sender == it.user]
        assert [one.body for one in said] == ["one", "two", "three"]
        assert [one.answers for one in said] == [question, "", ""]


@pytest.mark.torture
async def test_notices_are_notices(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        await it.sender.send(part(room, "Nothing is kept.", notice=True))
        assert (await ada.hears_text(room, "Nothing is kept.")).kind == "m.notice"


@pytest.mark.torture
async def test_a_question_from_another_room_is_answered_without_a_reference(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        room, aside = await beside(it, ada, bob), await beside(it, ada, direct=True)
        question = await ada.says(room, "!memory")
        await it.sender.send(part(aside, "Here, for you alone.", answers=question))
        said = await ada.hears_text(aside, "Here, for you alone.")
        assert said.answers == "" and said.mentions == []


@pytest.mark.torture
async def test_a_question_that_was_taken_back_is_answered_all_the_same(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        question = await ada.says(room, "never mind")
        await ada.redacts(room, question)
        await it.sender.send(part(room, "Too late.", answers=question))
        assert (await ada.hears_text(room, "Too late.")).mentions == [ada.user]


async def test_the_transaction_is_named_by_the_key(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        sending = part(room, "hello")
        first, second = await it.sender.send(sending), await it.sender.send(sending)
        assert first == second and len(await ada.messages(room)) == 1
        assert {call.path.rpartition("/")[2] for call in it.proxy.calls(SEND)} == {sending.key}


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    """A homeserver of this module's own."""
    with Synapse(push={"enabled": True}) as synapse:
        yield synapse


LOUD = "# @room\nwake up, [bob](https://matrix.to/#/{bob}), {bob}, Bob!"


async def pinged(it: Desk, ada: Person, bob: Person) -> tuple[list[str], int]:
    """Let Lyra, who may call everyone, say something loud, and return whom it mentions and how often it pings bob."""
    room = await beside(it, ada, bob, levels={"notifications": {"room": 0}})
    question = await ada.says(room, "shout!")
    sent = await it.sender.send(part(room, LOUD.format(bob=bob.user), answers=question))
    said = await bob.hears(room, lambda event: event.id == sent)
    highlights = (await bob.client.call("GET", "notifications", query={"only": "highlight"}))["notifications"]
    assert "room" not in said.content.get("m.mentions", {})
    return said.mentions, len(highlights)


@pytest.mark.torture
async def test_nobody_else_is_pinged_whatever_the_text_says(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        assert await pinged(it, ada, bob) == ([ada.user], 0)


class Silent(Wire):
    """Says nothing of mentions."""

    async def put(self, room: str, content: Json, transaction: str, kind: str = MESSAGE) -> str:
        return await super().put(room, {key: value for key, value in content.items() if key != "m.mentions"}, transaction, kind)


@pytest.mark.torture
async def test_without_saying_whom_it_mentions_the_text_would_ping(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk(wire=Silent) as it:
        assert await pinged(it, ada, bob) == ([], 1)


SECRET = "the code is 1234"
QUESTION = "GET /rooms/*/event/*"


class Heedless(Wire):
    """Looks at who reads a room no second time."""

    def require_readers(self, room: str, before: Place | None) -> None:
        pass


@pytest.mark.parametrize("wire", [Wire, Heedless])
@pytest.mark.parametrize(("encrypted", "looked_up"), [(False, QUESTION), (True, TO_DEVICE)])
async def test_what_is_for_one_does_not_reach_a_third_who_is_invited_while_it_is_looked_up(
    town: Town, ada: Person, bob: Person, wire: type[Wire], encrypted: bool, looked_up: str
) -> None:
    async with town.beside(ada, direct=True, encrypted=encrypted, wire=wire) as (it, room):
        question = await ada.says(room, "the code?")
        it.proxy.faults.script(looked_up, held := Held())
        sending = asyncio.create_task(it.sender.send(part(room, SECRET, answers=question)))
        await asyncio.wait_for(held.reached.wait(), PATIENCE)
        before = it.rooms.place(room)
        await ada.invites(room, bob.user)
        await it.knows(room, lambda: it.rooms.place(room) != before)
        held.go.set()
        if wire is Wire:
            with pytest.raises(SendFailed) as failed:
                await sending
            assert not failed.value.final, "whether it may be said is asked anew"
        else:
            sent = await sending
            assert (await ada.hears(room, lambda event: event.id == sent)).body == SECRET


TYPING = "PUT /rooms/*/typing/*"
RECEIPT = "POST /rooms/*/read_markers"


async def test_she_is_seen_typing_until_she_is_done(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.beside(ada) as (it, room):
        async with thinking(it.client, room):
            await ada.sees_typing(room, it.user)
        await ada.sees_typing(room, it.user, on=False)


@pytest.mark.torture
async def test_a_long_thought_keeps_her_typing(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        async with thinking(it.client, room, lasts=0.3):
            calls = await it.proxy.heard(TYPING, 3)
        assert [call.body["typing"] for call in calls[:3]] == [True] * 3
        *_, last = await it.proxy.heard(TYPING, len(it.proxy.calls(TYPING)) + (it.proxy.calls(TYPING)[-1].body["typing"] is True))
        assert last.body["typing"] is False


@pytest.mark.torture
async def test_a_thought_that_is_broken_off_ends_typing(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.beside(ada) as (it, room):

        async def think() -> None:
            async with thinking(it.client, room):
                await asyncio.Event().wait()

        task = asyncio.create_task(think())
        await ada.sees_typing(room, it.user)
        task.cancel()
        await ada.sees_typing(room, it.user, on=False)


@pytest.mark.torture
async def test_trouble_with_typing_disturbs_nobody(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        it.proxy.faults.script(TYPING, *[Lost(accepted=False)] * 6, Status(500))
        async with thinking(it.client, room):
            await it.proxy.heard(TYPING)


async def test_others_see_that_she_has_read_what_she_answers(town: Town, ada: Person) -> None:
    ada.ears.signs = True
    async with town.beside(ada) as (it, room):
        root = await ada.says(room, "plans")
        inside = await ada.says(room, "tea?", thread=root)
        await it.sender.send(part(room, "Yes.", thread=root, answers=inside))
        assert (await ada.sees_read(room, it.user, inside)).thread == ""


@pytest.mark.torture
async def test_trouble_with_a_receipt_disturbs_nobody(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        said = await ada.says(room, "hello")
        it.proxy.faults.always(RECEIPT, Lost(accepted=False))
        await it.sender.send(part(room, "Hello.", answers=said))
        assert it.proxy.calls(RECEIPT)
        await ada.hears_text(room, "Hello.")
